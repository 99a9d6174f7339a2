// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Which versions of something there may be: now, and once the power has failed.
#pragma once

#include <set>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "simulation/machine.hpp"

namespace lq::simulation {

class Versions {
 public:
  static constexpr int absent = -1;

  const std::set<int>& here() const noexcept { return here_; }
  bool are(int version) const { return here_ == std::set<int>{version}; }
  std::string words() const { return fmt::format("version {}", fmt::join(here_, " or ")); }

  // This one was about to replace them, synced when it returned.
  void attempt(int version, const Outcome& outcome, const Trouble& trouble) {
    here_.insert(version);
    on_disk_.insert(version);
    if (outcome.error.empty() && !outcome.has_ended) here_ = on_disk_ = {version};
    if (outcome.has_ended && trouble.kind == Trouble::Kind::power) fail_power();
  }
  void fail_power() { here_ = on_disk_; }
  // This one was seen. What is seen stays as long as there is power; what the disk has is not known by it.
  void see(int version) {
    here_ = {version};
    if (on_disk_.size() == 1) on_disk_ = here_;
  }

 private:
  std::set<int> here_{absent}, on_disk_{absent};
};

}  // namespace lq::simulation
