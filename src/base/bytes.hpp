// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Bytes and integers of fixed byte order, by shifts: correct on any host, without #if.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace lq::base {

inline constexpr std::uint64_t kibi = 1024;
inline constexpr std::uint64_t mebi = 1024 * kibi;
inline constexpr std::uint64_t gibi = 1024 * mebi;

using Bytes = std::span<const std::byte>;
using MutableBytes = std::span<std::byte>;

template <std::unsigned_integral T>
constexpr T load_be(const std::byte* p) noexcept {
  T value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) value = static_cast<T>((value << 8) | static_cast<T>(p[i]));
  return value;
}

template <std::unsigned_integral T>
constexpr void store_be(std::byte* p, T value) noexcept {
  for (std::size_t i = 0; i < sizeof(T); ++i) p[i] = static_cast<std::byte>(value >> (8 * (sizeof(T) - 1 - i)));
}

template <std::unsigned_integral T>
constexpr T load_le(const std::byte* p) noexcept {
  T value = 0;
  for (std::size_t i = sizeof(T); i-- > 0;) value = static_cast<T>((value << 8) | static_cast<T>(p[i]));
  return value;
}

template <std::unsigned_integral T>
constexpr void store_le(std::byte* p, T value) noexcept {
  for (std::size_t i = 0; i < sizeof(T); ++i) p[i] = static_cast<std::byte>(value >> (8 * i));
}

inline Bytes as_bytes(std::string_view text) noexcept {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}
inline std::string_view as_text(Bytes bytes) noexcept {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Appends integers of fixed byte order to a vector of bytes.

template <std::unsigned_integral T>
void append_le(std::vector<std::byte>& bytes, T value) {
  bytes.resize(bytes.size() + sizeof(T));
  store_le<T>(bytes.data() + bytes.size() - sizeof(T), value);
}

template <std::unsigned_integral T>
void append_be(std::vector<std::byte>& bytes, T value) {
  bytes.resize(bytes.size() + sizeof(T));
  store_be<T>(bytes.data() + bytes.size() - sizeof(T), value);
}

}  // namespace lq::base
