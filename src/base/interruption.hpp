// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Calls of the library that end early because the program wants it: an interpreter that was interrupted from the
// keyboard, for example. The thread of the call asks the program now and then; the threads that help it see the answer.
// Whoever loops over much work looks here; reads of files and steps of transfers do.
#pragma once

#include <atomic>
#include <exception>
#include <memory>

#include "base/inner.hpp"

namespace lq::base {

// Non-zero: the call is to end. May not throw.
using InterruptCheck = int (*)(void* context);

// Local. From now on the calls of this thread ask `check` some times a second; nullptr: nobody.
void set_interrupt_check(InterruptCheck check, void* context) noexcept;

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

}  // namespace lq::base
