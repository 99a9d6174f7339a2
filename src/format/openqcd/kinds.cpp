// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "format/openqcd/kinds.hpp"

#include <array>
#include <bit>
#include <cmath>

#include "base/bytes.hpp"
#include "format/flat/flat.hpp"

namespace lq::format::openqcd {
namespace {

constexpr double most_plaquette = 3;        // times the usual one: the trace is not divided by 3
constexpr std::int64_t most_extent = 4096;  // sizes fit 64 bits
constexpr std::array<int, 4> directions{3, 0, 1, 2};
constexpr std::uint64_t few_numbers = 512;  // that are looked at

// Four numbers of 32 bits for the directions t, x, y, z.
Coord numbers_at(base::Bytes start, std::size_t offset) {
  Coord numbers = Coord::filled(4, 0);
  for (std::size_t k = 0; k < directions.size(); ++k) {
    numbers[directions[k]] = static_cast<std::int32_t>(base::load_le<std::uint32_t>(&start[offset + 4 * k]));
  }
  return numbers;
}

bool are_extents(const Coord& extents) {
  for (const std::int64_t extent : extents) {
    if (extent < 2 || extent > most_extent || extent % 2 != 0) return false;
  }
  return true;
}

bool is_block_of(const Place& place) {
  if (!are_extents(place.block)) return false;
  for (int d = 0; d < 4; ++d) {
    const std::int64_t lower = place.lower[d], block = place.block[d], all = place.extents[d];
    if (all % block != 0 || lower < 0 || lower >= all || lower % block != 0) return false;
  }
  return true;
}

std::optional<Place> place_of(base::ByteSource& file, bool is_block) {
  std::array<std::byte, 48> start{};
  const std::size_t length = is_block ? 48 : 16;
  if (file.read_at(0, base::MutableBytes(start).first(length)) < length) return {};
  Place place{numbers_at(start, 0)};
  if (!are_extents(place.extents)) return {};
  if (!is_block) return place;
  place.block = numbers_at(start, 16);
  place.lower = numbers_at(start, 32);
  return is_block_of(place) ? std::optional(place) : std::nullopt;
}

// A sum over all data of what is not below 0 cannot be below that of the first numbers.
bool can_be_sum(base::ByteSource& file, std::uint64_t data, Kind kind, double stated) {
  double sum = 0;
  for (std::uint64_t at = data, k = 0; k < few_numbers && at + 8 <= file.size(); at += 8, ++k) {
    const double number = real_at(file, at);
    if (std::isfinite(number)) sum += number * number;
  }
  // The action of momenta counts every square at least twice (formats/openqcd.md 5).
  const double least = kind == Kind::momenta ? 2 * sum : sum;
  // Data with numbers that are none have no sum either.
  return std::isnan(stated) || (std::isfinite(stated) && stated > 0 && least <= stated * (1 + 1e-9));
}

// Of the order of one, give or take: numbers of any size are noise.
bool are_angles(base::ByteSource& file, std::uint64_t data) {
  constexpr double least = 1e-30, most = 1e6;
  for (std::uint64_t at = data, k = 0; k < few_numbers && at + 8 <= file.size(); at += 8, ++k) {
    const double angle = std::abs(real_at(file, at));
    if (!(angle == 0 || (angle >= least && angle <= most))) return false;
  }
  return true;
}

// Whether a field of that kind can begin at a byte of the file.
bool fits(base::ByteSource& file, Kind kind, std::uint64_t begin) {
  const std::uint64_t data = begin + head_bytes(kind);
  const double value = real_at(file, data - 8);
  if (kind == Kind::gauge) return std::abs(value) <= most_plaquette;
  if (kind == Kind::u1) return std::abs(value) <= 1 && are_angles(file, data);
  return can_be_sum(file, data, kind, value);
}

struct Holding {
  std::vector<Kind> kinds;
  bool even_only = false;
  bool in_blocks = true;  // too
};

const std::vector<Holding>& possible_contents() {
  static const std::vector<Holding> all{{{Kind::gauge}},
                                        {{Kind::spinor}},
                                        {{Kind::spinor}, true},
                                        {{Kind::old_spinor}, false, false},
                                        {{Kind::momenta}},
                                        {{Kind::u1}, false, false},
                                        {{Kind::gauge, Kind::u1}, false, false}};
  return all;
}

bool holds(base::ByteSource& file, const Place& place, const Holding& contents) {
  if (place.is_block() && !contents.in_blocks) return false;
  std::uint64_t end = place.header_bytes();
  for (const Kind kind : contents.kinds) {
    end += head_bytes(kind) + site_bytes(kind) * place.sites() / (contents.even_only ? 2 : 1);
  }
  if (end != file.size()) return false;
  std::uint64_t begin = place.header_bytes();
  for (const Kind kind : contents.kinds) {
    if (!fits(file, kind, begin)) return false;
    begin += head_bytes(kind) + site_bytes(kind) * place.sites();
  }
  return true;
}

}  // namespace

SiteOrder site_order() { return {2, 1, 0, 3}; }

std::uint64_t head_bytes(Kind kind) noexcept { return kind == Kind::spinor ? 12 : 8; }

std::uint64_t site_bytes(Kind kind) noexcept {
  switch (kind) {
    case Kind::gauge:
      return 576;
    case Kind::momenta:
      return 256;
    case Kind::u1:
      return 32;
    case Kind::spinor:
    case Kind::old_spinor:
      break;
  }
  return 192;
}

Payload payload_of(const Extents& extents, Kind kind) {
  Payload payload;
  payload.extents = extents;
  payload.stored = whole(extents);
  payload.order = site_order();
  payload.byte_order = ByteOrder::little;
  const std::uint64_t numbers = site_bytes(kind) / 8;
  if (kind == Kind::spinor || kind == Kind::old_spinor) {
    payload.spec = spinor_spec(Precision::double_);
  } else {
    payload.spec =
        kind == Kind::gauge ? gauge_spec(Precision::double_, 3, 4) : generic_spec(Precision::double_, numbers, false);
    payload.codec.order =
        flat::link_order({directions.begin(), directions.end()}, static_cast<std::uint32_t>(numbers / 4));
    payload.at_odd_points = true;
  }
  payload.spec.numbers = numbers;
  return payload;
}

double real_at(base::ByteSource& file, std::uint64_t offset) {
  std::array<std::byte, 8> bytes{};
  file.read_at(offset, bytes);
  return std::bit_cast<double>(base::load_le<std::uint64_t>(bytes.data()));
}

std::optional<Seen> look(base::ByteSource& file) {
  for (const bool is_block : {false, true}) {
    const auto place = place_of(file, is_block);
    if (!place) continue;
    for (const Holding& contents : possible_contents()) {
      if (holds(file, *place, contents)) return Seen{*place, contents.kinds, contents.even_only};
    }
  }
  return {};
}

}  // namespace lq::format::openqcd
