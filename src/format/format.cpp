// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Common functions of formats: a field spread over files, inspection of numbers, texts lost by a conversion.
#include "format/format.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "base/bytes.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "base/text_facts.hpp"
#include "lattice/site_order.hpp"

namespace lq::format {

namespace {

constexpr std::uint64_t most_parts = 10'000;  // every file stays open while it is written

}  // namespace

std::optional<Parts> Parts::of(const FieldRequest& request) {
  const std::string& asked = request.choices.parts;
  if (asked.empty()) return {};
  Parts parts;
  parts.extents_ = request.extents;
  parts.counts_ = parse_extents(asked);
  parts.block_ = request.extents;
  bool is_even_cut = parts.counts_.size() == request.extents.size();
  for (int d = 0; is_even_cut && d < parts.counts_.size(); ++d) {
    is_even_cut = parts.counts_[d] > 0 && request.extents[d] % parts.counts_[d] == 0;
    if (is_even_cut) parts.block_[d] = request.extents[d] / parts.counts_[d];
  }
  if (!is_even_cut || parts.count() > most_parts) {
    base::fail(Code::invalid_argument, {},
               "parts {}: a lattice of {} cannot be divided into these equal parts; give the number of equal parts of "
               "each dimension, such as {}, at most {} in all",
               asked, to_string(request.extents), to_string(Coord::filled(request.extents.size(), 1)), most_parts);
  }
  if (!request.first || (request.stored && *request.stored != whole(request.extents))) {
    base::fail(Code::unsupported, {}, "parts {}: only whole fields can be spread over several files, one per set",
               asked);
  }
  return parts;
}

Coord Parts::lower(std::uint64_t number, const SiteOrder& order) const {
  Coord lower = lattice::site_at(number, whole(counts_), order);
  for (int d = 0; d < lower.size(); ++d) lower[d] *= block_[d];
  return lower;
}

void Parts::place(Payload& payload, const std::vector<std::uint64_t>& offsets) const {
  payload.offset = 0;
  payload.block = block_;
  payload.tile_sites = sites();
  for (std::size_t k = 0; k < offsets.size(); ++k) {
    payload.tiles.push_back({static_cast<int>(k), offsets[k], sites() * payload.site_bytes()});
  }
}

namespace {

constexpr float huge = 1e10F, tiny = 1e-20F;
constexpr std::uint32_t last_digits = 0xfff;
constexpr std::size_t looked_at = 4096;

// The words at one half of the supposed doubles.
struct Words {
  std::uint64_t number = 0, huge_ones = 0, odd_ones = 0;  // nonzero ones

  void add(std::uint32_t word) noexcept {
    if (word << 1 == 0) return;
    const float value = std::bit_cast<float>(word);
    ++number;
    huge_ones += std::abs(value) < huge ? 0 : 1;
    odd_ones += std::abs(value) < tiny || (word & last_digits) == 0 ? 1 : 0;
  }
  bool has_huge_ones(double share) const noexcept {
    return static_cast<double>(huge_ones) > share * static_cast<double>(number);
  }
};

}  // namespace

std::optional<Precision> likely_precision(base::ByteSource& file, std::uint64_t offset, std::uint64_t length,
                                          ByteOrder order) {
  constexpr std::uint64_t least_number = 16;
  constexpr double many = 0.15, few = 0.01;
  Words high, low;
  std::array<std::byte, looked_at> sample{};
  for (const std::uint64_t part : {0U, 1U, 2U}) {
    const std::uint64_t begin = length / 3 * part / 8 * 8;
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(sample.size(), length - begin));
    const base::Bytes held =
        base::Bytes(sample).first(file.read_at(offset + begin, base::MutableBytes(sample).first(wanted)));
    for (std::size_t at = 0; at + 8 <= held.size(); at += 8) {
      const std::byte* const place = held.data() + at;
      const std::uint64_t pair =
          order == ByteOrder::big ? base::load_be<std::uint64_t>(place) : base::load_le<std::uint64_t>(place);
      high.add(static_cast<std::uint32_t>(pair >> 32));
      low.add(static_cast<std::uint32_t>(pair));
    }
  }
  if (low.number < least_number || high.number < least_number || high.has_huge_ones(few)) return std::nullopt;
  if (low.has_huge_ones(many)) return Precision::double_;
  // Tiny or round numbers prove nothing: last digits of doubles with short fractions look like that.
  const bool has_odd_ones = static_cast<double>(low.odd_ones) > many * static_cast<double>(low.number);
  return low.has_huge_ones(few) || has_odd_ones ? std::nullopt : std::optional(Precision::single);
}

// What a conversion would lose, except texts that only repeat what the numbers show, or name the writing program.

namespace {

// Names that any format handles itself, and Grid's records that describe the numbers as stored in its file.
constexpr std::array<std::string_view, 5> settled{"plaquette", "link_trace", "date", "grid-format",
                                                  "FieldNormMetaData"};
constexpr std::string_view no_lfn = "lfn://unregistered/";

// Excludes facts that every file has, or that name its writer.
bool says_something(const base::TextFact& fact) {
  const std::string_view key = base::unified_key(fact.key);
  if (key == "plaquette" || key == "link_trace" || key == "creator" || key == "title") return false;
  return !(key == "info" && fact.value.starts_with("limequat"));
}

bool says_something(std::string_view text) {
  text = base::trim(text);
  if (text.empty() || text.starts_with(no_lfn)) return false;
  const auto facts = base::facts_in(text, 4096);
  if (facts.empty()) return true;
  return std::ranges::any_of(facts, [](const base::TextFact& fact) { return says_something(fact); });
}

}  // namespace

Metadata lost_texts(const Metadata& texts, const Metadata& kept) {
  Metadata lost;
  for (const auto& text : texts) {
    const bool is_settled = std::ranges::find(settled, text.first) != settled.end();
    const bool is_kept = std::ranges::find(kept, text) != kept.end();
    if (!is_settled && !is_kept && says_something(std::string_view(text.second))) lost.push_back(text);
  }
  return lost;
}

}  // namespace lq::format
