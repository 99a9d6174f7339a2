// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Calls of the library that end early at the program's request, for example when an interpreter is interrupted from the
// keyboard. The thread of the call polls the program from time to time; its helper threads see the result. Long loops,
// reads of files and steps of transfers check here.
#pragma once

#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <exception>
#include <memory>
#include <thread>
#include <utility>

#include "base/inner.hpp"

namespace lq::base {

// Non-zero: the call should end. Must not throw.
using InterruptCheck = int (*)(void* context);

struct Interrupter {
  InterruptCheck check = nullptr;
  void* context = nullptr;
};

// Local. From now on the calls of this thread poll `check` some times a second; nullptr: none. Returns the previous
// check.
Interrupter set_interrupt_check(InterruptCheck check, void* context) noexcept;

// Begins and ends a call that may be interrupted. A nested call, made by a callback of the program, is part of the
// outer one.
void begin_call() noexcept;
void end_call() noexcept;

// Local, on the thread of a call and on its helpers. Once true, it stays true until the call ends.
bool is_interrupted() noexcept;
// Throws io with ECANCELED if interrupted.
LQ_INNER void throw_if_interrupted();
std::exception_ptr interruption() noexcept;
// True if this thread should poll while it waits for others.
LQ_INNER bool may_be_interrupted() noexcept;

// The state that a new thread takes over from its creator.
using SharedInterruption = std::shared_ptr<const std::atomic<bool>>;
LQ_INNER SharedInterruption interruption_of_this_call() noexcept;
LQ_INNER void take_over(SharedInterruption of_a_call) noexcept;

// While it exists, the call cannot be interrupted: for work that outlives the call, or that repairs an incomplete step.
class Uninterruptible {
 public:
  Uninterruptible() noexcept;
  ~Uninterruptible();
  Uninterruptible(const Uninterruptible&) = delete;
  Uninterruptible& operator=(const Uninterruptible&) = delete;
};

// Library threads run in the user's program. The program's signals (timers, termination requests, signals of batch
// systems) must go to its own threads, whose handlers expect them. Faults of a thread itself are still delivered to it.

// While it exists, no external signal is delivered to this thread or to threads that it starts.
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

// Ends early if the call that creates it is interrupted. Throws as std::thread does.
template <class Work>
std::thread start_thread_signals_blocked(Work&& work) {
  const SignalsBlocked blocked;  // the new thread begins with the mask of this one
  return std::thread([work = std::forward<Work>(work), call = interruption_of_this_call()]() mutable {
    take_over(std::move(call));
    work();
  });
}

}  // namespace lq::base
