// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// For steps that must go on after a failure, because others wait for this rank: the first one is kept for later.
#pragma once

#include <exception>

namespace lq::base {

// Runs `work`; what it throws becomes `failure` unless there was one before.
template <class Work>
void keep_failure(std::exception_ptr& failure, const Work& work) {
  try {
    work();
  } catch (...) {
    if (!failure) failure = std::current_exception();
  }
}

}  // namespace lq::base
