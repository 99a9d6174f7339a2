// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include <limequat/interrupt.hpp>

#include "base/interruption.hpp"

namespace lq {
namespace {

int ask_program(void* check) { return reinterpret_cast<bool (*)() noexcept>(check)() ? 1 : 0; }

}  // namespace

Interruptible::Interruptible(bool (*check)() noexcept) noexcept {
  const base::Interrupter before = base::set_interrupt_check(ask_program, reinterpret_cast<void*>(check));
  check_before_ = before.check;
  context_before_ = before.context;
  base::begin_call();
}
Interruptible::~Interruptible() {
  base::end_call();
  base::set_interrupt_check(check_before_, context_before_);
}

}  // namespace lq
