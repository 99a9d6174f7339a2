// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The ceiling: all ranks write (read) their share of one file with plain positioned calls of 1 MiB.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace bench {

// The file must not exist yet, or be opened by several ranks at once, which is all right.
void raw_write(const std::string& path, std::uint64_t offset, std::span<const std::byte> bytes);
void raw_read(const std::string& path, std::uint64_t offset, std::span<std::byte> bytes);

}  // namespace bench
