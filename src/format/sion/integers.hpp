// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Integers in the byte order of the machine that wrote a multifile (formats/sion.md 3), one by one and in tables.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <limequat/catalog.hpp>

#include "base/byte_source.hpp"
#include "base/bytes.hpp"

namespace lq::format::sion {

inline constexpr ByteOrder host_order = std::endian::native == std::endian::big ? ByteOrder::big : ByteOrder::little;

inline std::int32_t load_int32(const std::byte* p, ByteOrder order) noexcept {
  return static_cast<std::int32_t>(order == ByteOrder::big ? base::load_be<std::uint32_t>(p)
                                                           : base::load_le<std::uint32_t>(p));
}
inline std::uint64_t load_uint64(const std::byte* p, ByteOrder order) noexcept {
  return order == ByteOrder::big ? base::load_be<std::uint64_t>(p) : base::load_le<std::uint64_t>(p);
}
inline std::int64_t load_int64(const std::byte* p, ByteOrder order) noexcept {
  return static_cast<std::int64_t>(load_uint64(p, order));
}

inline void store_int32(std::byte* p, std::int32_t value, ByteOrder order) noexcept {
  const auto bits = static_cast<std::uint32_t>(value);
  order == ByteOrder::big ? base::store_be(p, bits) : base::store_le(p, bits);
}
inline void store_uint64(std::byte* p, std::uint64_t value, ByteOrder order) noexcept {
  order == ByteOrder::big ? base::store_be(p, value) : base::store_le(p, value);
}
inline void store_int64(std::byte* p, std::int64_t value, ByteOrder order) noexcept {
  store_uint64(p, static_cast<std::uint64_t>(value), order);
}

// As many of the `count` numbers at `offset` as the file holds; the caller has bounded `count`.
std::vector<std::int64_t> read_int64s(base::ByteSource& file, std::uint64_t offset, std::uint64_t count,
                                      ByteOrder order);
void store_int64s(std::byte* p, std::span<const std::int64_t> numbers, ByteOrder order) noexcept;

}  // namespace lq::format::sion
