// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "options/stop.hpp"

#include <cerrno>

#include <limequat/error.hpp>

namespace lq::options {
namespace {

thread_local bool is_asked = false;

}  // namespace

void ask_to_stop() noexcept { is_asked = true; }
void forget_stop() noexcept { is_asked = false; }

void throw_if_stopped() {
  if (!is_asked) return;
  is_asked = false;
  throw Error(Code::io, "the application stopped the operation: its callback called lq_stop()",
              {.system_errno = ECANCELED});
}

}  // namespace lq::options
