// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A function of a caller in C may want the work to end which calls it: it cannot throw, so it asks.
#pragma once

namespace lq::options {

// Local. Asked within a function that this thread is in.
void ask_to_stop() noexcept;
void forget_stop() noexcept;
// Local. io with ECANCELED where it was asked since it was forgotten.
void throw_if_stopped();

// Local. call(arguments...), and the end of the work where it asked for that.
template <class Call, class... Arguments>
void call_or_stop(Call* call, Arguments... arguments) {
  forget_stop();
  call(arguments...);
  throw_if_stopped();
}

}  // namespace lq::options
