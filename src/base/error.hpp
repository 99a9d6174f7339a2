// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Errors of the operating system, translated in one place.
#pragma once

#include <exception>
#include <string>

#include <limequat/error.hpp>

#include "base/inner.hpp"

namespace lq::base {

// ENOENT -> not_found, EACCES/EPERM/EROFS -> no_permission, ENOSPC/EDQUOT/EFBIG -> no_space, EEXIST -> exists,
// ENOMEM -> out_of_memory, everything else -> io.
Code code_of_errno(int system_errno) noexcept;

// "PATH: cannot WHAT: REASON (remedy)", with the facts.
LQ_INNER Error errno_error(const std::string& path, const std::string& what, int system_errno);

// For steps that must go on after a failure, because others wait for this rank: the first one is kept for later.

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
