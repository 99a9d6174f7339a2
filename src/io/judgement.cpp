// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/judgement.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>
#include <span>

#include <fmt/format.h>

#include "engine/choose.hpp"
#include "engine/direct.hpp"
#include "engine/file_order.hpp"
#include "format/format.hpp"
#include "io/verdict.hpp"
#include "lattice/site_order.hpp"

namespace lq::io {
namespace {

// Whole slices of the slowest dimension, first .. last-1; empty if the box cuts slices.
struct Slices {
  std::size_t first = 0, last = 0;
};

Slices whole_slices(const Payload& payload, const Box& box) {
  const SiteOrder order = lattice::resolve_order(payload.order, payload.extents.size());
  for (std::size_t i = 0; i + 1 < order.size(); ++i) {
    if (box.extents[order[i]] != payload.stored.extents[order[i]]) return {};
  }
  const int slowest = order.back();
  const auto first = static_cast<std::size_t>(box.lower[slowest] - payload.stored.lower[slowest]);
  return {first, first + static_cast<std::size_t>(box.extents[slowest])};
}

std::span<const std::uint32_t> value_of(const Sum& sum, std::size_t number) {
  const std::size_t words = words_of(sum.name.kind);
  return std::span(sum.words).subspan(number * words, words);
}

std::string text_of_part(const Sum& sum, std::size_t number) {
  const auto words = value_of(sum, number);
  const std::string_view part = sum.name.of == SumOf::slices ? "slice" : sum.name.of == SumOf::tiles ? "tile" : "array";
  return fmt::format("{} of {} {}", to_string(Sum{{sum.name.kind}, {words.begin(), words.end()}}), part, number);
}

bool slices_contradict_field(const Sums& stated) {
  const auto slices = stated.total_of_slices(), field = stated.checksum();
  return slices && field && *slices != *field;
}

// Calls visit(stated, found) for the sums of the field, or of its slices, that both the file and the data have.
template <class Visit>
void for_each_pair(SumOf of, const Sums& stated, const Sums& found, Visit&& visit) {
  for (const Sum& sum : stated.all) {
    const Sum* const other = found.find(sum.name);
    if (sum.name.of == of && other != nullptr) visit(sum, *other);
  }
}

void note_difference(Judgement& judgement, const SumName& name, std::string stated, std::string found) {
  if (std::ranges::find(judgement.differing, name) == judgement.differing.end()) judgement.differing.push_back(name);
  if (!judgement.stated.empty()) return;
  judgement.stated = std::move(stated);
  judgement.found = std::move(found);
}

// The program that computed a SHA-256 of single precision is not recorded: both ways are accepted.
bool agrees_padded(const Sum& stated, const Sums& found) {
  if (stated.name.kind != SumKind::sha256) return false;
  const Sum* const padded = found.find({SumKind::sha256_padded, stated.name.of});
  return padded != nullptr && padded->words == stated.words;
}

// True if a sum of squares, stored as the bits of a double, is infinite or NaN.
bool is_no_norm(const Sum& sum) {
  if (sum.name.kind != SumKind::norm && sum.name.kind != SumKind::momentum_action) return false;
  return !std::isfinite(std::bit_cast<double>(std::uint64_t{sum.words.at(0)} << 32 | sum.words.at(1)));
}

void compare_field(const Sums& all_stated, const Sums& all_found, Judgement& judgement) {
  for_each_pair(SumOf::field, all_stated, all_found, [&](const Sum& stated, const Sum& found) {
    judgement.has_no_norm = judgement.has_no_norm || is_no_norm(found);
    if (is_no_norm(stated) && is_no_norm(found)) return;
    judgement.compared.push_back(stated.name);
    if (!agree(stated, found) && !agrees_padded(stated, all_found))
      note_difference(judgement, stated.name, to_string(stated), to_string(found));
  });
}

// Compares arrays and tiles one by one.
void compare_parts(const Sums& all_stated, const Sums& all_found, Judgement& judgement) {
  for (const SumOf of : {SumOf::arrays, SumOf::tiles}) {
    for_each_pair(of, all_stated, all_found, [&](const Sum& stated, const Sum& found) {
      judgement.compared.push_back(stated.name);
      if (agrees_padded(stated, all_found)) return;
      if (stated.values() != found.values())
        return note_difference(judgement, stated.name, to_string(stated), to_string(found));
      for (std::size_t i = 0; i < stated.values(); ++i) {
        if (std::ranges::equal(value_of(stated, i), value_of(found, i))) continue;
        return note_difference(judgement, stated.name, text_of_part(stated, i), text_of_part(found, i));
      }
    });
  }
}

void compare_slices(const Sums& all_stated, const Sums& all_found, Slices slices, Judgement& judgement) {
  if (slices.last <= slices.first) return;
  for_each_pair(SumOf::slices, all_stated, all_found, [&](const Sum& stated, const Sum& found) {
    if (slices.last > std::min(stated.values(), found.values())) return;
    judgement.compared.push_back(stated.name);
    for (std::size_t i = slices.first; i < slices.last; ++i) {
      if (std::ranges::equal(value_of(stated, i), value_of(found, i))) continue;
      return note_difference(judgement, stated.name, text_of_part(stated, i), text_of_part(found, i));
    }
  });
}

}  // namespace

std::vector<SumName> sums_of(const FieldEntry& entry) {
  std::vector<SumName> names = entry.sums.names();
  // Identifies the data if the file has no sums.
  if (names.empty()) names.push_back({SumKind::scidac, SumOf::field});
  if (entry.payload.spec.precision == Precision::single) {
    for (const SumOf of : {SumOf::field, SumOf::arrays}) {
      if (entry.sums.find({SumKind::sha256, of}) != nullptr) names.push_back({SumKind::sha256_padded, of});
    }
  }
  return names;
}

bool has_exact_sum(const FieldEntry& entry) noexcept {
  return std::ranges::any_of(entry.sums.all,
                             [](const Sum& sum) { return evidence_of(sum.name.kind) == Evidence::exact_sum; });
}

Judgement judge(const FieldEntry& entry, const engine::TransferStats& stats, const Box& moved) {
  Judgement judgement;
  const Sums found = stats.sums.values();
  const bool is_whole = moved == entry.payload.stored;
  if (is_whole) {
    compare_field(entry.sums, found, judgement);
    compare_parts(entry.sums, found, judgement);
  }
  if (!is_whole || !slices_contradict_field(entry.sums)) {
    compare_slices(entry.sums, found, whole_slices(entry.payload, moved), judgement);
  }
  const auto is_of_field = [](const Sum& sum) { return sum.name.of != SumOf::slices; };
  judgement.status = !judgement.stated.empty()                          ? ChecksumStatus::mismatch
                     : !judgement.compared.empty()                      ? ChecksumStatus::ok
                     : std::ranges::any_of(entry.sums.all, is_of_field) ? ChecksumStatus::unchecked
                                                                        : ChecksumStatus::absent;
  return judgement;
}

std::vector<std::int64_t> damaged_slices(const FieldEntry& entry, const engine::TransferStats& stats) {
  std::set<std::int64_t> damaged;
  for_each_pair(SumOf::slices, entry.sums, stats.sums.values(), [&](const Sum& stated, const Sum& found) {
    for (std::size_t i = 0; i < std::min(stated.values(), found.values()); ++i) {
      if (!std::ranges::equal(value_of(stated, i), value_of(found, i))) damaged.insert(static_cast<std::int64_t>(i));
    }
  });
  return {damaged.begin(), damaged.end()};
}

bool slices_prove(const FieldEntry& entry, const engine::TransferStats& stats) {
  const Sums found = stats.sums.values();
  const auto is_known = [&](const Sum& stated) {
    const Sum* const other = found.find(stated.name);
    return stated.name.of != SumOf::slices || (other != nullptr && other->values() == stated.values());
  };
  return !entry.sums.slices().empty() && std::ranges::all_of(entry.sums.all, is_known) &&
         damaged_slices(entry, stats).empty();
}

std::vector<Claim> claims_of(const FieldEntry& entry, const Judgement& judgement, std::string of) {
  std::vector<Claim> claims;
  const auto holds = [](const std::vector<SumName>& names, const SumName& name) {
    return std::ranges::find(names, name) != names.end();
  };
  const auto claim = [&](std::string name, Evidence evidence, Outcome outcome) {
    claims.push_back({of, std::move(name), evidence, outcome, entry.payload.offset, entry.payload.length});
  };
  for (const Sum& sum : entry.sums.all) {
    claim(to_string(sum.name), evidence_of(sum.name.kind),
          holds(judgement.differing, sum.name)  ? Outcome::differs
          : holds(judgement.compared, sum.name) ? Outcome::agrees
                                                : Outcome::unchecked);
  }
  if (!has_exact_sum(entry)) claim("checksum", Evidence::exact_sum, Outcome::absent);
  const auto is_rescued = [](const auto& text) { return text.first == format::rescued_text; };
  if (std::ranges::any_of(entry.metadata, is_rescued))
    claim(std::string(rest_of_field), Evidence::second_copy, Outcome::absent);
  if (auto unproven = unproven_claim(entry.metadata, of)) claims.push_back(*std::move(unproven));
  return claims;
}

namespace {

// Rules of the formats that have such sums; of lines and types that are nearly known, what they should be is
// `expected`.
bool speaks_of_sum(const Finding& finding) noexcept {
  if (finding.severity != Severity::error) return false;
  for (const std::string_view rule :
       {"scidac-checksum", "nersc-checksum", "nersc-checksum-missing", "qlattice-crc32", "qlattice-crc32-missing"}) {
    if (finding.rule == rule) return true;
  }
  if (finding.rule == "lime-type-damaged") return finding.expected == "scidac-checksum";
  return finding.rule.ends_with("-line-damaged") &&
         (finding.expected.starts_with("CHECKSUM ") || finding.expected.starts_with("field_crc32 "));
}

}  // namespace

const Finding* lost_sum(const Catalog& catalog, const FieldEntry& entry) noexcept {
  const auto message_of = [&](const Finding& finding) {
    const auto is_there = [&](const Record& record) {
      return record.header_offset == finding.offset || record.offset == finding.offset;
    };
    const auto record = std::ranges::find_if(catalog.records, is_there);
    return record != catalog.records.end() ? std::optional(record->message) : std::nullopt;
  };
  for (const Finding& finding : catalog.findings) {
    if (!speaks_of_sum(finding)) continue;
    const auto message = message_of(finding);
    if (!message || entry.record >= catalog.records.size()) return &finding;
    if (*message == catalog.records[static_cast<std::size_t>(entry.record)].message) return &finding;
  }
  return nullptr;
}

std::optional<Claim> unproven_claim(const Metadata& texts, std::string of) {
  const auto is_mark = [](const auto& text) { return text.first == format::unproven_text; };
  if (std::ranges::none_of(texts, is_mark)) return {};
  return Claim{.of = std::move(of), .name = "proof since repair", .outcome = Outcome::unchecked};
}

Error mismatch_error(const Catalog& catalog, const FieldEntry& entry, const engine::TransferStats& stats,
                     const Judgement& judgement) {
  const std::string record = entry.record < catalog.records.size() ? catalog.records[entry.record].type : entry.name;
  const std::string zeros =
      stats.zeros.sites == 0
          ? std::string{}
          : fmt::format("; {} sites between bytes {} and {} contain only zeros, as after lost writes",
                        stats.zeros.sites, stats.zeros.first_offset, stats.zeros.last_offset);
  return {Code::checksum_mismatch,
          fmt::format("{}: \"{}\" at byte {}: the data have checksum {}, the file states {}{}; `lq verify` shows where "
                      "the damage is; use a good copy if there is one",
                      catalog.path, record, entry.payload.offset, judgement.found, judgement.stated, zeros),
          {.path = catalog.path,
           .record = record,
           .offset = entry.payload.offset,
           .expected = judgement.stated,
           .found = judgement.found}};
}

Judgement judge_sequence(base::ByteSource& sites, const FieldEntry& entry) {
  Payload payload = entry.payload;
  payload.file = 0;
  payload.offset = 0;
  payload.tile_sites = 0;
  payload.tiles.clear();
  payload.encoding.clear();
  payload.arrays = 1;
  payload.block = {};
  payload.at_odd_points = false;
  payload.length = payload.stored.volume() * payload.site_bytes();
  engine::TransferStats stats(payload, sums_of(entry));
  engine::checksum_sites(sites, payload, {}, engine::block_options(payload, 0, 1, engine::usual_memory, false), stats);
  return judge(entry, stats, payload.stored);
}

}  // namespace lq::io
