// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A process that can make only a few threads: address space for their stacks is what runs out for whoever runs as root,
// too.
#pragma once

#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "support/sanitizers.hpp"

namespace lq::testing {

// The sanitizers map the address space that would have to be limited.
inline constexpr bool can_limit_threads = !has_address_sanitizer && !has_thread_sanitizer;

// What work() returns in a child that cannot make hundreds of threads; false, too, where it dies.
template <class Work>
bool with_few_threads(const Work& work) {
  const pid_t child = ::fork();
  if (child == 0) {
#ifdef __GLIBC__
    // Threads find memory in the heap when stacks have taken all address space: glibc ends the process where a thread
    // has none to note its destructors in.
    ::mallopt(M_ARENA_MAX, 1);
    ::mallopt(M_MMAP_THRESHOLD, 1 << 24);
    ::mallopt(M_TRIM_THRESHOLD, 1 << 30);
    std::free(std::malloc(4 << 20));
#endif
    struct rlimit limit {};
    ::getrlimit(RLIMIT_AS, &limit);
    limit.rlim_cur = 600 << 20;
    ::setrlimit(RLIMIT_AS, &limit);
    ::_exit(work() ? 0 : 1);
  }
  int status = 1;
  ::waitpid(child, &status, 0);
  return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// Threads until there can be no more: stacks of those that ended are kept for others, and need no address space. They
// sleep until the process ends.
inline void take_all_threads() {
  const auto sleep = [](void*) -> void* {
    for (;;) ::pause();
  };
  for (pthread_t one{}; ::pthread_create(&one, nullptr, sleep, nullptr) == 0;) {
  }
}

}  // namespace lq::testing
