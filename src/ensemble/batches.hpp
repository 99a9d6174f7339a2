// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Results kept together in short transactions: others may write in between, and whoever is killed has lost one batch.
#pragma once

#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "ensemble/database.hpp"

namespace lq::ensemble {

template <class Item, class Keep>
class Batches {
 public:
  Batches(const Database& database, const Keep& keep) : database_(database), keep_(keep) {}

  void add(Item item) {
    items_.push_back(std::move(item));
    if (items_.size() >= most || since_flush_.seconds() > longest) flush();
  }

  void flush() {
    if (!items_.empty()) {
      Transaction transaction(database_);
      for (Item& item : items_) keep_(std::move(item));
      transaction.commit();
      items_.clear();
    }
    since_flush_ = {};
  }

 private:
  static constexpr std::size_t most = 500;
  static constexpr double longest = 2;  // seconds

  const Database& database_;
  const Keep& keep_;
  std::vector<Item> items_;
  base::Stopwatch since_flush_;
};

}  // namespace lq::ensemble
