// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Findings as messages and as JSON (docs/reference/json.md).
#include "diagnosis/words.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <limequat/diagnose.hpp>
#include <limequat/json.hpp>

#include "base/json_writer.hpp"

namespace lq::diagnosis {
namespace {

std::string direction(int d, int dimensions) {
  constexpr std::string_view names = "xyzt";
  return dimensions == 4 ? std::string(1, names[static_cast<std::size_t>(d)]) : fmt::format("{}", d);
}

std::string directions_text(const std::vector<int>& directions) {
  std::vector<std::string> names;
  for (const int d : directions) names.push_back(direction(d, static_cast<int>(directions.size())));
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string_view words_of(Precision precision) noexcept {
  return precision == Precision::single ? "single (32 bits)" : "double (64 bits)";
}

std::string_view words_of(ByteOrder order) noexcept {
  return order == ByteOrder::big ? "big-endian (most significant byte first)"
                                 : "little-endian (least significant byte first)";
}

std::string_view words_of(ComplexParts parts) noexcept {
  switch (parts) {
    case ComplexParts::interleaved:
      return "each element is its real part, then its imaginary part";
    case ComplexParts::exchanged:
      return "each element is its imaginary part first, then its real part";
    case ComplexParts::apart:
      break;
  }
  return "each matrix is all its real parts, then all its imaginary parts";
}

std::string_view words_of(Parity parity) noexcept {
  return parity == Parity::even_first ? "sites with an even sum of coordinates come before those with an odd one"
                                      : "sites with an odd sum of coordinates come before those with an even one";
}

constexpr Axes parts_apart = {Axis::site, Axis::link, Axis::part, Axis::row, Axis::column};

std::string marks_text(const RecordChain& chain) {
  return fmt::format("{} record{} of Fortran with marks of {} bytes", chain.records, chain.records == 1 ? "" : "s",
                     chain.mark_bytes);
}

constexpr std::string_view transposed_words =
    "rows and columns of the links are exchanged: what is stored is the transpose of each matrix";

std::string slices_text(const Damaged& damaged, std::uint64_t slice_sites) {
  std::vector<std::string> names;
  bool are_whole = true;
  for (const auto& [slice, sites] : damaged.slices) {
    are_whole = are_whole && sites == slice_sites;
    if (names.size() < 8) names.push_back(std::to_string(slice));
  }
  const std::string more = damaged.slices.size() > names.size() ? ", ..." : "";
  return fmt::format("{} time slice{} {}{}", are_whole ? "all of" : "in", damaged.slices.size() > 1 ? "s" : "",
                     fmt::join(names, ", "), more);
}

void add_damage(std::vector<Finding>& findings, const Walk& walked, const Damaged& damaged, std::string_view rule,
                std::string_view what) {
  if (damaged.sites == 0) return;
  const Extents& extents = walked.ordering.sites.extents;
  const std::uint64_t slice_sites = volume(extents) / static_cast<std::uint64_t>(extents[extents.size() - 1]);
  const std::uint64_t begin = walked.offset + damaged.first * walked.site_bytes;
  const std::uint64_t end = walked.offset + (damaged.last + 1) * walked.site_bytes;
  Finding one =
      finding(Severity::error, std::string(rule),
              fmt::format("damage: {} site{} {}, {}; the first is ({}), the bytes are {} to {}{}", damaged.sites,
                          damaged.sites == 1 ? "" : "s", what, slices_text(damaged, slice_sites),
                          site_text(site_of(walked.ordering.sites, damaged.first)), begin, end - 1, walked.of));
  one.code = Code::malformed;
  if (walked.of.empty()) one.offset = begin;
  one.length = end - begin;
  findings.push_back(std::move(one));
}

void add_signs(std::vector<Finding>& findings, const Walk& walked, const Pass& pass) {
  const Extents& extents = walked.ordering.sites.extents;
  const int dimensions = extents.size();
  for (int d = 0; d < static_cast<int>(pass.signs.size()); ++d) {
    const Signs& signs = pass.signs[static_cast<std::size_t>(d)];
    if (signs.links == 0) continue;
    const std::string name = direction(d, dimensions);
    const std::uint64_t border = volume(extents) / static_cast<std::uint64_t>(extents[d]);
    if (signs.links == border && signs.leaving_last_slice == border) {
      findings.push_back(finding(Severity::warning, "boundary-sign",
                                 fmt::format("the links in direction {} that leave its last slice have determinant -1: "
                                             "antiperiodic boundary conditions are multiplied into the links; take the "
                                             "sign out before the links are used as SU(N) matrices",
                                             name)));
    } else {
      findings.push_back(
          finding(Severity::warning, "link-signs",
                  fmt::format("{} links in direction {} have determinant -1: signs, such as the phases of "
                              "staggered fermions, are multiplied into the links",
                              signs.links, name)));
    }
  }
}

}  // namespace

Finding finding(Severity severity, std::string rule, std::string message) {
  Finding one;
  one.severity = severity;
  one.code = severity == Severity::error ? Code::malformed : Code::ok;
  one.rule = std::move(rule);
  one.message = std::move(message);
  return one;
}

std::string order_text(const SiteOrder& order) {
  std::vector<std::string> names;
  for (const int d : order) names.push_back(direction(d, static_cast<int>(order.size())));
  names.front() += " fastest";
  return fmt::format("{}", fmt::join(names, ", then "));
}

std::vector<Finding> differences(const Subject& subject, const Encoding& found, std::uint64_t offset,
                                 const RecordChain* marks) {
  const Encoding& declared = *subject.declared;
  std::vector<Finding> all;
  const auto add = [&](std::string rule, std::string message) {
    all.push_back(finding(Severity::error, std::move(rule), std::move(message)));
  };
  const Precision said = subject.said.value_or(declared.precision);
  if (found.colors != declared.colors) {
    add("colors", fmt::format("the links are SU({}) matrices, the header says SU({})", found.colors, declared.colors));
  }
  if (found.precision != said) {
    add("precision",
        fmt::format("the numbers are in {} precision, the header says {}", words_of(found.precision), words_of(said)));
  }
  if (found.third_rows_missing != declared.third_rows_missing) {
    add("rows", found.third_rows_missing
                    ? "each link is stored as its first two rows only, the header says three"
                    : "each link is stored with all three rows, the header says the first two only");
  }
  if (marks != nullptr) {
    add("record-marks", fmt::format("the numbers are in {}, which the header does not say", marks_text(*marks)));
  } else if (found.offset != declared.offset && found.arrays() == 1) {
    add("offset", fmt::format("the numbers begin at byte {}, not at byte {}", offset, declared.offset));
  }
  if (found.byte_order != declared.byte_order && found.halves_exchanged) {
    add("byte-order",
        "the bytes within each 32-bit word are in reverse order, and the two words of each number are not: "
        "a swap for single precision was made on double precision numbers");
  } else if (found.byte_order != declared.byte_order) {
    add("byte-order",
        fmt::format("the numbers are {}; this format is {}: the bytes of every number are in reverse order",
                    words_of(found.byte_order), words_of(declared.byte_order)));
  } else if (found.halves_exchanged) {
    add("word-order", "the two 32-bit words of each double precision number are exchanged");
  }
  if (found.axes == parts_apart || found.imaginary_first != declared.imaginary_first) {
    add("complex-parts", std::string(words_of(found.parts())));
  } else if (found.axes != declared.axes) {
    add("axes", fmt::format("the numbers are in the order {}, slowest first; this format has {}",
                            axes_text(found, subject.ordering), axes_text(declared, subject.ordering)));
  }
  return all;
}

std::vector<Finding> differences(const Ordering& declared, const Ordering& best) {
  std::vector<Finding> all;
  const auto add = [&](std::string rule, std::string message) {
    all.push_back(finding(Severity::error, std::move(rule), std::move(message)));
  };
  if (best.is_transposed) add("transposed", std::string(transposed_words));
  if (best.order != declared.order) {
    add("site-order", fmt::format("the sites are stored with {}; this format has {}", order_text(best.order),
                                  order_text(declared.order)));
  }
  if (best.sites.parity != Parity::none) {
    add("parity", fmt::format("{}, but the format has a single sequence of all sites", words_of(best.sites.parity)));
  }
  if (best.links != declared.links) {
    add("link-order", fmt::format("the links of a site are in the order {}; this format has {}",
                                  directions_text(best.links), directions_text(declared.links)));
  }
  return all;
}

std::string axes_text(const Encoding& encoding, const Ordering& ordering) {
  const int dimensions = static_cast<int>(ordering.links.size());
  std::vector<int> from_t(ordering.links.size());
  std::iota(from_t.begin(), from_t.end(), 0);
  std::rotate(from_t.begin(), from_t.end() - 1, from_t.end());
  std::vector<std::string> words;
  for (const Axis axis : encoding.axes) {
    switch (axis) {
      case Axis::site:
        for (auto d = ordering.order.rbegin(); d != ordering.order.rend(); ++d) {
          words.push_back(direction(*d, dimensions));
        }
        break;
      case Axis::link:
        words.emplace_back(dimensions == 4 && ordering.links == from_t ? "mu_txyz" : "mu");
        break;
      case Axis::row:
        words.emplace_back(ordering.is_transposed ? "column" : "row");
        break;
      case Axis::column:
        words.emplace_back(ordering.is_transposed ? "row" : "column");
        break;
      case Axis::part:
        words.emplace_back("reim");
        break;
    }
  }
  return fmt::format("{}", fmt::join(words, " "));
}

std::string description_of(const Encoding& encoding, const Ordering& ordering, std::uint64_t offset,
                           const RecordChain* marks) {
  std::string text = fmt::format("SU({}) links from byte {} on, {} precision, {}, ", encoding.colors, offset,
                                 words_of(encoding.precision), words_of(encoding.byte_order));
  if (marks != nullptr) text += fmt::format("in {}, ", marks_text(*marks));
  if (encoding.as_sequence(0).axes == natural_axes) {
    text += fmt::format("{}; {}{}; sites with {}, links in the order {}", words_of(encoding.parts()),
                        encoding.halves_exchanged ? "the two 32-bit words of each number are exchanged, " : "",
                        ordering.is_transposed        ? "rows and columns exchanged"
                        : encoding.third_rows_missing ? "the first two rows of each link"
                                                      : "rows of a link in sequence",
                        order_text(ordering.order), directions_text(ordering.links));
  }
  if (encoding.axes != natural_axes) {
    text += fmt::format("{}in the order {}, slowest first", text.ends_with(", ") ? "" : "; ",
                        axes_text(encoding, ordering));
    if (encoding.third_rows_missing) text += ", two rows of each link";
  }
  if (ordering.sites.parity != Parity::none) text += fmt::format("; {}", words_of(ordering.sites.parity));
  return text;
}

std::string list_of(std::span<const Choice> readings) {
  std::string text;
  for (std::size_t k = 0; k < readings.size(); ++k) {
    const Choice& one = readings[k];
    text += fmt::format("{}({}) the lattice is {}, with {}", k == 0 ? "" : "; ", k + 1,
                        to_string(one.ordering.sites.extents),
                        description_of(one.way->encoding, one.ordering, one.way->offset(), one.way->marks));
  }
  return text;
}

std::vector<Finding> damage_in(const Walk& walked, const Pass& pass) {
  std::vector<Finding> all;
  add_damage(all, walked, pass.zeros, "zero-sites", "of zeros only, as after lost writes");
  add_damage(all, walked, pass.not_finite, "not-finite", "with numbers that are NaN or infinite");
  add_damage(all, walked, pass.not_unitary, "not-unitary", "with links that are not SU(N) matrices");
  const Extents& extents = walked.ordering.sites.extents;
  const std::uint64_t border = volume(extents) / static_cast<std::uint64_t>(extents[extents.size() - 1]);
  if (pass.border_zeros == border) {
    all.push_back(finding(Severity::note, "open-boundary",
                          "the links that leave the last time slice are zero: open boundaries in time"));
  } else if (pass.border_zeros > 0) {
    all.push_back(
        finding(Severity::error, "zero-links",
                fmt::format("{} links that leave the last time slice are zero; open boundaries would have all "
                            "{} of them zero",
                            pass.border_zeros, border)));
  }
  add_signs(all, walked, pass);
  return all;
}

// Explains broken joints between time slices.

namespace {

// The places of the slices in the order of time, if all exist and are only permuted; else empty.
std::vector<std::int64_t> places_in_time(const Joints& joints, std::int64_t slices) {
  std::vector<std::int64_t> successors;
  for (std::int64_t t = 0; t < slices; ++t) successors.push_back((t + 1) % slices);
  for (const BrokenJoint& broken : joints.broken) {
    if (!broken.successor) return {};
    successors[static_cast<std::size_t>(broken.slice)] = *broken.successor;
  }
  std::vector<std::int64_t> places{0};
  while (places.size() < successors.size()) {
    places.push_back(successors[static_cast<std::size_t>(places.back())]);
    if (std::ranges::count(places, places.back()) > 1) return {};
  }
  return places;
}

std::string places_text(std::uint64_t shift, std::uint64_t slice_sites) {
  const bool is_early = shift > slice_sites / 2;
  const std::uint64_t places = is_early ? slice_sites - shift : shift;
  return fmt::format("{} place{} too {}", places, places == 1 ? "" : "s", is_early ? "early" : "late");
}

std::string why(const BrokenJoint& broken, std::int64_t next, std::uint64_t slice_sites) {
  if (broken.successor) {
    return fmt::format("the slice that belongs after slice {} is at slice {}", broken.slice, *broken.successor);
  }
  if (!broken.shift)
    return "slice " + std::to_string(next) + " belongs to another configuration, or its sites are in another order";
  return fmt::format("the sites of slice {} are {}", next, places_text(*broken.shift, slice_sites));
}

}  // namespace

std::vector<Finding> damage_in(const Joints& joints, const Extents& extents) {
  if (joints.broken.empty()) return {};
  const std::int64_t slices = extents[extents.size() - 1];
  const std::uint64_t slice_sites = volume(extents) / static_cast<std::uint64_t>(slices);
  if (const auto places = places_in_time(joints, slices); !places.empty()) {
    return {finding(Severity::error, "slice-order",
                    fmt::format("the time slices are in another order: sorted by time they are at places {} of the "
                                "file, which makes the plaquettes between neighbours correct",
                                fmt::join(places, ", ")))};
  }
  if (constexpr std::size_t most_told = 8; joints.broken.size() > most_told) {
    return {
        finding(Severity::error, "slice-joint",
                fmt::format("{} of {} time slices do not continue the previous one, the first of them slice {}: the "
                            "plaquettes between them are far from those between other slices ({:.3f})",
                            joints.broken.size(), slices, (joints.broken.front().slice + 1) % slices, joints.usual))};
  }
  std::vector<Finding> all;
  for (std::size_t k = 0; k < joints.broken.size(); ++k) {
    const BrokenJoint& broken = joints.broken[k];
    const std::int64_t next = (broken.slice + 1) % slices;
    // Slices that are shifted together, and the joint after them.
    if (broken.shift && k + 1 < joints.broken.size() && joints.broken[k + 1].shift == slice_sites - *broken.shift) {
      const std::int64_t end = joints.broken[++k].slice;
      all.push_back(finding(
          Severity::error, "slice-shifted",
          fmt::format("the sites of time slice{} are {}, the last ones at the front: only this makes plaquettes to the "
                      "neighbouring slices correct ({:.3f} as stored, {:.3f} between other slices)",
                      next == end ? fmt::format(" {}", next) : fmt::format("s {} to {}", next, end),
                      places_text(*broken.shift, slice_sites), broken.plaquette, joints.usual)));
      continue;
    }
    all.push_back(
        finding(Severity::error, "slice-joint",
                fmt::format("time slice {} does not continue slice {}: the plaquettes between them average to {:.3f}, "
                            "between other slices to {:.3f}; {}",
                            next, broken.slice, broken.plaquette, joints.usual, why(broken, next, slice_sites))));
  }
  return all;
}

}  // namespace lq::diagnosis

namespace lq {

// The schema is documented in docs/reference/json.md.

using base::JsonWriter;

void put(JsonWriter& json, const Reading& reading) {
  json.begin_object().member("offset", reading.offset).member("precision", name(reading.precision));
  json.member("byte_order", reading.byte_order == ByteOrder::big ? "big" : "little");
  json.member("halves_exchanged", reading.halves_exchanged).member("parts", name(reading.parts));
  json.member("third_rows_missing", reading.third_rows_missing).member("transposed", reading.is_transposed);
  json.member("colors", reading.colors).key("lattice").array(reading.lattice);
  json.member("axes", reading.axes).member("parity", reading.parity).member("record_marks", reading.record_marks);
  json.member("proven", reading.is_proven).member("single_in_double", reading.is_single_in_double);
  json.key("sites").array(reading.sites).key("links").array(reading.links);
  json.member("declared", reading.is_declared).member("unitarity", reading.unitarity);
  json.member("determinant", reading.determinant).member("plaquette", reading.plaquette);
  json.member("plaquette_error", reading.plaquette_error).member("factor", reading.factor).end_object();
}

void put(JsonWriter& json, const WriterGrid& grid) {
  json.begin_object().member("tried", grid.tried).member("grids", grid.grids).member("complete", grid.is_complete);
  json.member("found", grid.is_found).member("processes", grid.processes);
  json.member("ranks_last_fastest", grid.ranks_last_fastest).member("sites", grid.sites);
  json.member("seconds", grid.seconds).end_object();
}

namespace {

template <class T>
void member_or_null(JsonWriter& json, std::string_view key, const std::optional<T>& value) {
  json.key(key);
  value ? json.raw(to_json(*value)) : json.null();
}

}  // namespace

std::string to_json(const Diagnosis& diagnosis) {
  JsonWriter json;
  json.begin_object().member("path", diagnosis.path).member("format", diagnosis.format);
  json.member("field", diagnosis.field).key("lattice").array(diagnosis.extents);
  json.member("ok", diagnosis.ok).member("verdict", diagnosis.verdict).member("remedy", diagnosis.remedy);
  json.member("plaquette", diagnosis.plaquette).member("readings", diagnosis.readings);
  json.member("sampled_sites", diagnosis.sampled_sites).member("whole_read", diagnosis.is_whole_read);
  member_or_null(json, "stored", diagnosis.stored);
  member_or_null(json, "computed", diagnosis.computed);
  json.member("grid", diagnosis.grid).member("basis", diagnosis.basis);
  member_or_null(json, "rewritten", diagnosis.rewritten);
  json.key("findings").raw(to_json(diagnosis.findings)).end_object();
  return json.take();
}

}  // namespace lq
