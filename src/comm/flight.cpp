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
namespace {

constexpr std::size_t bits = 64;  // of a word
using Words = std::array<std::uint64_t, channels / bits>;

}  // namespace

void wait(Flight flight) {
  base::Backoff backoff(base::Backoff::Who::rank);
  while (!flight.is_done()) backoff.wait();
}

// A transfer may be over here and still under way elsewhere.
Channel::Channel(Comm& comm) : comm_(comm), number_(first_transfer_channel) {
  Words used{};
  for (std::size_t i = 0; i < channels; ++i) {
    used[i / bits] |= std::uint64_t{comm.used_channels_[i] ? 1U : 0U} << i % bits;
  }
  comm.all_reduce(used, Reduce::bit_or);
  const auto is_used = [&](int number) {
    const auto i = static_cast<std::size_t>(number);
    return (used[i / bits] >> i % bits & 1) != 0;
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
