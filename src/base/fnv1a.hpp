// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// FNV-1a of 64 bits: the sum of small texts and tables in Limequat's formats (formats/modes.md 4.1).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/bytes.hpp"

namespace lq::base {

inline constexpr std::uint64_t fnv1a_prime = 0x100000001b3;

inline std::uint64_t fnv1a(Bytes bytes) noexcept {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const std::byte byte : bytes) hash = (hash ^ std::to_integer<std::uint64_t>(byte)) * fnv1a_prime;
  return hash;
}

// One byte of `bytes` that gives them the sum `sum`, and its value; empty if no byte does, or more than one.
struct ByteAt {
  std::size_t at = 0;
  std::byte value{};
};
std::optional<ByteAt> byte_for(Bytes bytes, std::uint64_t sum);

}  // namespace lq::base
