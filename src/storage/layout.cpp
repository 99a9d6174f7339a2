// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Lustre's structures are little-endian:
//   plain      magic u32, pattern u32, object 16 bytes, stripe size u32, stripe count u16, first server u16;
//              version 3: pool, 16 characters
//   composite  magic u32, size u32, generation u32, flags u16, entries u16, 16 bytes; then per entry 48 bytes: id u32,
//              flags u32, extent 16 bytes, offset u32, size u32, ...; at offset a plain layout of that size
#include "storage/layout.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "base/text.hpp"

namespace lq::storage {
namespace {

constexpr std::uint32_t lustre_plain_1 = 0x0BD10BD0;
constexpr std::uint32_t lustre_plain_3 = 0x0BD30BD0;
constexpr std::uint32_t lustre_composite = 0x0BD60BD0;
constexpr std::uint32_t raid_0 = 1;
constexpr std::size_t plain_bytes = 32, pool_bytes = 16;
constexpr std::size_t composite_bytes = 32;
constexpr std::size_t entry_bytes = 48;
constexpr std::uint16_t all_servers = 0xffff, any_server = 0xffff;

std::string pool_in(base::Bytes bytes) {
  const std::string_view text = base::as_text(bytes);
  return std::string(text.substr(0, text.find('\0')));
}

std::optional<Layout> parse_plain(base::Bytes bytes) {
  if (bytes.size() < plain_bytes) return std::nullopt;
  const auto magic = base::load_le<std::uint32_t>(bytes.data());
  if (magic != lustre_plain_1 && magic != lustre_plain_3) return std::nullopt;
  const auto stripe = base::load_le<std::uint32_t>(bytes.data() + 24);
  const auto count = base::load_le<std::uint16_t>(bytes.data() + 28);
  if (stripe == 0) return std::nullopt;  // "the default"
  Layout layout;
  layout.stripe_bytes = stripe;
  layout.stripe_count = count == all_servers ? 0 : count;
  if (magic == lustre_plain_3 && bytes.size() >= plain_bytes + pool_bytes) {
    layout.pool = pool_in(bytes.subspan(plain_bytes, pool_bytes));
  }
  return layout;
}

std::optional<Layout> parse_composite(base::Bytes bytes) {
  const auto entries = base::load_le<std::uint16_t>(bytes.data() + 14);
  Layout largest;
  largest.is_progressive = true;
  for (std::size_t i = 0; i < entries; ++i) {
    const std::size_t at = composite_bytes + i * entry_bytes;
    if (at + entry_bytes > bytes.size()) break;
    const auto offset = base::load_le<std::uint32_t>(bytes.data() + at + 24);
    const auto size = base::load_le<std::uint32_t>(bytes.data() + at + 28);
    if (offset > bytes.size() || size > bytes.size() - offset) continue;
    const std::optional<Layout> part = parse_plain(bytes.subspan(offset, size));
    if (!part) continue;
    largest.stripe_bytes = std::max(largest.stripe_bytes, part->stripe_bytes);
    largest.stripe_count = std::max(largest.stripe_count, part->stripe_count);
    largest.pool = part->pool;
  }
  return largest;
}

// The value of "key=value" among words.
std::string_view value_of(std::string_view key, const std::vector<std::string_view>& words) {
  for (const std::string_view word : words) {
    if (word.size() > key.size() && word.starts_with(key) && word[key.size()] == '=')
      return word.substr(key.size() + 1);
  }
  return {};
}

}  // namespace

std::optional<Layout> parse_lustre_layout(base::Bytes attribute) {
  if (attribute.size() < plain_bytes) return std::nullopt;
  if (base::load_le<std::uint32_t>(attribute.data()) == lustre_composite) return parse_composite(attribute);
  return parse_plain(attribute);
}

std::vector<std::byte> lustre_layout(std::uint64_t stripe_count, std::uint64_t stripe_bytes, std::string_view pool) {
  std::vector<std::byte> bytes(plain_bytes + (pool.empty() ? 0 : pool_bytes));
  base::store_le<std::uint32_t>(bytes.data(), pool.empty() ? lustre_plain_1 : lustre_plain_3);
  base::store_le<std::uint32_t>(bytes.data() + 4, raid_0);
  base::store_le<std::uint32_t>(bytes.data() + 24, static_cast<std::uint32_t>(stripe_bytes));
  base::store_le<std::uint16_t>(bytes.data() + 28,
                                static_cast<std::uint16_t>(std::min<std::uint64_t>(stripe_count, all_servers)));
  base::store_le<std::uint16_t>(bytes.data() + 30, any_server);
  if (!pool.empty()) std::memcpy(bytes.data() + plain_bytes, pool.data(), std::min(pool.size(), pool_bytes));
  return bytes;
}

std::optional<Layout> parse_ceph_layout(std::string_view text) {
  const std::vector<std::string_view> words = base::split_words(base::trim(text));
  const auto number = [&](std::string_view key) { return base::parse_u64(value_of(key, words)).value_or(0); };
  Layout layout;
  layout.stripe_bytes = number("stripe_unit");
  if (layout.stripe_bytes == 0) return std::nullopt;
  layout.stripe_count = number("stripe_count");
  layout.object_bytes = number("object_size");
  layout.pool = value_of("pool", words);
  return layout;
}

std::string ceph_layout(std::uint64_t stripe_count, std::uint64_t stripe_bytes, std::uint64_t object_bytes) {
  return fmt::format("stripe_unit={} stripe_count={} object_size={}", stripe_bytes, stripe_count, object_bytes);
}

std::optional<Layout> parse_beegfs_stripes(const BeegfsStripes& answer) {
  std::uint32_t chunk = 0;
  std::uint16_t targets = 0;
  std::memcpy(&chunk, answer.data() + 4, sizeof chunk);
  std::memcpy(&targets, answer.data() + 8, sizeof targets);
  if (chunk == 0) return std::nullopt;
  Layout layout;
  layout.stripe_bytes = chunk;
  layout.stripe_count = targets;
  return layout;
}

std::vector<std::string> parse_gluster_bricks(std::string_view pathinfo) {
  constexpr std::string_view begin = "<POSIX(", middle = "):";
  std::vector<std::string> hosts;
  for (std::size_t at = pathinfo.find(begin); at != std::string_view::npos; at = pathinfo.find(begin, at)) {
    at += begin.size();
    const std::size_t host = pathinfo.find(middle, at);
    if (host == std::string_view::npos) break;
    at = host + middle.size();
    const std::size_t end = pathinfo.find(':', at);
    if (end == std::string_view::npos) break;
    hosts.emplace_back(pathinfo.substr(at, end - at));
  }
  return hosts;
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
  Layout layout;
  layout.stripe_bytes = *stripe;
  layout.stripe_count = base::parse_u64(base::trim(files)).value_or(0);
  return layout;
}

}  // namespace lq::storage
