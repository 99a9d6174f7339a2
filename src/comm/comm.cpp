// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Waiting for messages, and the channels that separate the messages of transfers.
#include "comm/comm.hpp"

#include <array>

#include "base/backoff.hpp"
#include "base/error.hpp"
#include "comm/wire.hpp"

namespace lq::comm {

void wait(Flight flight) {
  base::Backoff backoff(base::Backoff::Who::rank);
  while (!flight.is_done()) backoff.wait();
}

namespace {

using Used = std::array<Term, Channel::terms>;

Used used_anywhere(Comm& comm) {
  Used used;
  Channel::tell(comm, used);
  comm.combine(used);
  return used;
}

}  // namespace

void Channel::tell(const Comm& comm, std::span<Term, terms> used) noexcept {
  constexpr std::size_t bits = 64;
  for (Term& word : used) word = {0, Reduce::bit_or};
  for (std::size_t i = 0; i < channels; ++i) {
    used[i / bits].value |= std::uint64_t{comm.used_channels_[i] ? 1U : 0U} << i % bits;
  }
}

Channel::Channel(Comm& comm) : Channel(comm, used_anywhere(comm)) {}

// A transfer may have ended here and still be in progress elsewhere.
Channel::Channel(Comm& comm, std::span<const Term, terms> used) : comm_(comm), number_(first_transfer_channel) {
  const auto is_used = [&](int number) {
    const auto i = static_cast<std::size_t>(number);
    return (used[i / 64].value >> i % 64 & 1) != 0;
  };
  while (number_ < channels && is_used(number_)) ++number_;
  if (number_ == channels) {
    base::fail(Code::too_large, {},
               "{} transfers by messages are in progress at the same time; wait for some of them before starting more",
               channels - first_transfer_channel);
  }
  comm.used_channels_.set(static_cast<std::size_t>(number_));
}

// A single process: every operation is a copy or nothing. Misuse is refused as in other groups.

namespace {

void require_self(int rank, const char* operation) {
  if (rank == 0) return;
  base::fail(Code::communication, {}, "{}: rank {} was named, but the group is this process alone (rank 0)", operation,
             rank);
}

class Self final : public Comm {
 public:
  int rank() const noexcept override { return 0; }
  int size() const noexcept override { return 1; }
  void barrier() override {}
  void broadcast(std::span<std::byte>, int root) override { require_self(root, "broadcast"); }
  void all_reduce(std::span<std::uint64_t>, Reduce) override {}
  void combine(std::span<Term>) override {}

  std::vector<Message> all_to_all(std::vector<Message> outgoing) override {
    for (const Message& message : outgoing) require_self(message.rank, "all_to_all");
    if (outgoing.size() > 1)
      throw Error(Code::communication, "all_to_all: two messages for rank 0, at most one is allowed");
    return outgoing;
  }

  std::unique_ptr<Comm> split(int colour, int) override { return colour < 0 ? nullptr : make_self(); }
  std::unique_ptr<Comm> split_by_node() override { return make_self(); }

  // An exchange of sites keeps this rank's own sites without a message.
  Flight start_send(std::span<const std::byte>, int, int) override { refuse_message(); }
  Flight start_receive(std::span<std::byte>, int, int) override { refuse_message(); }

 private:
  [[noreturn]] static void refuse_message() {
    throw Error(Code::communication, "a message to or from another rank: this process is the only one");
  }
};

}  // namespace

std::unique_ptr<Comm> make_self() {
  static_cast<void>(preallocated_out_of_memory());  // created while memory is available
  return std::make_unique<Self>();
}

}  // namespace lq::comm
