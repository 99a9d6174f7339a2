// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "comm/thread_count.hpp"

#include <algorithm>

#include "comm/node.hpp"

namespace lq::comm {
namespace {

constexpr std::uint64_t worth_a_team = 16 * 1024 * 1024;  // of a rank; below this nobody asks about cores
constexpr std::uint64_t worth_a_thread = 4 * 1024 * 1024;
constexpr int most = 1024;  // whatever is asked for

}  // namespace

int thread_count(comm::Comm& comm, int asked, std::uint64_t bytes) {
  const std::uint64_t mine = bytes / static_cast<std::uint64_t>(comm.size());
  const int own = mine < worth_a_team ? 1 : comm.node().own_cores();
  if (asked > 0) return std::min(asked, most);
  return static_cast<int>(std::clamp<std::uint64_t>(mine / worth_a_thread, 1, static_cast<std::uint64_t>(own)));
}

int thread_count(int asked, std::uint64_t bytes) { return thread_count(*comm::make_self(), asked, bytes); }

int within(int threads, std::uint64_t memory_bytes, std::uint64_t bytes_each) noexcept {
  const std::uint64_t room = bytes_each == 0 ? most : memory_bytes / bytes_each;
  return static_cast<int>(std::clamp<std::uint64_t>(room, 1, static_cast<std::uint64_t>(std::max(threads, 1))));
}

}  // namespace lq::comm
