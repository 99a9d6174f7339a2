// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/damage.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <optional>
#include <unordered_map>

#include <fmt/format.h>

#include "engine/site_packer.hpp"
#include "engine/stepwise_transfer.hpp"
#include "io/judgement.hpp"
#include "kernels/crc32.hpp"
#include "lattice/site_order.hpp"
#include "lattice/tile_map.hpp"
#include "physics/su_n.hpp"

namespace lq::io {
namespace {

// How the CRC changes when the last byte changes by e; the initial and final inversions cancel.
std::array<std::uint32_t, 256> last_byte_changes() {
  const std::byte zero{};
  const std::uint32_t reference = kernels::crc32(0, {&zero, 1});
  std::array<std::uint32_t, 256> changes{};
  for (unsigned e = 0; e < 256; ++e) {
    const std::byte byte{static_cast<unsigned char>(e)};
    changes[e] = kernels::crc32(0, {&byte, 1}) ^ reference;
  }
  return changes;
}

const std::array<std::uint32_t, 256>& changes_of_last_byte() {
  static const std::array<std::uint32_t, 256> table = last_byte_changes();
  return table;
}

// Appends one more (unchanged) byte after the damage.
std::uint32_t push_zero(std::uint32_t change) { return (change >> 8) ^ changes_of_last_byte()[change & 0xff]; }

// The one number below 899 with these remainders mod 29 and mod 31 (Chinese remainders: 31*15 = 1 mod 29, 29*15 = 1 mod
// 31).
std::uint64_t combine_remainders(std::uint64_t mod_29, std::uint64_t mod_31) {
  return (mod_29 * 31 * 15 + mod_31 * 29 * 15) % 899;
}

}  // namespace

std::vector<SingleByte> solve_single_byte(const Checksum& change, std::uint64_t site_bytes) {
  // The possible changes of one site's CRC, with the remainders of the site's rank that go with each.
  std::unordered_multimap<std::uint32_t, std::uint64_t> ranks_of;
  for (std::uint64_t a = 0; a < 29; ++a) {
    const std::uint32_t crc = std::rotr(change.suma, static_cast<int>(a));
    for (std::uint64_t b = 0; b < 31; ++b) {
      if (std::rotl(crc, static_cast<int>(b)) == change.sumb) ranks_of.emplace(crc, combine_remainders(a, b));
    }
  }
  std::vector<SingleByte> solutions;
  std::array<std::uint32_t, 256> changes = changes_of_last_byte();
  for (std::uint64_t byte = site_bytes; byte-- > 0;) {
    for (unsigned e = 1; e < 256; ++e) {
      const auto [first, last] = ranks_of.equal_range(changes[e]);
      for (auto it = first; it != last; ++it) solutions.push_back({it->second, byte, static_cast<std::uint8_t>(e)});
    }
    for (std::uint32_t& value : changes) value = push_zero(value);
  }
  return solutions;
}

namespace {

constexpr std::size_t most_listed = 8;         // places listed one by one
constexpr std::uint64_t most_tried = 1 << 20;  // sites read to decide between candidates
constexpr double outlier_factor = 1000;        // a damaged link is that much farther from SU(N) than the others
constexpr double unitary_enough = 1e-12;
constexpr double unitary_at_all = 1e-4;  // links that are farther from SU(N) on average are of another kind

std::string dimension_name(int d, int dimensions) {
  constexpr std::string_view names = "xyzt";
  if (dimensions <= 4 && d == dimensions - 1 && dimensions > 1) return "t";
  return d < 4 ? std::string(1, names[static_cast<std::size_t>(d)]) : fmt::format("dimension {}", d);
}

// A range of the file's sequence of sites that is known to be damaged, with the change of its checksum.
struct Range {
  std::uint64_t begin = 0, end = 0;
  Checksum change;
  std::optional<std::int64_t> slice;
};

class Search {
 public:
  Search(base::ByteSource& file, const Catalog& catalog, const FieldEntry& entry)
      : file_(file),
        catalog_(catalog),
        entry_(entry),
        payload_(entry.payload),
        order_(lattice::resolve_order(payload_.order, payload_.extents.size())),
        site_(static_cast<std::size_t>(payload_.site_bytes())),
        none_(payload_, {}),
        packer_(payload_, Precision::double_, none_) {}

