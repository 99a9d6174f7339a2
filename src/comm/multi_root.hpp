// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Gathers to several roots, and scatters from several roots, in one operation.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "comm/comm.hpp"

namespace lq::comm {

// Gathers data of the ranks from `first` to before `last` on `first`. Empty range: nothing is gathered.
struct GatherItem {
  int first = 0, last = 0;
  bool has(int rank) const noexcept { return rank >= first && rank < last; }
};

// The items are the same on all ranks and ascend: none begins before the last rank of the previous one.
class MultiGather {
 public:
  using MineOf = std::function<std::vector<std::byte>(std::size_t gathering)>;
  using Sink = base::FunctionRef<void(std::size_t gathering, std::span<const std::byte> piece)>;

  // Local. Allocates everything; ranks must agree before any of them gathers. mine_of(gathering) returns this rank's
  // data, called for each item with this rank.
  MultiGather(Comm& comm, std::vector<GatherItem> gatherings, const MineOf& mine_of);
  // Collective, once. The data of the ranks of an item are concatenated and passed to `sink` on the first of them, in
  // pieces. An exception of sink is thrown there when all data have arrived; sink is not called again. The number of
  // steps grows with the logarithm of the ranks of one item, and with the number of items of one rank; memory is
  // bounded.
  void gather(const Sink& sink);

 private:
  struct Part {
    std::size_t gathering = 0;
    std::vector<std::byte> mine;
  };

  Comm& comm_;
  std::vector<GatherItem> gatherings_;
  std::vector<Part> parts_;  // of this rank, in the order of processing on all ranks
};

// Assembles values from the pieces of gathers; a value may be split between two pieces.
template <class T>
class Values {
 public:
  template <class Each>
  void take(std::size_t gathering, std::span<const std::byte> piece, const Each& each) {
    if (std::exchange(gathering_, gathering) != gathering) begun_ = 0;
    while (!piece.empty()) {
      const std::size_t taken = std::min(sizeof(T) - begun_, piece.size());
      std::memcpy(value_.data() + begun_, piece.data(), taken);
      piece = piece.subspan(taken);
      begun_ += taken;
      if (begun_ < sizeof(T)) return;
      T value;
      std::memcpy(&value, value_.data(), sizeof(T));
      begun_ = 0;
      each(value);
    }
  }

 private:
  std::array<std::byte, sizeof(T)> value_{};
  std::size_t begun_ = 0, gathering_ = 0;
};

// Bytes from several ranks, each to its own range of ranks: generalises scatter_parts(), which has one root and all
// ranks.

// Data of `from`, any rank, for each of the ranks from `first` to before `last`. Empty range: nothing is scattered.
struct ScatterItem {
  int from = 0, first = 0, last = 0;
  int ranks() const noexcept { return last - first; }
};

struct ScatteredPart {
  std::size_t item = 0;
  std::vector<std::byte> bytes;
};

// The items are the same on all ranks; their receivers ascend: none begins before the last rank of the previous one.
class MultiScatter {
 public:
  using PartOf = std::function<std::vector<std::byte>(std::size_t item, int rank)>;

  // Local. Allocates everything; ranks must agree before any of them runs it. part_of(item, rank) is called on the
  // item's source rank, here or in run(), and may throw.
  MultiScatter(Comm& comm, std::vector<ScatterItem> items, PartOf part_of);
  MultiScatter(MultiScatter&&) noexcept;
  MultiScatter& operator=(MultiScatter&&) = delete;
  ~MultiScatter();

  // Collective, once. Each rank gets, in ascending order of items, the result of part_of for it on the item's source
  // rank. That rank holds all parts of an item at a time unless it is the first receiver. An exception of part_of is
  // thrown there when everything has arrived; some ranks then get empty parts. The number of steps grows with the
  // logarithm of the receivers of one item, and with the number of items of one rank.
  std::vector<ScatteredPart> run();

 private:
  class Stream;
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lq::comm
