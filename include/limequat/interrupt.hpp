// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Calls that end early because the program was told to end, by Ctrl-C for example.
#pragma once

#include <limequat/language.hpp>

#include <limequat/version.hpp>

namespace lq {

// While it lives, calls of this thread ask `check` some times a second. Once it has said true they end with io, whose
// errno is ECANCELED, until it is gone: on all ranks of the call, though one alone says so. No new file appears, and an
// existing one is left as it was. `check` may not throw, and is called on this thread. For C: lq_check_interrupts().
class LQ_API Interruptible {
 public:
  // Local.
  explicit Interruptible(bool (*check)() noexcept) noexcept;
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

 private:
  int (*check_before_)(void* context);
  void* context_before_;
};

}  // namespace lq
