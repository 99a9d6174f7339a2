// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Gathers to several roots, and scatters from several roots, at once.
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

// What the ranks from `first` to before `last` have for `first`. None: nothing is gathered.
struct GatherItem {
  int first = 0, last = 0;
  bool has(int rank) const noexcept { return rank >= first && rank < last; }
};

// The same gatherings on all ranks, which ascend: none begins before the last rank of the one before it.
class MultiGather {
 public:
  using MineOf = std::function<std::vector<std::byte>(std::size_t gathering)>;
  using Sink = base::FunctionRef<void(std::size_t gathering, std::span<const std::byte> piece)>;

  // Local. Has all that is needed; to be agreed on before anyone gathers. mine_of(gathering) is what this rank has,
  // asked for each that has it.
  MultiGather(Comm& comm, std::vector<GatherItem> gatherings, const MineOf& mine_of);
  // Collective, once. What the ranks of a gathering have, contiguous, goes to `sink` on the first of them, in
  // pieces. What sink throws is thrown there when all has arrived; it is called no more. In steps that grow with the
  // logarithm of the ranks of one gathering, and with those that one rank has to do with, and in bounded memory.
  void gather(const Sink& sink);

 private:
  struct Part {
    std::size_t gathering = 0;
    std::vector<std::byte> mine;
  };

  Comm& comm_;
  std::vector<GatherItem> gatherings_;
  std::vector<Part> parts_;  // of this rank, in the order in which all ranks take them
};

// Values out of the pieces of gatherings, of which two may have parts of one.
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

// Bytes from several ranks, each to ranks of its own: what scatter_parts() is for one root and all ranks.

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
