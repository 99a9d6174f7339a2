// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Waiting for messages, and the channels that keep those of transfers apart.
#include "comm/flight.hpp"

#include <array>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/backoff.hpp"
#include "comm/comm.hpp"

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

// A transfer may be over here and still under way elsewhere.
Channel::Channel(Comm& comm, std::span<const Term, terms> used) : comm_(comm), number_(first_transfer_channel) {
  const auto is_used = [&](int number) {
    const auto i = static_cast<std::size_t>(number);
    return (used[i / 64].value >> i % 64 & 1) != 0;
  };
  while (number_ < channels && is_used(number_)) ++number_;
  if (number_ == channels) {
    throw Error(Code::too_large, fmt::format("{} transfers by messages are under way at the same time; wait for some "
                                             "before more are begun",
                                             channels - first_transfer_channel));
  }
  comm.used_channels_.set(static_cast<std::size_t>(number_));
}

}  // namespace lq::comm
