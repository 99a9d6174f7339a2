// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Threads that sleep until a number changes. std::atomic::wait would leave the core several times before it sleeps:
// where more threads run than there are cores, each time costs a slice of somebody else's.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <climits>

namespace lq::testing {

static_assert(sizeof(std::atomic<int>) == sizeof(int));
inline void sleep_while(std::atomic<int>& door, int value) {
  while (door.load() == value) ::syscall(SYS_futex, &door, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
}
inline void wake_all(std::atomic<int>& door) {
  ::syscall(SYS_futex, &door, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace lq::testing
