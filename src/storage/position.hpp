// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Where in a file an operation works: the bounds of positions, and errors that tell them.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include <limequat/error.hpp>

namespace lq::storage {

// Files end at 2^63 - 1: positions are signed in every system interface.
inline constexpr std::uint64_t largest_position = std::numeric_limits<std::int64_t>::max();

// Error(too_large) unless [offset, offset + bytes) lies within what a file can hold. `verb`: "write", "read".
void require_position(const std::string& path, const std::string& verb, std::uint64_t offset, std::uint64_t bytes);

// The error of the system for "VERB BYTES bytes at byte OFFSET", with path, offset and errno.
Error position_error(const std::string& path, const std::string& verb, std::uint64_t offset, std::uint64_t bytes,
                     int system_errno);

// "PATH: cannot open: is a FIFO, expected a regular file"; Error(io). `what` with its article.
Error not_regular(const std::string& path, const std::string& what, int system_errno);

}  // namespace lq::storage
