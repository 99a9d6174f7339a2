// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Lustre's structures are little-endian:
//   plain      magic u32, pattern u32, object 16 bytes, stripe size u32, stripe count u16, ...
//   composite  magic u32, size u32, generation u32, flags u16, entries u16, 16 bytes; then per entry 48 bytes: id u32,
//              flags u32, extent 16 bytes, offset u32, size u32, ...; at offset a plain layout of that size
#include "machine/layout.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace lq::machine {
namespace {

constexpr std::uint32_t lustre_plain_1 = 0x0BD10BD0;
constexpr std::uint32_t lustre_plain_3 = 0x0BD30BD0;
constexpr std::uint32_t lustre_composite = 0x0BD60BD0;
constexpr std::size_t plain_bytes = 32;
constexpr std::size_t composite_bytes = 32;
constexpr std::size_t entry_bytes = 48;
constexpr std::uint16_t all_servers = 0xffff;

std::optional<Layout> parse_plain(base::Bytes bytes) {
  if (bytes.size() < plain_bytes) return std::nullopt;
  const auto magic = base::load_le<std::uint32_t>(bytes.data());
  if (magic != lustre_plain_1 && magic != lustre_plain_3) return std::nullopt;
  const auto stripe = base::load_le<std::uint32_t>(bytes.data() + 24);
  const auto count = base::load_le<std::uint16_t>(bytes.data() + 28);
  if (stripe == 0) return std::nullopt;  // "the default"
  return Layout{stripe, count == all_servers ? std::uint64_t{0} : count};
}

std::optional<Layout> parse_composite(base::Bytes bytes) {
  const auto entries = base::load_le<std::uint16_t>(bytes.data() + 14);
  std::optional<Layout> largest;
  for (std::size_t i = 0; i < entries; ++i) {
    const std::size_t at = composite_bytes + i * entry_bytes;
    if (at + entry_bytes > bytes.size()) return largest;
    const auto offset = base::load_le<std::uint32_t>(bytes.data() + at + 24);
    const auto size = base::load_le<std::uint32_t>(bytes.data() + at + 28);
    if (offset > bytes.size() || size > bytes.size() - offset) continue;
    const std::optional<Layout> part = parse_plain(bytes.subspan(offset, size));
    if (!part) continue;
    if (!largest) largest = Layout{};
    largest->stripe_bytes = std::max(largest->stripe_bytes, part->stripe_bytes);
    largest->stripe_count = std::max(largest->stripe_count, part->stripe_count);
  }
  return largest;
}

}  // namespace

std::optional<Layout> parse_lustre_layout(base::Bytes attribute) {
  if (attribute.size() < plain_bytes) return std::nullopt;
  if (base::load_le<std::uint32_t>(attribute.data()) == lustre_composite) return parse_composite(attribute);
  return parse_plain(attribute);
}

std::optional<Layout> parse_ceph_layout(std::string_view stripe_unit, std::string_view stripe_count) {
  const std::optional<std::uint64_t> unit = base::parse_u64(base::trim(stripe_unit));
  if (!unit || *unit == 0) return std::nullopt;
  return Layout{*unit, base::parse_u64(base::trim(stripe_count)).value_or(0)};
}

std::optional<Layout> parse_orangefs_layout(std::string_view parameters, std::string_view files) {
  constexpr std::string_view key = "strip_size";
  const std::size_t at = parameters.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view number = parameters.substr(at + key.size());
  number.remove_prefix(std::min(number.find_first_of("0123456789"), number.size()));
  number = number.substr(0, number.find_first_not_of("0123456789"));
  const std::optional<std::uint64_t> stripe = base::parse_u64(number);
  if (!stripe || *stripe == 0) return std::nullopt;
  return Layout{*stripe, base::parse_u64(base::trim(files)).value_or(0)};
}

}  // namespace lq::machine
