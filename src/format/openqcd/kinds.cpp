// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "format/openqcd/openqcd_format.hpp"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "base/bytes.hpp"
#include "base/error.hpp"
#include "format/flat/flat.hpp"
#include "lattice/site_order.hpp"

namespace lq::format::openqcd {
namespace {

constexpr double most_plaquette = 3;        // times the usual one: the trace is not divided by 3
constexpr std::int64_t most_extent = 4096;  // so that sizes fit 64 bits
constexpr std::array<int, 4> directions{3, 0, 1, 2};
constexpr std::uint64_t few_numbers = 512;  // to inspect

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

// A sum over all data of nonnegative terms cannot be less than that of the first numbers.
bool can_be_sum(base::ByteSource& file, std::uint64_t data, Kind kind, double stated) {
  double sum = 0;
  for (std::uint64_t at = data, k = 0; k < few_numbers && at + 8 <= file.size(); at += 8, ++k) {
    const double number = real_at(file, at);
    if (std::isfinite(number)) sum += number * number;
  }
  // The action of momenta counts every square at least twice (formats/openqcd.md 5).
  const double least = kind == Kind::momenta ? 2 * sum : sum;
  // Data with NaN have no sum either.
  return std::isnan(stated) || (std::isfinite(stated) && stated > 0 && least <= stated * (1 + 1e-9));
}

// Roughly of order one: numbers of any size are noise.
bool are_angles(base::ByteSource& file, std::uint64_t data) {
  constexpr double least = 1e-30, most = 1e6;
  for (std::uint64_t at = data, k = 0; k < few_numbers && at + 8 <= file.size(); at += 8, ++k) {
    const double angle = std::abs(real_at(file, at));
    if (!(angle == 0 || (angle >= least && angle <= most))) return false;
  }
  return true;
}

// True if a field of that kind can begin at a byte of the file.
bool fits(base::ByteSource& file, Kind kind, std::uint64_t begin) {
  const std::uint64_t data = begin + head_bytes(kind);
  const double value = real_at(file, data - 8);
  if (kind == Kind::gauge) return std::abs(value) <= most_plaquette;
  if (kind == Kind::u1) return std::abs(value) <= 1 && are_angles(file, data);
  return can_be_sum(file, data, kind, value);
}

struct PossibleContents {
  std::vector<Kind> kinds;
  bool even_only = false;
  bool in_blocks = true;  // too
};

const std::vector<PossibleContents>& possible_contents() {
  static const std::vector<PossibleContents> all{{{Kind::gauge}},
                                                 {{Kind::spinor}},
                                                 {{Kind::spinor}, true},
                                                 {{Kind::old_spinor}, false, false},
                                                 {{Kind::momenta}},
                                                 {{Kind::u1}, false, false},
                                                 {{Kind::gauge, Kind::u1}, false, false}};
  return all;
}

bool holds(base::ByteSource& file, const Place& place, const PossibleContents& contents) {
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

std::optional<Recognised> look(base::ByteSource& file) {
  for (const bool is_block : {false, true}) {
    const auto place = place_of(file, is_block);
    if (!place) continue;
    for (const PossibleContents& contents : possible_contents()) {
      if (holds(file, *place, contents)) return Recognised{*place, contents.kinds, contents.even_only};
    }
  }
  return {};
}

namespace {

constexpr std::uint64_t most_blocks = 1'000'000;

// The division of the lattice: blocks are counted like sites, z fastest.
struct Cut {
  Extents counts;

  explicit Cut(const Place& place) : counts(place.extents) {
    for (int d = 0; d < counts.size(); ++d) counts[d] /= place.block[d];
  }
  std::uint64_t number_of(const Place& place) const {
    Coord at = place.lower;
    for (int d = 0; d < at.size(); ++d) at[d] /= place.block[d];
    return lattice::site_number(at, whole(counts), site_order());
  }
};

std::optional<std::uint64_t> number_in(const std::string& text) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (text.empty() || stop != end || error != std::errc()) return {};
  return number;
}

bool is_there(base::ByteSource& beside, const std::string& path) {
  try {
    beside.open_other(path);
    return true;
  } catch (const Error& error) {
    if (error.code() != Code::not_found) throw;
    return false;
  }
}

// Removes the last name from a path and returns it.
std::string take_name(std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  path.resize(slash == std::string::npos ? 0 : slash);
  return name;
}

// The names of the files of a set: all in one folder, or ib/n and ib % n as the names of two.
struct BlockNames {
  std::string folder;       // with a trailing slash, unless it is the current one
  std::string run;          // up to the number of the block
  std::uint64_t in_folder;  // blocks per first folder of two; 0: no folders

  std::string operator()(std::uint64_t ib) const {
    if (in_folder == 0) return fmt::format("{}{}{}", folder, run, ib);
    return fmt::format("{}{}/{}/{}{}", folder, ib / in_folder, ib % in_folder, run, ib);
  }
};

// Every first folder has the same number of blocks.
std::optional<BlockNames> names_in_folders(base::ByteSource& file, const std::string& run, std::uint64_t ib,
                                           std::uint64_t blocks, std::uint64_t other) {
  std::string path = file.path();
  take_name(path);
  const auto second = number_in(take_name(path)), first = number_in(take_name(path));
  if (!first || !second) return {};
  const bool is_rooted = file.path().starts_with('/');
  const std::string folder = path.empty() && !is_rooted ? "" : path + "/";
  for (std::uint64_t n = 1; n <= blocks; ++n) {
    if (blocks % n != 0 || ib / n != *first || ib % n != *second) continue;
    BlockNames names{folder, run, n};
    if (is_there(file, names(other))) return names;
  }
  return {};
}

BlockNames names_of(base::ByteSource& file, std::string_view mark, std::uint64_t ib, std::uint64_t blocks) {
  std::string folder = file.path();
  const std::string name = take_name(folder);
  const std::size_t at = name.rfind(mark);
  const auto number = at == std::string::npos ? std::nullopt : number_in(name.substr(at + mark.size()));
  if (number != ib) {
    base::fail(Code::unsupported, {},
               "this is block {} of {}; the other files are found only if its name ends in {}{}, as openQCD names it: "
               "rename it",
               ib, blocks, mark, ib);
  }
  const std::string run = name.substr(0, at + mark.size());
  if (folder.size() + name.size() < file.path().size()) folder += '/';
  BlockNames flat{folder, run, 0};
  // The last one: in folders its path differs for every possible number of folders.
  const std::uint64_t other = ib + 1 == blocks ? 0 : blocks - 1;
  if (other == ib || is_there(file, flat(other))) return flat;
  if (const auto names = names_in_folders(file, run, ib, blocks, other)) return *names;
  base::fail(Code::truncated, {},
             "this is block {} of {}, and block {} is missing: expected at {}, or in folders as openQCD "
             "creates them; copy the whole set",
             ib, blocks, other, flat(other));
}

// A file of another set, or in the place of another block.
void require_block(base::ByteSource& file, const Recognised& seen, const Cut& cut, std::uint64_t ib, double value) {
  const auto found = look(file);
  const std::uint64_t check_at = seen.place.header_bytes() + head_bytes(seen.kinds.front()) - 8;
  const bool is_alike = found && found->place.extents == seen.place.extents && found->place.block == seen.place.block &&
                        found->kinds == seen.kinds && !found->even_only && cut.number_of(found->place) == ib;
  if (is_alike && std::bit_cast<std::uint64_t>(real_at(file, check_at)) == std::bit_cast<std::uint64_t>(value)) return;
  base::fail(Code::malformed, {}, "{} is not block {} of this set: {}; copy it again", file.path(), ib,
             is_alike ? "it states another check value" : "its header or its size are others");
}

}  // namespace

std::vector<std::string> block_files(base::ByteSource& file, const Recognised& seen) {
  const Cut cut(seen.place);
  const std::uint64_t blocks = volume(cut.counts), ib = cut.number_of(seen.place);
  if (blocks > most_blocks) {
    base::fail(Code::unsupported, {}, "this is one of {} blocks; sets can have up to {}", blocks, most_blocks);
  }
  const BlockNames names = names_of(file, "_b", ib, blocks);
  const double value = real_at(file, seen.place.header_bytes() + head_bytes(seen.kinds.front()) - 8);
  std::vector<std::string> files;
  for (std::uint64_t k = 0; k < blocks; ++k) {
    if (k == ib) {
      files.push_back(file.path());
      continue;
    }
    const std::string path = names(k);
    try {
      const auto other = file.open_other(path);
      require_block(*other, seen, cut, k, value);
    } catch (const Error& error) {
      if (error.code() != Code::not_found) throw;
      base::fail(Code::truncated, {}, "block {} of {} is missing: {} does not exist; copy the whole set", k, blocks,
                 path);
    }
    files.push_back(path);
  }
  return files;
}

std::function<std::string(std::uint64_t)> block_names(base::ByteSource& file, std::string_view mark,
                                                      std::uint64_t number, std::uint64_t count) {
  return names_of(file, mark, number, count);
}

void place_blocks(Payload& payload, const Extents& block, std::uint64_t offset) {
  payload.offset = 0;
  payload.block = block;
  payload.tile_sites = volume(block);
  const std::uint64_t blocks = volume(payload.extents) / payload.tile_sites;
  for (std::uint64_t k = 0; k < blocks; ++k) {
    payload.tiles.push_back({static_cast<int>(k), offset, payload.tile_sites * payload.site_bytes()});
  }
}

std::vector<std::string> block_suffixes(const Parts& parts) {
  std::vector<std::string> suffixes;
  for (std::uint64_t k = 0; k < parts.count(); ++k) suffixes.push_back(fmt::format("_b{}", k));
  return suffixes;
}

}  // namespace lq::format::openqcd
