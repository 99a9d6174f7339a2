// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Errors of the operating system, translated in one place.
#pragma once

#include <string>

#include <limequat/error.hpp>

#include "base/inner.hpp"

namespace lq::base {

// ENOENT -> not_found, EACCES/EPERM/EROFS -> no_permission, ENOSPC/EDQUOT/EFBIG -> no_space, EEXIST -> exists,
// ENOMEM -> out_of_memory, everything else -> io.
Code code_of_errno(int system_errno) noexcept;

// "PATH: cannot WHAT: REASON (remedy)", with the facts.
LQ_INNER Error errno_error(const std::string& path, const std::string& what, int system_errno);

}  // namespace lq::base