  std::vector<Finding> in(const Range& range);
  // The single byte that explains the damage, with its correct value.
  std::optional<CorrectByte> correction(const Range& range);
  Finding misplaced(const Range& range) const;
  // The data agree with the checksums of all slices but not with that of the whole field.
  Finding sums_disagree() const;

 private:
  std::string record() const {
    return entry_.record < catalog_.records.size() ? catalog_.records[entry_.record].type : entry_.name;
  }
  bool has_links() const { return payload_.spec.kind == FieldKind::gauge; }
  Coord site_of(std::uint64_t file_site) const { return lattice::site_at(file_site, payload_.stored, order_); }
  std::string place(const Range& range) const;
  Finding finding(std::string rule, std::string message, std::uint64_t offset, std::uint64_t length) const;

  base::Bytes load(std::uint64_t file_site);
  double distance_from_su_n(base::Bytes site);
  double typical_distance(const Range& range);

  using Candidates = std::vector<std::pair<SingleByte, std::uint64_t>>;  // with the number of the site
  Candidates candidates(const Range& range);
  Candidates plausible(const Range& range);
  bool has_weighted_sum(const Range& range) const;
  std::vector<Finding> single_byte(const Range& range);
  std::vector<Finding> broken_links(const Range& range);

  base::ByteSource& file_;
  const Catalog& catalog_;
  const FieldEntry& entry_;
  const Payload& payload_;
  SiteOrder order_;
  std::vector<std::byte> site_;
  engine::SiteSums none_;
  engine::SitePacker packer_;
};

std::string Search::place(const Range& range) const {
  if (!range.slice) return fmt::format("{}: \"{}\"", catalog_.path, record());
  return fmt::format("{}: \"{}\", {} = {}", catalog_.path, record(),
                     dimension_name(order_.back(), payload_.extents.size()), *range.slice);
}

Finding Search::finding(std::string rule, std::string message, std::uint64_t offset, std::uint64_t length) const {
  return {.severity = Severity::error,
          .code = Code::checksum_mismatch,
          .rule = std::move(rule),
          .message = std::move(message),
          .record = record(),
          .offset = offset,
          .length = length};
}

base::Bytes Search::load(std::uint64_t file_site) {
  engine::read_whole(file_, payload_.origin() + file_site * site_.size(), site_);
  return site_;
}

// The largest distance of the site's links; infinite for NaN.
double Search::distance_from_su_n(base::Bytes site) {
  std::vector<double> numbers(static_cast<std::size_t>(payload_.spec.numbers));
  packer_.unpack(site.data(), {0, 1, 0, 1}, reinterpret_cast<std::byte*>(numbers.data()), 0, none_);
  return physics::with_colors(payload_.spec.colors, [&](auto colors) {
    double largest = 0;
    for (std::size_t at = 0; at < numbers.size(); at += physics::matrix_numbers(colors)) {
      const double distance = physics::distance_from_unitarity(colors, numbers.data() + at);
      largest = std::isfinite(distance) ? std::max(largest, distance) : INFINITY;
    }
    return largest;
  });
}

// The median over a sample: the distance of undamaged links in this file.
double Search::typical_distance(const Range& range) {
  constexpr std::uint64_t sample = 1024;
  const std::uint64_t step = std::max<std::uint64_t>((range.end - range.begin) / sample, 1);
  std::vector<double> distances;
  for (std::uint64_t site = range.begin; site < range.end; site += step)
    distances.push_back(distance_from_su_n(load(site)));
  const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
  std::ranges::nth_element(distances, middle);
  return std::max(*middle, unitary_enough / outlier_factor);
}

// Sites of the range that may contain the single damaged byte.
Search::Candidates Search::candidates(const Range& range) {
  Candidates result;
  // Only in a full lattice in natural order does a site's place in the file equal its rank.
  if (payload_.stored != whole(payload_.extents) || !std::ranges::is_sorted(order_)) return result;
  for (const SingleByte& byte : solve_single_byte(range.change, site_.size())) {
    const std::uint64_t first = range.begin + (899 + byte.rank_mod_899 - range.begin % 899) % 899;
    for (std::uint64_t site = first; site < range.end; site += 899) {
      if (result.size() == most_tried) return {};
      result.emplace_back(byte, site);
    }
  }
  return result;
}

// Candidates that the links do not rule out; none if the damage is larger than a byte.
Search::Candidates Search::plausible(const Range& range) {
  Candidates possible = candidates(range);
  if (possible.empty() || !has_links()) return possible;
  // Correcting the right site brings its links back to SU(N).
  Candidates likely = possible;
  std::erase_if(likely, [&](const auto& candidate) {
    const auto& [byte, site] = candidate;
    std::vector<std::byte> mended(load(site).begin(), load(site).end());
    const double before = distance_from_su_n(mended);
    mended[static_cast<std::size_t>(byte.byte_of_site)] ^= std::byte{byte.change};
    const double after = distance_from_su_n(mended);
    return !(after < before / 2);
  });
  if (!likely.empty()) return likely;
  // Several changed bytes may look like one elsewhere.
  return broken_links(range).empty() ? possible : Candidates{};
}

// The sum, which must agree afterwards, excludes that larger damage looks like one byte elsewhere.
bool Search::has_weighted_sum(const Range& range) const {
  return range.slice && entry_.sums.find({SumKind::weighted, SumOf::slices}) != nullptr;
}

// Nearby sites have candidates that fit equally well, because a shifted change of a CRC is often a rotated one: other
// bytes, and two bytes that one byte crosses into. Without a weighted sum only links can decide, if they are unitary
// except for the damage.
std::optional<CorrectByte> Search::correction(const Range& range) {
  Candidates possible = candidates(range);
  if (possible.size() > 1 || !has_weighted_sum(range)) {
    const double typical = has_links() ? typical_distance(range) : INFINITY;
    if (typical > unitary_at_all) return std::nullopt;
    const double limit = outlier_factor * typical;
    std::erase_if(possible, [&](const auto& candidate) {
      const auto& [byte, site] = candidate;
      std::vector<std::byte> mended(load(site).begin(), load(site).end());
      const bool was_outlier = !(distance_from_su_n(mended) <= limit);
      mended[static_cast<std::size_t>(byte.byte_of_site)] ^= std::byte{byte.change};
      return !was_outlier || !(distance_from_su_n(mended) <= limit);
    });
  }
  if (possible.size() != 1) return std::nullopt;
  const auto& [byte, site] = possible.front();
  const std::byte now = load(site)[static_cast<std::size_t>(byte.byte_of_site)];
  return CorrectByte{lattice::offset_of(payload_, site, byte.byte_of_site), now ^ std::byte{byte.change}, now,
                     range.slice};
}

std::vector<Finding> Search::single_byte(const Range& range) {
  const Candidates possible = plausible(range);
  std::vector<Finding> findings;
  for (std::size_t i = 0; i < std::min(possible.size(), most_listed); ++i) {
    const auto& [byte, site] = possible[i];
    const std::uint64_t offset = lattice::offset_of(payload_, site, byte.byte_of_site);
    const auto now = std::to_integer<unsigned>(load(site)[static_cast<std::size_t>(byte.byte_of_site)]);
    const std::string certainty =
        possible.size() == 1 ? "" : fmt::format(" (one of {} places that fit)", possible.size());
    Finding found = finding(
        "damaged-byte",
        fmt::format("{}: {} {} is damaged{}: the checksum expects 0x{:02x}, found 0x{:02x}; site {}, {}", place(range),
                    payload_.encoding.empty() ? "byte" : "the encoded data from byte", offset, certainty,
                    now ^ byte.change, now, site_text(site_of(site)), describe_byte(payload_, byte.byte_of_site)),
        offset, 1);
    found.expected = fmt::format("0x{:02x}", now ^ byte.change);
    found.found = fmt::format("0x{:02x}", now);
    findings.push_back(std::move(found));
  }
  return findings;
}

// Sites whose links are far from SU(N) compared with others: damage of any extent.
std::vector<Finding> Search::broken_links(const Range& range) {
  if (!has_links() || range.end - range.begin > most_tried) return {};
  const double limit = outlier_factor * typical_distance(range);
  std::vector<Finding> findings;
  std::uint64_t broken = 0, first = 0, last = 0;
  for (std::uint64_t site = range.begin; site < range.end; ++site) {
    if (!(distance_from_su_n(load(site)) > limit)) continue;
    first = broken == 0 ? site : first;
    last = site;
    ++broken;
  }
  if (broken == 0) return {};
  const std::uint64_t offset = payload_.origin() + first * site_.size();
  const std::uint64_t in_file = lattice::offset_of(payload_, first);
  const std::uint64_t length = (last - first + 1) * site_.size();
  findings.push_back(
      finding("damaged-links",
              fmt::format("{}: bytes {} to {}{}: the links of {} sites are no longer unitary, from site {} to site {}",
                          place(range), offset, offset + length - 1, of_sites(payload_), broken,
                          site_text(site_of(first)), site_text(site_of(last))),
              in_file, length));
  return findings;
}

// The checksum agrees: sums that detect more changes differ.
Finding Search::misplaced(const Range& range) const {
  const std::uint64_t offset = payload_.origin() + range.begin * site_.size();
  const std::uint64_t in_file = lattice::offset_of(payload_, range.begin);
  const std::uint64_t length = (range.end - range.begin) * site_.size();
  return finding(
      "misplaced-sites",
      fmt::format("{}: bytes {} to {}{}: the SciDAC checksum agrees, but another sum does not: sites are not in "
                  "their places, such as two that were exchanged a multiple of 899 sites apart",
                  place(range), offset, offset + length - 1, of_sites(payload_)),
      in_file, length);
}

std::vector<Finding> Search::in(const Range& range) {
  if (range.change == Checksum{}) return {misplaced(range)};
  std::vector<Finding> findings = single_byte(range);
  if (findings.empty()) findings = broken_links(range);
  if (!findings.empty()) return findings;
  const std::uint64_t offset = payload_.origin() + range.begin * site_.size();
  const std::uint64_t in_file = lattice::offset_of(payload_, range.begin);
  const std::uint64_t length = (range.end - range.begin) * site_.size();
  return {finding(
      "damaged-range",
      fmt::format(
          "{}: damaged somewhere in bytes {} to {}{} ({} sites from {} to {}); no single byte could be identified",
          place(range), offset, offset + length - 1, of_sites(payload_), range.end - range.begin,
          site_text(site_of(range.begin)), site_text(site_of(range.end - 1))),
      in_file, length)};
}

Finding Search::sums_disagree() const {
  return finding(
      "damaged-checksum",
      fmt::format("{}: \"{}\": every slice agrees with its checksum, so the data are intact and the record of the "
                  "total checksum is damaged",
                  catalog_.path, record()),
      payload_.offset, payload_.length);
}

Checksum difference(const Checksum& a, const Checksum& b) { return {a.suma ^ b.suma, a.sumb ^ b.sumb}; }

}  // namespace

std::string_view of_sites(const Payload& payload) noexcept {
  return payload.tile_sites > 0  ? " of its sites, which are stored in tiles"
         : payload.at_odd_points ? " of its sites, whose links are stored apart"
                                 : "";
}

std::string describe_byte(const Payload& payload, std::uint64_t byte_of_site) {
  const FieldSpec& spec = payload.spec;
  if (payload.codec.fixed16 && byte_of_site < 4) return "the magnitude of the site";
  const std::uint64_t place = payload.codec.fixed16 ? (byte_of_site - 4) / 2 : byte_of_site / spec.number_bytes();
  const std::uint64_t number = payload.codec.order.empty() ? place : payload.codec.order[place];
  if (!spec.is_complex) return fmt::format("number {}", number);
  const std::string_view part = number % 2 == 0 ? "real part" : "imaginary part";
  const std::uint64_t element = number / 2;
  const auto colors = static_cast<std::uint64_t>(std::max(spec.colors, 1));
  const auto spins = static_cast<std::uint64_t>(std::max(spec.spins, 1));
  switch (spec.kind) {
    case FieldKind::gauge:
      return fmt::format("link {}, row {}, column {}, {}",
                         dimension_name(static_cast<int>(element / (colors * colors)), spec.links),
                         element / colors % colors, element % colors, part);
    case FieldKind::spinor:
      return fmt::format("spin {}, color {}, {}", element / colors, element % colors, part);
    case FieldKind::propagator:
      return fmt::format("spins {} and {}, colors {} and {}, {}", element / (colors * colors * spins),
                         element / (colors * colors) % spins, element / colors % colors, element % colors, part);
    case FieldKind::generic:
      break;
  }
  return fmt::format("complex number {}, {}", element, part);
}

namespace {

Range slice_range(const FieldEntry& entry, const engine::TransferStats& stats, std::int64_t slice) {
  const auto number = static_cast<std::size_t>(slice);
  const std::uint64_t begin = number * stats.sums.slice_sites();
  const std::vector<Checksum> stored = entry.sums.slices(), found = stats.sums.values().slices();
  const bool has_both = number < stored.size() && number < found.size();
  return {begin, begin + stats.sums.slice_sites(), has_both ? difference(stored[number], found[number]) : Checksum{},
          slice};
}

bool has_slices(const FieldEntry& entry, const engine::TransferStats& stats) {
  const std::vector<Checksum> stored = entry.sums.slices();
  return !stored.empty() && stored.size() == stats.sums.values().slices().size();
}

Range whole_range(const FieldEntry& entry, const engine::TransferStats& stats) {
  return {0, entry.payload.stored.volume(), difference(*entry.sums.checksum(), stats.sums.total()), std::nullopt};
}

}  // namespace

std::vector<Finding> locate_damage(base::ByteSource& file, const Catalog& catalog, const FieldEntry& entry,
                                   const engine::TransferStats& stats) {
  Search search(file, catalog, entry);
  const std::vector<std::int64_t> slices = damaged_slices(entry, stats);
  std::vector<Finding> findings;
  for (std::size_t i = 0; i < std::min(slices.size(), most_listed); ++i) {
    const std::vector<Finding> here = search.in(slice_range(entry, stats, slices[i]));
    findings.insert(findings.end(), here.begin(), here.end());
  }
  if (!slices.empty() || !entry.sums.checksum()) return findings;
  if (has_slices(entry, stats)) return {search.sums_disagree()};
  return search.in(whole_range(entry, stats));
}

std::vector<CorrectByte> correct_bytes(base::ByteSource& file, const Catalog& catalog, const FieldEntry& entry,
                                       const engine::TransferStats& stats) {
  if (!entry.payload.encoding.empty()) return {};  // no single byte of the file belongs to one site
  Search search(file, catalog, entry);
  std::vector<CorrectByte> bytes;
  if (has_slices(entry, stats)) {
    for (const std::int64_t slice : damaged_slices(entry, stats)) {
      if (const auto byte = search.correction(slice_range(entry, stats, slice))) bytes.push_back(*byte);
    }
  } else if (entry.sums.checksum() && entry.sums.checksum() != stats.sums.total()) {
    if (const auto byte = search.correction(whole_range(entry, stats))) bytes.push_back(*byte);
  }
  return bytes;
}

}  // namespace lq::io
