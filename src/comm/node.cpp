// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "comm/node.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "comm/agree.hpp"
#include "comm/all_gather.hpp"
#include "comm/neighbour_memory.hpp"

namespace lq::comm {
namespace {

std::uint64_t reduced(Comm& comm, std::uint64_t value, Reduce operation) {
  std::array<std::uint64_t, 1> values{value};
  comm.all_reduce(values, operation);
  return values[0];
}

// What a rank tells its node about itself.
struct Card {
  std::int64_t rank = 0;
  std::int64_t process = 0;
  std::uint64_t address = 0;  // of a number that others try to read
};

int usable_cores() noexcept {
  cpu_set_t set;
  CPU_ZERO(&set);
  return ::sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;
}

// The neighbour's number, taken out of its memory.
bool can_read(const Card& card, std::uint64_t expected) noexcept {
  std::uint64_t found = 0;
  const std::array<NeighbourPiece, 1> piece{{{card.address, sizeof(found)}}};
  return pull(card.process, piece, reinterpret_cast<std::byte*>(&found)) == 0 && found == expected;
}

}  // namespace

Node& Comm::node() {
  if (node_) return *node_;
  const auto node = agree(*this, [&] { return std::make_shared<Node>(*this); });
  node->look_around();
  node_ = node;
  return *node_;
}

void Node::look_around() {
  comm_ = agree(all_, [&] { return all_.split_by_node(); });
  constexpr std::uint64_t mark = 0x6c696d6571756174;
  const std::uint64_t number = mark + static_cast<std::uint64_t>(all_.rank());
  const Card mine{all_.rank(), ::getpid(), reinterpret_cast<std::uint64_t>(&number)};
  std::vector<Card> cards = agree(all_, [&] {
    ranks_.reserve(static_cast<std::size_t>(comm_->size()));
    return std::vector<Card>(static_cast<std::size_t>(comm_->size()));
  });
  all_gather(*comm_, mine, std::span(cards));
  for (const Card& card : cards) ranks_.push_back(static_cast<int>(card.rank));

  const Card& next = cards[static_cast<std::size_t>((index() + 1) % comm_->size())];
  const bool readable = can_read(next, mark + static_cast<std::uint64_t>(next.rank));
  can_pull_ = reduced(all_, readable ? 1 : 0, Reduce::min) == 1;  // keeps `number` in its place until all have read
  largest_ = static_cast<int>(reduced(all_, ranks_.size(), Reduce::max));
  is_only_ = reduced(all_, ranks_.size(), Reduce::min) == static_cast<std::uint64_t>(all_.size());
  // Ranks bound to cores of their own see one core each; unbound ones see all of the node.
  const int cores = usable_cores();
  const int spare = cores > 1 ? cores - comm_->size() : 0;
  idle_cores_ = static_cast<int>(reduced(all_, static_cast<std::uint64_t>(std::max(spare, 0)), Reduce::min));
}

std::optional<int> Node::index_of(int rank) const noexcept {
  const auto found = std::lower_bound(ranks_.begin(), ranks_.end(), rank);
  if (found == ranks_.end() || *found != rank) return std::nullopt;
  return static_cast<int>(found - ranks_.begin());
}

std::unique_ptr<Node::Lease> Node::lease(std::uint64_t bytes_per_rank) {
  // Leases may come back in another order on other ranks: only memory that is free on all of them is used again.
  const auto fits =
      std::ranges::find_if(free_, [&](const Made& m) { return m.memory->bytes_per_rank() >= bytes_per_rank; });
  const std::uint64_t number = fits == free_.end() ? 0 : fits->number;
  std::array<std::uint64_t, 2> found{number, ~number};
  all_.all_reduce(found, Reduce::min);
  Made made;
  if (number != 0 && found[0] == number && ~found[1] == number) {
    made = std::move(*fits);
    free_.erase(fits);
  } else {
    free_.clear();
    made = {++made_, SharedMemory::create(*comm_, bytes_per_rank)};
  }
  if (reduced(all_, made.memory ? 1 : 0, Reduce::min) == 0) return nullptr;
  return agree(all_, [&] {
    free_.reserve(free_.size() + leases_ + 1);  // for its return
    return std::make_unique<Lease>(*this, std::move(made));
  });
}

Node::Lease::Lease(Node& node, Made made) noexcept : node_(&node), made_(std::move(made)) { ++node_->leases_; }

Node::Lease::~Lease() {
  --node_->leases_;
  node_->free_.push_back(std::move(made_));
}

}  // namespace lq::comm
