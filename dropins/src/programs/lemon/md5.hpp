// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// MD5 (RFC 1321): not to keep secrets, except for a second opinion on bytes that were written and read.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace lq::programs {

using Md5 = std::array<std::uint8_t, 16>;

Md5 md5_of(std::span<const std::byte> bytes);

}  // namespace lq::programs
