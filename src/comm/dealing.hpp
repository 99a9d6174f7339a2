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
struct Dealing {
  int from = 0, first = 0, last = 0;
  int ranks() const noexcept { return last - first; }
};

struct Dealt {
  std::size_t dealing = 0;
  std::vector<std::byte> bytes;
};

// The same dealings on all ranks, whose receivers ascend: none begins before the last rank of the one before it.
class Dealer {
 public:
  using PartOf = std::function<std::vector<std::byte>(std::size_t dealing, int rank)>;

  // Local. Has all that is needed; to be agreed on before anyone deals. part_of(dealing, rank) is called on the rank
  // that the dealing is from, here or in deal(), and may throw.
  Dealer(Comm& comm, std::vector<Dealing> dealings, PartOf part_of);
  Dealer(Dealer&&) noexcept;
  Dealer& operator=(Dealer&&) = delete;
  ~Dealer();

  // Collective, once. Each rank gets, ascending, what part_of returns for it on the rank that the dealing is from,
  // which holds all parts of a dealing at a time unless it is the first who gets one. What part_of throws is thrown
  // there, when all has arrived; some get empty parts then. In steps that grow with the logarithm of the receivers of
  // one dealing, and with the dealings that one rank has to do with.
  std::vector<Dealt> deal();

 private:
  class Feed;
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lq::comm
