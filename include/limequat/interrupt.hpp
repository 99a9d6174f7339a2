// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Early end of calls, for example after Ctrl-C.
#pragma once

#include <limequat/language.hpp>

#include <limequat/version.hpp>

namespace lq {

// While an object exists, calls of this thread call `check` several times per second. If it returns true on any rank,
// the call ends with io and errno ECANCELED on all ranks, and so do later calls until the object is destroyed. No new
// file appears, and an existing one is unchanged. `check` must not throw. For C: lq_check_interrupts().
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
