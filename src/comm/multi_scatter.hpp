// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Bytes from several ranks, each to ranks of its own: what scatter_parts() is for one root and all ranks.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "comm/comm.hpp"

namespace lq::comm {

// What `from`, any rank, has for each of the ranks from `first` to before `last`. None: nothing is dealt out.
struct ScatterItem {
  int from = 0, first = 0, last = 0;
  int ranks() const noexcept { return last - first; }
};

struct ScatteredPart {
  std::size_t item = 0;
  std::vector<std::byte> bytes;
};

// The same items on all ranks, whose receivers ascend: none begins before the last rank of the one before it.
class MultiScatter {
 public:
  using PartOf = std::function<std::vector<std::byte>(std::size_t item, int rank)>;

  // Local. Has all that is needed; to be agreed on before any rank runs it. part_of(item, rank) is called on the rank
  // that the item is from, here or in run(), and may throw.
  MultiScatter(Comm& comm, std::vector<ScatterItem> items, PartOf part_of);
  MultiScatter(MultiScatter&&) noexcept;
  MultiScatter& operator=(MultiScatter&&) = delete;
  ~MultiScatter();

  // Collective, once. Each rank gets, ascending, what part_of returns for it on the rank that the item is from,
  // which holds all parts of an item at a time unless it is the first who gets one. What part_of throws is thrown
  // there, when all has arrived; some get empty parts then. In steps that grow with the logarithm of the receivers of
  // one item, and with the items that one rank has to do with.
  std::vector<ScatteredPart> run();

 private:
  class Stream;
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lq::comm
