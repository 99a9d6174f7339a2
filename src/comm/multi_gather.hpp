// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Bytes for several ranks, each from ranks of its own: what gather_pieces() is for one root and all ranks.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <functional>
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

}  // namespace lq::comm
