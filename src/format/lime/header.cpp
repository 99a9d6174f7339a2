// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "format/lime/header.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "format/format.hpp"

namespace lq::format::lime {

bool has_magic(base::Bytes bytes) noexcept {
  return bytes.size() >= 4 && base::load_be<std::uint32_t>(bytes.data()) == magic;
}

bool resembles_header(base::Bytes bytes) {
  if (bytes.size() < header_bytes) return false;
  const Header header = decode(bytes.first<header_bytes>());
  const bool plain = std::ranges::all_of(header.type, [](char c) { return c > ' ' && c < 0x7f; });
  return plain && !header.type.empty() && header.type_terminated && header.type_tail_is_zero &&
         header.data_length < length_limit;
}

Header decode(std::span<const std::byte, header_bytes> bytes) {
  const std::byte* p = bytes.data();
  const auto flags = static_cast<std::uint8_t>(p[6]);
  Header header;
  header.version = base::load_be<std::uint16_t>(p + 4);
  header.mb_flag = (flags & mb_mask) != 0;
  header.me_flag = (flags & me_mask) != 0;
  header.reserved_flags = flags & 0x3f;
  header.reserved = static_cast<std::uint8_t>(p[7]);
  header.data_length = base::load_be<std::uint64_t>(p + 8);
  const base::Bytes field = bytes.subspan(type_offset, type_bytes);
  const auto end = std::find(field.begin(), field.end(), std::byte{0});
  header.type = base::as_text(field.first(static_cast<std::size_t>(end - field.begin())));
  header.type_terminated = end != field.end();
  header.type_tail_is_zero = std::all_of(end, field.end(), [](std::byte b) { return b == std::byte{0}; });
  return header;
}

Record record_of(const Header& header, std::uint64_t at) {
  Record record;
  record.type = header.type;
  record.mb_flag = header.mb_flag;
  record.me_flag = header.me_flag;
  record.header_offset = at;
  record.offset = at + header_bytes;
  record.data_length = header.data_length;
  return record;
}

HeaderBytes encode(const Header& header) {
  check_type(header.type);
  if (header.data_length >= length_limit) {
    base::fail(Code::too_large, {.record = header.type},
               "record \"{}\": {} bytes do not fit a LIME record, whose length is below 2^63", header.type,
               header.data_length);
  }
  return encode_unchecked(header);
}

HeaderBytes encode_unchecked(const Header& header) noexcept {
  HeaderBytes bytes{};
  base::store_be(bytes.data(), magic);
  base::store_be(bytes.data() + 4, header.version);
  const unsigned flags =
      (header.mb_flag ? mb_mask : 0U) | (header.me_flag ? me_mask : 0U) | (header.reserved_flags & 0x3fU);
  bytes[6] = static_cast<std::byte>(flags);
  bytes[7] = static_cast<std::byte>(header.reserved);
  base::store_be(bytes.data() + 8, header.data_length);
  std::ranges::copy(base::as_bytes(header.type).first(std::min(header.type.size(), type_limit)),
                    bytes.begin() + type_offset);
  return bytes;
}

bool is_type(std::string_view type) noexcept {
  const bool printable = std::ranges::all_of(type, [](char c) { return c >= ' ' && c < 0x7f; });
  return printable && !type.empty() && type.size() <= type_limit;
}

void check_type(std::string_view type) {
  if (is_type(type)) return;
  const std::string shown = base::printable(type);
  base::fail(Code::invalid_argument,
             {.record = shown, .expected = fmt::format("1 to {} ASCII characters", type_limit), .found = shown},
             "record type \"{}\" has {} characters; choose 1 to {} printable ASCII characters", shown, type.size(),
             type_limit);
}

namespace {

// Also if such a byte is a NUL, which ends the type early.
std::size_t differing_bytes(std::string_view field, std::string_view type) noexcept {
  std::size_t differing = 0;
  for (std::size_t i = 0; i < field.size(); ++i) differing += field[i] != (i < type.size() ? type[i] : '\0') ? 1 : 0;
  return differing;
}

}  // namespace

std::string_view near_type(std::span<const std::byte, type_bytes> field, std::span<const std::string_view> known) {
  const std::string_view bytes = base::as_text(field);
  const std::string_view type = bytes.substr(0, bytes.find('\0'));
  if (std::ranges::find(known, type) != known.end()) return {};
  constexpr std::size_t long_type = 12;  // which no other one resembles by accident
  for (const std::size_t most : {1U, 2U}) {
    const auto near = std::ranges::find_if(known, [&](std::string_view right) {
      if (most > 1 && right.size() < long_type) return false;
      return differing_bytes(bytes, right) <= most || (most == 1 && base::one_edit_apart(type, right));
    });
    if (near != known.end()) return *near;
  }
  return {};
}

void require_own_type(std::string_view type) {
  const HeaderBytes header = encode({.type = std::string(type)});
  const auto field = std::span(header).subspan<type_offset, type_bytes>();
  const std::string_view near = near_type(field, known_record_types());
  if (near.empty()) return;
  base::fail(Code::invalid_argument, {.record = std::string(type)},
             "record type \"{}\" is one or two letters away from \"{}\", so readers would take it for a damaged one; "
             "choose another name",
             type, near);
}

}  // namespace lq::format::lime
