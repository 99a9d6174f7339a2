// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "diagnosis/parts.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <memory>

#include "base/bytes.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "comm/agree.hpp"
#include "comm/node.hpp"
#include "comm/tree.hpp"

namespace lq::diagnosis {
namespace {

using base::mebi;

constexpr std::uint64_t shared_copies = 4;   // of data the neighbour has just written
constexpr std::uint64_t pulled_copies = 16;  // from an array larger than any cache
constexpr std::uint64_t round_trips = 32;
constexpr std::uint64_t handovers = 256;
void wait_for(comm::Flight flight) {
  while (!flight.is_done()) ::sched_yield();
}

struct ProbeInfo {
  std::int64_t process = 0;
  std::uint64_t address = 0;
};

class Messages {
 public:
  explicit Messages(comm::Comm& comm)
      : comm_(comm),
        channel_(comm),
        node_(comm.node()),
        outgoing_(comm::agree(comm, [] { return std::vector<std::byte>(pulled_copies * mebi, std::byte{1}); })),
        incoming_(comm::agree(comm, [] { return std::vector<std::byte>(mebi, std::byte{2}); })),
        partner_(find_partner()),
        lease_(node_.lease(shared_copies * mebi)) {
    exchange_cards();
    if (lease_) std::memset(lease_->area(node_.index()), 0, shared_copies * mebi);
  }

  int partner() const noexcept { return partner_; }
  bool has_shared_memory() const noexcept { return lease_ != nullptr && node_.largest() > 1; }
  bool can_pull() const noexcept { return node_.can_pull() && node_.largest() > 1; }

  // Rank 0 and its partner exchange `bytes` back and forth.
  double ping_pong(std::uint64_t bytes, std::uint64_t trips) {
    const bool is_first = comm_.rank() == 0;
    if (!is_first && comm_.rank() != partner_) return 0;
    const int other = is_first ? partner_ : 0;
    const base::Stopwatch watch;
    for (std::uint64_t i = 0; i < trips; ++i) {
      if (is_first) wait_for(comm_.start_send(std::span(outgoing_).first(bytes), other, channel_.number()));
      wait_for(comm_.start_receive(std::span(incoming_).first(bytes), other, channel_.number()));
      if (!is_first) wait_for(comm_.start_send(std::span(outgoing_).first(bytes), other, channel_.number()));
    }
    return watch.seconds();
  }

  // Both send at the same time.
  double both_ways(std::uint64_t bytes, std::uint64_t times) {
    if (comm_.rank() != 0 && comm_.rank() != partner_) return 0;
    const int other = comm_.rank() == 0 ? partner_ : 0;
    const base::Stopwatch watch;
    for (std::uint64_t i = 0; i < times; ++i) {
      comm::Flight receiving = comm_.start_receive(std::span(incoming_).first(bytes), other, channel_.number());
      comm::Flight sending = comm_.start_send(std::span(outgoing_).first(bytes), other, channel_.number());
      wait_for(std::move(receiving));
      wait_for(std::move(sending));
    }
    return watch.seconds();
  }

  // Every rank sends to the rank half of the ranks away, on another node if there is one.
  double shift() {
    const int size = comm_.size();
    const int distance = std::max(size / 2, 1);
    const base::Stopwatch watch;
    comm::Flight receiving = comm_.start_receive(incoming_, (comm_.rank() + size - distance) % size, channel_.number());
    comm::Flight sending =
        comm_.start_send(std::span(outgoing_).first(mebi), (comm_.rank() + distance) % size, channel_.number());
    wait_for(std::move(receiving));
    wait_for(std::move(sending));
    return watch.seconds();
  }

  // One MiB from every rank, in equal parts to the next eight ranks.
  double exchange() {
    const int others = std::min(comm_.size() - 1, 8);
    std::vector<comm::Message> messages;
    for (int k = 1; k <= others; ++k) {
      messages.push_back({(comm_.rank() + k) % comm_.size(),
                          std::vector<std::byte>(mebi / static_cast<std::uint64_t>(others), std::byte{3})});
    }
    const base::Stopwatch watch;
    comm_.all_to_all(std::move(messages));
    return watch.seconds();
  }

  double copy_shared() {
    // The first bytes are used for synchronisation.
    std::memset(lease_->area(node_.index()) + 64, 1, shared_copies * mebi - 64);
    comm_.barrier();
    const std::byte* area = lease_->area((node_.index() + 1) % node_.comm().size());
    const base::Stopwatch watch;
    for (std::uint64_t i = 0; i < shared_copies; ++i) {
      std::memcpy(incoming_.data(), area + i * mebi, mebi);
      asm volatile("" : : "r"(incoming_.data()) : "memory");
    }
    return watch.seconds();
  }

