// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Any bytes as the numbers of sites: every kind of sum that a file may keep, of both precisions and byte orders, in one
// piece and in two that come in the other order; the same bytes as sites of 16 bits, of shared exponents and as links.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include <limequat/catalog.hpp>
#include <limequat/sums.hpp>

#include "answers.hpp"
#include "archive/codec/tile.hpp"
#include "engine/site_packer.hpp"
#include "kernels/pack.hpp"
#include "kernels/site_numbers.hpp"

namespace {

using namespace lq;

using fuzz::require;

constexpr std::uint64_t site_numbers = 8;  // a matrix of su(3)
constexpr SumKind kinds[] = {SumKind::scidac,        SumKind::weighted,       SumKind::nersc,  SumKind::milc,
                             SumKind::sha256,        SumKind::crc32,          SumKind::pyquda, SumKind::norm,
                             SumKind::sha256_padded, SumKind::momentum_action};

Payload payload_of(std::uint64_t sites, Precision precision, ByteOrder order) {
  Payload payload;
  payload.spec = generic_spec(precision, site_numbers, false);
  payload.extents = {1, 1, static_cast<std::int64_t>(sites)};
  payload.stored = whole(payload.extents);
  payload.byte_order = order;
  payload.tile_sites = 3;
  return payload;
}

std::vector<SumName> names() {
  std::vector<SumName> all;
  for (const SumKind kind : kinds) {
    all.push_back({kind, SumOf::field});
    all.push_back({kind, SumOf::slices});
    if (kind != SumKind::scidac && kind != SumKind::weighted) all.push_back({kind, SumOf::tiles});
  }
  return all;
}

bool is_square(SumKind kind) { return kind == SumKind::norm || kind == SumKind::momentum_action; }

// As those of all ranks are, when they have been added up.
Sums settled(const Payload& payload, engine::SiteSums& sums) {
  engine::SiteSums total(payload, names());
  total.add(sums);
  return total.values();
}

void sum(base::Bytes bytes, Precision precision, ByteOrder order) {
  const std::uint64_t bytes_of_site = site_numbers * (precision == Precision::single ? 4 : 8);
  const std::uint64_t sites = std::min<std::uint64_t>(bytes.size() / bytes_of_site, 256);
  if (sites == 0) return;
  bytes = bytes.first(static_cast<std::size_t>(sites * bytes_of_site));
  const Payload payload = payload_of(sites, precision, order);
  engine::SiteSums whole_sums(payload, names()), part_sums(payload, names());
  const engine::SitePacker packer(payload, precision, whole_sums);
  packer.sum(bytes, {0, sites, 0, 1}, whole_sums);
  const std::uint64_t half = sites / 2;
  const auto cut = static_cast<std::size_t>(half * bytes_of_site);
  packer.sum(bytes.subspan(cut), {half, sites - half, half, 1}, part_sums);
  if (half > 0) packer.sum(bytes.first(cut), {0, half, 0, 1}, part_sums);
  const Sums all = settled(payload, whole_sums), parts = settled(payload, part_sums);
  for (const SumName& name : names()) {
    const Sum *const one = all.find(name), *const other = parts.find(name);
    require(one != nullptr && other != nullptr && *one == *other, "sums do not depend on how sites come");
    if (!is_square(name.kind) || name.of != SumOf::field) continue;
    const double value = std::bit_cast<double>(std::uint64_t{one->words[0]} << 32 | one->words[1]);
    require(agree(*one, *other) == std::isfinite(value), "a norm agrees with itself if it is a number, and only then");
  }
}

template <class Number>
void convert(base::Bytes bytes, Precision precision) {
  const std::uint64_t sites = bytes.size() / sizeof(Number) / site_numbers;
  if (sites == 0) return;
  const std::vector<std::byte> memory(
      bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(sites * site_numbers * sizeof(Number)));
  constexpr auto stride = static_cast<std::ptrdiff_t>(site_numbers * sizeof(Number));
  std::vector<std::byte> words(static_cast<std::size_t>(4 * kernels::fixed16_words(site_numbers) * sites));
  std::vector<std::byte> back(memory.size());
  kernels::to_fixed16(precision, site_numbers, memory.data(), stride, sites, words.data());
  kernels::from_fixed16(precision, site_numbers, words.data(), sites, back.data(), stride);
  for (const Precision file : {Precision::single, Precision::double_}) {
    for (const bool swap : {false, true}) {
      const kernels::SiteForm form{site_numbers, precision, file, swap};
      std::vector<std::byte> packed(
          static_cast<std::size_t>(sites * site_numbers * (file == Precision::single ? 4 : 8)));
      kernels::pack_sites(form, memory.data(), stride, sites, packed.data());
      kernels::unpack_sites(form, packed.data(), sites, back.data(), stride);
      if (file == precision) require(back == memory, "numbers come back bit for bit");
    }
  }
  kernels::rebuild_second_columns(precision, back.data(), sites);
}

void squeeze(base::Bytes bytes, const archive::Numbers& of) {
  const std::size_t link = std::size_t{of.reals} * of.bytes;
  const base::Bytes links = bytes.first(bytes.size() / link * link);
  std::vector<std::byte> back(links.size());
  archive::decode_links(archive::encode_links(links, of), back, of);
  require(std::ranges::equal(back, links), "links come back bit for bit");
}

void share_exponents(base::Bytes bytes) {
  constexpr std::size_t group = 10;
  const std::size_t groups = bytes.size() / kernels::shared_exponent_bytes(group, group);
  std::vector<float> values(groups * group);
  const bool fits = kernels::decode_shared_exponents(bytes, group, values);
  require(fits == std::ranges::all_of(values, [](float x) { return std::isfinite(x); }), "odd numbers are told");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const base::Bytes bytes{reinterpret_cast<const std::byte*>(data), std::min<std::size_t>(size, 1 << 16)};
  for (const Precision precision : {Precision::single, Precision::double_}) {
    for (const ByteOrder order : {ByteOrder::little, ByteOrder::big}) sum(bytes, precision, order);
  }
  convert<float>(bytes, Precision::single);
  convert<double>(bytes, Precision::double_);
  for (const std::uint8_t reals : {std::uint8_t{18}, std::uint8_t{12}}) {
    for (const bool big : {false, true}) {
      squeeze(bytes, {reals, 8, big});
      squeeze(bytes, {reals, 4, big});
    }
  }
  share_exponents(bytes);
  return 0;
}
