// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Threads of the library's own in somebody else's program: its signals (timers, requests to end, what batch systems
// send) go to its own threads, whose handlers expect them. What a thread does wrong itself stays its own.
#pragma once

#include <pthread.h>
#include <signal.h>

#include <thread>
#include <utility>

#include "base/interruption.hpp"

namespace lq::base {

// No signal that comes from outside is delivered to this thread, nor to those that it starts, while this lives.
class SignalsBlocked {
 public:
  SignalsBlocked() noexcept {
    sigset_t blocked;
    sigfillset(&blocked);
    for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS}) sigdelset(&blocked, own);
    ::pthread_sigmask(SIG_BLOCK, &blocked, &before_);
  }
  ~SignalsBlocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

// It ends with the call that makes it, where that is interrupted. Throws as std::thread does.
template <class Work>
std::thread start_quiet_thread(Work&& work) {
  const SignalsBlocked blocked;  // the new thread begins with the mask of this one
  return std::thread([work = std::forward<Work>(work), call = interruption_of_this_call()]() mutable {
    take_over(std::move(call));
    work();
  });
}

}  // namespace lq::base
