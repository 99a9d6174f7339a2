// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// These functions stand in for those of the C library, also where the C++ library calls them.
#include "simulation/clock.hpp"

#include <sched.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstring>

#include "support/turns.hpp"

namespace {

std::atomic<bool> is_simulated{false};
std::atomic<std::uint64_t> random_state{0};
std::atomic<std::int64_t> nanoseconds{0}, offset_of_day{0};

// SplitMix64.
std::uint64_t next_random() {
  std::uint64_t z = random_state += 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

constexpr std::int64_t second = 1'000'000'000;
constexpr std::int64_t epoch = 1'790'000'000;  // in seconds

// Time passes by a microsecond. Sometimes that of the day is set, and sometimes much has passed.
std::int64_t pass(bool of_day) {
  const std::uint64_t number = next_random();
  if (number % 512 == 0) offset_of_day = static_cast<std::int64_t>(number >> 32) % (48 * 3600) - 24 * 3600;
  if (number % 512 == 1) nanoseconds += static_cast<std::int64_t>(number >> 40) % 100 * second;
  const std::int64_t now = nanoseconds += 1000;
  return of_day ? now + (epoch + offset_of_day) * second : now;
}

}  // namespace

// Seen by the C++ library, too.
#pragma GCC visibility push(default)
extern "C" {

int clock_gettime(clockid_t clock, struct timespec* time) noexcept {
  if (!is_simulated) return static_cast<int>(::syscall(SYS_clock_gettime, clock, time));
  const std::int64_t now = pass(clock == CLOCK_REALTIME);
  time->tv_sec = now / second;
  time->tv_nsec = now % second;
  return 0;
}

// Whoever waits lets others go on.
int sched_yield() noexcept { return lq::testing::Turns::yield() ? 0 : static_cast<int>(::syscall(SYS_sched_yield)); }

// Time passes for ranks alone: others sleep as long as the real clock says.
int nanosleep(const struct timespec* time, struct timespec* rest) {
  if (!lq::testing::Turns::has_this_thread()) return static_cast<int>(::syscall(SYS_nanosleep, time, rest));
  nanoseconds += time->tv_sec * second + time->tv_nsec;
  lq::testing::Turns::yield();
  return 0;
}

int getentropy(void* buffer, size_t bytes) {
  if (!is_simulated) return ::getrandom(buffer, bytes, 0) == static_cast<ssize_t>(bytes) ? 0 : -1;
  for (std::size_t i = 0; i < bytes; i += 8) {
    const std::uint64_t number = next_random();
    std::memcpy(static_cast<char*>(buffer) + i, &number, bytes - i < 8 ? bytes - i : 8);
  }
  return 0;
}
}
#pragma GCC visibility pop

namespace lq::simulation {

void start_clock(std::uint64_t seed) {
  random_state = seed;
  nanoseconds = 1000 * second;
  offset_of_day = 0;
  is_simulated = true;
}

}  // namespace lq::simulation
