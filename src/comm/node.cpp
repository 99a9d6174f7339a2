// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "comm/node.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <span>

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
  cpu_set_t cores = {};       // that it may run on; none where the kernel has more than fit in here
  int own_cores = 0;
};

// Each core goes to one of the ranks that may run on it, the one that has the fewest so far. Ranks that are bound to
// cores of their own keep all of these, others get even shares.
void deal_out_cores(std::span<Card> cards) noexcept {
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    Card* poorest = nullptr;
    for (Card& card : cards) {
      if (CPU_ISSET(core, &card.cores) && (poorest == nullptr || card.own_cores < poorest->own_cores)) poorest = &card;
    }
    if (poorest != nullptr) ++poorest->own_cores;
  }
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
  node->discover();
  node_ = node;
  return *node_;
}

void Node::discover() {
  std::vector<Card> cards;
  comm_ = agree(all_, [&] {
    auto node = all_.split_by_node();
    ranks_.reserve(static_cast<std::size_t>(node->size()));
    cards.resize(static_cast<std::size_t>(node->size()));
    return node;
  });
  constexpr std::uint64_t mark = 0x6c696d6571756174;
  const std::uint64_t number = mark + static_cast<std::uint64_t>(all_.rank());
  Card mine{all_.rank(), ::getpid(), reinterpret_cast<std::uint64_t>(&number)};
  if (::sched_getaffinity(0, sizeof(mine.cores), &mine.cores) != 0) CPU_ZERO(&mine.cores);
  all_gather(*comm_, mine, std::span(cards));
  for (const Card& card : cards) ranks_.push_back(static_cast<int>(card.rank));

  const Card& next = cards[static_cast<std::size_t>((index() + 1) % comm_->size())];
  const bool readable = can_read(next, mark + static_cast<std::uint64_t>(next.rank));
  std::array<Term, 3> terms{
      {{readable ? 1U : 0U, Reduce::min}, {ranks_.size(), Reduce::max}, {ranks_.size(), Reduce::min}}};
  all_.combine(terms);
  can_pull_ = terms[0].value == 1;  // keeps `number` in its place until all have read
  largest_ = static_cast<int>(terms[1].value);
  is_only_ = terms[2].value == static_cast<std::uint64_t>(all_.size());
  deal_out_cores(cards);
  own_cores_ = std::max(cards[static_cast<std::size_t>(index())].own_cores, 1);
}

std::optional<int> Node::index_of(int rank) const noexcept {
  const auto found = std::lower_bound(ranks_.begin(), ranks_.end(), rank);
  if (found == ranks_.end() || *found != rank) return std::nullopt;
  return static_cast<int>(found - ranks_.begin());
}

// Leases may come back in another order on other ranks: only memory that is free on all of them is used again.
void Node::tell_free(std::uint64_t bytes_per_rank, std::span<Term, lease_terms> terms) const noexcept {
  const auto fits =
      std::ranges::find_if(free_, [&](const Made& m) { return m.memory->bytes_per_rank() >= bytes_per_rank; });
  const std::uint64_t number = fits == free_.end() ? 0 : fits->number;
  terms[0] = {~number, Reduce::max};  // the least of them
  terms[1] = {number, Reduce::max};
}

bool Node::fill(Lease& lease, std::uint64_t bytes_per_rank, std::span<const Term, lease_terms> of_all) {
  const std::uint64_t number = ~of_all[0].value;
  if (number != 0 && number == of_all[1].value) {
    const auto fits = std::ranges::find(free_, number, &Made::number);
    lease.made_ = std::move(*fits);
    free_.erase(fits);
    return true;
  }
  free_.clear();
  lease.made_ = {++made_, SharedMemory::create(*comm_, bytes_per_rank)};
  return reduced(all_, lease.made_.memory ? 1 : 0, Reduce::min) == 1;
}

std::unique_ptr<Node::Lease> Node::lease(std::uint64_t bytes_per_rank) {
  std::array<Term, 1 + lease_terms> terms{};
  auto lease = agree(all_, terms, [&] {
    tell_free(bytes_per_rank, std::span(terms).subspan<1>());
    return std::make_unique<Lease>(*this);
  });
  if (!fill(*lease, bytes_per_rank, std::span(terms).subspan<1>())) return nullptr;
  return lease;
}

Node::Lease::Lease(Node& node) : node_(&node) {
  node.free_.reserve(node.free_.size() + node.leases_ + 1);  // for its return
  ++node.leases_;
}

Node::Lease::~Lease() {
  --node_->leases_;
  if (made_.memory) node_->free_.push_back(std::move(made_));
}

}  // namespace lq::comm
