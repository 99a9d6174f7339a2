// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The 144 bytes before every LIME record (formats/lime.md 2), and recognition of damaged
// types.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <limequat/catalog.hpp>

#include "base/bytes.hpp"

namespace lq::format::lime {

inline constexpr std::size_t header_bytes = 144;
inline constexpr std::uint32_t magic = 0x456789ab;
inline constexpr std::string_view beginning = "the bytes 45 67 89 ab";  // the same as text
inline constexpr std::uint16_t version = 1;
inline constexpr std::uint8_t mb_mask = 0x80;
inline constexpr std::uint8_t me_mask = 0x40;
inline constexpr std::size_t type_offset = 16;
inline constexpr std::size_t type_bytes = 128;
inline constexpr std::size_t type_limit = 127;  // at least one NUL follows
inline constexpr std::uint64_t length_limit = 1ULL << 63;

using HeaderBytes = std::array<std::byte, header_bytes>;

struct Header {
  std::uint16_t version = lime::version;
  bool mb_flag = false;
  bool me_flag = false;
  std::uint8_t reserved_flags = 0;  // bits 5 to 0 of byte 6
  std::uint8_t reserved = 0;        // byte 7
  std::uint64_t data_length = 0;
  std::string type;               // up to the first NUL, at most 128 characters
  bool type_terminated = true;    // a NUL follows the type
  bool type_tail_is_zero = true;  // ... and only NULs follow it
};

bool has_magic(base::Bytes bytes) noexcept;  // of at least 4 bytes
// A header except for its magic number: a type of plain characters, filled with NULs, and a possible length.
bool resembles_header(base::Bytes bytes);
Header decode(std::span<const std::byte, header_bytes> bytes);
// What the header at byte `at` says of its record; its message is not known from it.
Record record_of(const Header& header, std::uint64_t at);
// invalid_argument: a type that check_type() refuses; too_large: a length of 2^63 and more.
HeaderBytes encode(const Header& header);
// The same for any type of at most 127 characters and any length.
HeaderBytes encode_unchecked(const Header& header) noexcept;

// invalid_argument unless `type` has 1 to 127 printable ASCII characters.
void check_type(std::string_view type);
// True if a text can be the type of a record.
bool is_type(std::string_view type) noexcept;

// Bytes of padding after a payload.
constexpr std::uint64_t padding(std::uint64_t data_length) noexcept { return (8 - data_length % 8) % 8; }

// Record types that were known ones before a bit or a letter was damaged (formats/lime.md 6.3).

// For the 128 bytes of a type: the known type from which it differs in one byte (two, if that has 12 letters or more),
// or in one letter that is missing or added; empty: there is none, or it is itself known.
std::string_view near_type(std::span<const std::byte, type_bytes> field, std::span<const std::string_view> known);

// invalid_argument: a user's record would be taken for a damaged one of a known type.
void require_own_type(std::string_view type);

}  // namespace lq::format::lime
