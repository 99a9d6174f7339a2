// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "base/interruption.hpp"

#include <cerrno>
#include <chrono>

#include <limequat/error.hpp>

#include "base/interruption_poll.hpp"

namespace lq::base {
namespace {

using Clock = std::chrono::steady_clock;

// A check may have to wait for the lock of an interpreter.
constexpr std::chrono::milliseconds between_checks{50};

struct ThreadState {
  InterruptCheck check = nullptr;
  void* context = nullptr;
  int calls = 0;  // nesting depth
  int uninterruptible = 0;
  bool is_asking = false;
  Clock::time_point ask_at;
  std::shared_ptr<std::atomic<bool>> own;  // for calls of this thread, shared with their helpers
  SharedInterruption taken_over;           // of the call that this thread helps
};

thread_local ThreadState this_thread;

bool can_be_interrupted(const ThreadState& me) noexcept { return me.calls > 0 && me.own && me.uninterruptible == 0; }

void ask(ThreadState& me) noexcept {
  if (me.is_asking || me.own->load(std::memory_order_relaxed) || Clock::now() < me.ask_at) return;
  me.is_asking = true;  // the check itself may call the library
  if (me.check(me.context) != 0) me.own->store(true, std::memory_order_relaxed);
  me.is_asking = false;
  me.ask_at = Clock::now() + between_checks;
}

}  // namespace

Interrupter set_interrupt_check(InterruptCheck check, void* context) noexcept {
  const Interrupter before{this_thread.check, this_thread.context};
  this_thread.check = check;
  this_thread.context = context;
  return before;
}

void begin_call() noexcept {
  ThreadState& me = this_thread;
  if (me.calls++ > 0) return;
  if (me.check == nullptr) {
    me.own.reset();
    return;
  }
  me.ask_at = Clock::now() + between_checks;
  if (me.own && !me.own->load(std::memory_order_relaxed)) return;
  try {
    me.own = std::make_shared<std::atomic<bool>>(false);  // threads of the call that was interrupted keep theirs
  } catch (...) {
    me.own.reset();  // without memory for a flag the call runs to its end
  }
}

void end_call() noexcept { --this_thread.calls; }

bool is_interrupted() noexcept {
  ThreadState& me = this_thread;
  if (can_be_interrupted(me)) {
    if (me.check != nullptr) ask(me);
    return me.own->load(std::memory_order_relaxed);
  }
  return me.uninterruptible == 0 && me.taken_over && me.taken_over->load(std::memory_order_relaxed);
}

void poll_for_interruption() noexcept { (void)is_interrupted(); }

void throw_if_interrupted() {
  if (!is_interrupted()) return;
  throw Error(Code::io, "the program interrupted the call, which left its work unfinished",
              {.system_errno = ECANCELED});
}

std::exception_ptr interruption() noexcept {
  try {
    throw_if_interrupted();
    return nullptr;
  } catch (...) {
    return std::current_exception();
  }
}

bool may_be_interrupted() noexcept { return can_be_interrupted(this_thread); }

SharedInterruption interruption_of_this_call() noexcept {
  const ThreadState& me = this_thread;
  if (me.uninterruptible > 0) return nullptr;
  return me.calls > 0 ? SharedInterruption(me.own) : me.taken_over;
}

void take_over(SharedInterruption of_a_call) noexcept { this_thread.taken_over = std::move(of_a_call); }

Uninterruptible::Uninterruptible() noexcept { ++this_thread.uninterruptible; }
Uninterruptible::~Uninterruptible() { --this_thread.uninterruptible; }

}  // namespace lq::base