  double pull() {
    return comm::agree(comm_, [&] {
      const base::Stopwatch watch;
      for (std::uint64_t i = 0; i < pulled_copies; ++i) {
        const std::array<comm::NeighbourPiece, 1> piece{{{neighbour_.address + i * mebi, mebi}}};
        const int reason = comm::pull(neighbour_.process, piece, incoming_.data());
        if (reason != 0) throw base::errno_error("a neighbour's memory", "read", reason);
      }
      return watch.seconds();
    });
  }

  // The first two ranks of each node alternately increment a counter.
  double hand_over() {
    const int index = node_.index();
    if (index > 1 || node_.comm().size() < 2) return 0;
    auto& mine = *reinterpret_cast<std::uint64_t*>(lease_->area(index));
    auto& theirs = *reinterpret_cast<std::uint64_t*>(lease_->area(1 - index));
    const std::atomic_ref counter(mine);
    const std::atomic_ref other(theirs);
    const base::Stopwatch watch;
    for (std::uint64_t i = 0; i < handovers; ++i) {
      if (index == 0) counter.fetch_add(1, std::memory_order_release);
      ++expected_;
      while (other.load(std::memory_order_acquire) < expected_) ::sched_yield();
      if (index == 1) counter.fetch_add(1, std::memory_order_release);
    }
    return watch.seconds();
  }

 private:
  // The first rank of another node, else rank 1.
  int find_partner() {
    std::array<std::uint64_t, 1> first{~std::uint64_t{0}};
    const bool with_root = node_.index_of(0).has_value();
    if (!with_root) first[0] = static_cast<std::uint64_t>(comm_.rank());
    comm_.all_reduce(first, comm::Reduce::min);
    return first[0] == ~std::uint64_t{0} ? 1 : static_cast<int>(first[0]);
  }

  void exchange_cards() {
    const ProbeInfo mine{::getpid(), reinterpret_cast<std::uint64_t>(outgoing_.data())};
    std::vector<ProbeInfo> cards =
        comm::agree(comm_, [&] { return std::vector<ProbeInfo>(static_cast<std::size_t>(node_.comm().size())); });
    comm::all_gather(node_.comm(), mine, std::span(cards));
    neighbour_ = cards[static_cast<std::size_t>((node_.index() + 1) % node_.comm().size())];
  }

  comm::Comm& comm_;
  comm::Channel channel_;
  comm::Node& node_;
  std::vector<std::byte> outgoing_;
  std::vector<std::byte> incoming_;
  int partner_;
  std::unique_ptr<comm::Node::Lease> lease_;
  ProbeInfo neighbour_;
  std::uint64_t expected_ = 0;
};

}  // namespace

std::vector<Measurement> message_parts(comm::Comm& comm) {
  if (comm.size() == 1) return {};
  const auto ranks = static_cast<std::uint64_t>(comm.size());
  const auto messages = std::make_shared<Messages>(comm);
  // One direction of a round trip is one call.
  std::vector<Measurement> parts{
      {"message, 8 B", 8 * 2 * round_trips, 2 * round_trips, 2, [=] { return messages->ping_pong(8, round_trips); }},
      {"message, 1 KiB", 1024 * 2 * round_trips, 2 * round_trips, 2,
       [=] { return messages->ping_pong(1024, round_trips); }},
      {"message, 16 KiB", mebi, 64, 2, [=] { return messages->ping_pong(mebi / 64, 32); }},
      {"message, 128 KiB", mebi * 4, 32, 2, [=] { return messages->ping_pong(mebi / 8, 16); }},
      {"message, 1 MiB", mebi * 8, 8, 2, [=] { return messages->ping_pong(mebi, 4); }},
      {"message, 1 MiB, both ways", mebi * 8, 4, 2, [=] { return messages->both_ways(mebi, 4); }},
      {"messages, all ranks", mebi * ranks, 1, ranks, [=] { return messages->shift(); }},
      {"exchange", mebi * ranks, 1, ranks, [=] { return messages->exchange(); }},
  };
  if (messages->has_shared_memory()) {
    parts.push_back(
        {"shared memory", mebi * shared_copies * ranks, shared_copies, ranks, [=] { return messages->copy_shared(); }});
    parts.push_back({"handover", 0, 2 * handovers, 2, [=] { return messages->hand_over(); }});
  }
  if (messages->can_pull()) {
    parts.push_back(
        {"neighbour's memory", mebi * pulled_copies * ranks, pulled_copies, ranks, [=] { return messages->pull(); }});
  }
  for (auto& part : tcp_parts(comm, messages->partner())) parts.push_back(std::move(part));
  return parts;
}

}  // namespace lq::diagnosis
