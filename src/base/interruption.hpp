// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Calls of the library that end early because the program wants it: an interpreter that was interrupted from the
// keyboard, for example. The thread of the call asks the program now and then; the threads that help it see the answer.
// Whoever loops over much work looks here; reads of files and steps of transfers do.
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

// Non-zero: the call is to end. May not throw.
using InterruptCheck = int (*)(void* context);

struct Interrupter {
  InterruptCheck check = nullptr;
  void* context = nullptr;
};

// Local. From now on the calls of this thread ask `check` some times a second; nullptr: nobody. Returns who was asked
// before.
Interrupter set_interrupt_check(InterruptCheck check, void* context) noexcept;

// A call that may be interrupted begins and ends. One within another, made by a function of the program's that is told
// of the work, is a part of that.
void begin_call() noexcept;
void end_call() noexcept;

// Local, on the thread of a call and on those that help it. Once it is so it stays so until the call ends.
bool is_interrupted() noexcept;
// io with ECANCELED where that is so.
LQ_INNER void throw_if_interrupted();
std::exception_ptr interruption() noexcept;
// Whether it is worth looking while this thread waits for others.
LQ_INNER bool may_be_interrupted() noexcept;

// What a new thread takes over from the one that makes it.
using SharedInterruption = std::shared_ptr<const std::atomic<bool>>;
LQ_INNER SharedInterruption interruption_of_this_call() noexcept;
LQ_INNER void take_over(SharedInterruption of_a_call) noexcept;

// What is done while this lives outlasts the call, or puts right what was begun: nobody interrupts it.
class Uninterruptible {
 public:
  Uninterruptible() noexcept;
  ~Uninterruptible();
  Uninterruptible(const Uninterruptible&) = delete;
  Uninterruptible& operator=(const Uninterruptible&) = delete;
};

// Threads of the library's own in somebody else's program: its signals (timers, requests to end, what batch systems
// send) go to its own threads, whose handlers expect them. What a thread does wrong itself stays its own.

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
