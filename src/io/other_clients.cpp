// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/other_clients.hpp"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "comm/agree.hpp"
#include "comm/node.hpp"
#include "comm/tree.hpp"

namespace lq::io {
namespace {

struct Client {
  std::uint64_t node = 0;  // its first rank
  std::uint64_t mount = 0;
  bool operator==(const Client&) const = default;
};

// Of the ranks, how many are another client than the rank `shift` after them.
std::size_t strangers_at(const std::vector<Client>& clients, std::size_t shift) {
  std::size_t strangers = 0;
  for (std::size_t rank = 0; rank < clients.size(); ++rank) {
    if (clients[rank] != clients[(rank + shift) % clients.size()]) ++strangers;
  }
  return strangers;
}

// Ranks are dealt out to nodes in blocks or in turn: a few distances to a stranger of rank 0 are enough to try.
std::uint64_t best_shift(const std::vector<Client>& clients) {
  constexpr std::size_t most_trials = 32;
  std::size_t best = 1, best_strangers = strangers_at(clients, 1), trials = 0;
  for (std::size_t shift = 2; shift < clients.size() && trials < most_trials; ++shift) {
    if (clients[shift] == clients[0]) continue;
    ++trials;
    const std::size_t strangers = strangers_at(clients, shift);
    if (strangers > best_strangers) std::tie(best, best_strangers) = std::pair(shift, strangers);
  }
  return best;
}

}  // namespace

std::uint64_t shift_to_other_clients(comm::Comm& comm, std::uint64_t client) {
  const Client mine{static_cast<std::uint64_t>(comm.node().ranks().front()), client};
  std::uint64_t shift = 1;
  comm::agree(comm, [&] {
    std::vector<Client> clients;
    comm::gather_records(comm, std::span(&mine, 1), 0, [&](const Client& one) { clients.push_back(one); });
    if (comm.rank() == 0) shift = best_shift(clients);
  });
  comm.broadcast(std::as_writable_bytes(std::span(&shift, 1)), 0);
  return shift;
}

}  // namespace lq::io
