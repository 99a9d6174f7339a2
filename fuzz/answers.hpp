// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a target may answer to any bytes, and what must hold whatever they are: everything else escapes, and the fuzzer
// reports it.
#pragma once

#include <stdexcept>

#include <limequat/error.hpp>

namespace lq::fuzz {

inline void require(bool holds, const char* what) {
  if (!holds) throw std::logic_error(what);
}

// Errors of these codes are answers.
template <Code... answers, class Work>
void attempt(Work&& work) {
  try {
    work();
  } catch (const Error& error) {
    if (!((error.code() == answers) || ...)) throw;
  }
}

}  // namespace lq::fuzz
