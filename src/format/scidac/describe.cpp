// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Every declaration becomes a candidate; the one that fits the length of the record is used.
#include "format/scidac/describe.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/checked.hpp"
#include "base/text.hpp"
#include "format/format.hpp"

namespace lq::format::scidac {
namespace {

struct Candidate {
  Extents extents;
  Box stored;
  FieldSpec spec;          // numbers 0: follows from the length
  bool lz_is_sure = true;  // tmLQCD writes lx for lz
};

enum class Fit { none, other_matrices, other_precision, exact };

// 0 if it does not fit 64 bits, which no record length equals. Not even the bytes of one site need to fit: the file
// states the number of numbers.
std::uint64_t bytes_of(const Candidate& candidate) {
  const auto site = base::checked_multiply(candidate.spec.numbers, candidate.spec.number_bytes());
  return site ? base::checked_multiply(candidate.stored.volume(), *site).value_or(0) : 0;
}

FieldSpec in_other_precision(FieldSpec spec) noexcept {
  spec.precision = spec.precision == Precision::single ? Precision::double_ : Precision::single;
  return spec;
}

std::optional<Candidate> with_box(Candidate candidate, const RecordInfo& info, const Record& data, Findings& findings) {
  bool inside = info.lower.size() == candidate.extents.size();
  for (int d = 0; inside && d < info.lower.size(); ++d) inside = info.upper[d] < candidate.extents[d];
  if (!inside) {
    findings.error(Code::malformed, "scidac-hypercube", data,
                   fmt::format("the hypercube from {} to {} is not inside the lattice of {}", to_string(info.lower),
                               to_string(info.upper), to_string(candidate.extents)));
    return {};
  }
  candidate.stored = {info.lower, info.lower};
  for (int d = 0; d < info.lower.size(); ++d) candidate.stored.extents[d] = info.upper[d] - info.lower[d] + 1;
  return candidate;
}

// Sites that are not numbers: the record must have as many bytes as described, or something is damaged.
void report_other_sites(const Candidate& candidate, const Description& given, const Record& data, Findings& findings) {
  const RecordInfo& info = *given.record;
  const auto site = base::checked_multiply(info.typesize, info.datacount);
  const auto described = site ? base::checked_multiply(candidate.stored.volume(), *site) : std::nullopt;
  const std::string what =
      fmt::format("sites of {} times {} bytes in precision \"{}\" are not numbers of 32 or 64 bits", info.datacount,
                  info.typesize, base::printable(info.precision));
  if (described == data.data_length) {
    findings.warning("scidac-site-size", data, what);
  } else {
    findings.error(given.lattice ? Code::ok : Code::malformed, "scidac-site-size", data,
                   fmt::format("{}, and {} bytes do not fit a lattice of {}", what, data.data_length,
                               to_string(candidate.extents)));
  }
}

std::optional<Candidate> from_scidac(const Description& given, const Record& data, Findings& findings) {
  if (!given.record) return {};
  if (!given.file && !given.lattice) {
    findings.error(Code::malformed, "scidac-private-file-missing", data,
                   "no scidac-private-file-xml or ildg-format states the size of the lattice");
    return {};
  }
  Candidate candidate;
  candidate.extents = given.file ? given.file->extents : given.lattice->extents;
  candidate.stored = whole(candidate.extents);
  if (given.record->type == RecordType::hypercube) {
    const auto boxed = with_box(candidate, *given.record, data, findings);
    if (!boxed) return {};
    candidate = *boxed;
  }
  const auto spec = site_of(*given.record, candidate.extents.size());
  if (!spec) {
    report_other_sites(candidate, given, data, findings);
    return {};
  }
  candidate.spec = *spec;
  if (const std::string doubt = contradiction_in(*given.record, *spec); !doubt.empty()) {
    findings.error(Code::ok, "scidac-datatype", data, doubt);
  }
  return candidate;
}

// True if a letter in the name of a known field is damaged.
bool is_nearly_known(std::string_view field) {
  constexpr int most_colors = 9;
  if (base::one_edit_apart(field, "diracFermion")) return true;
  for (int colors = 2; colors <= most_colors; ++colors) {
    if (base::one_edit_apart(field, fmt::format("su{}gauge", colors))) return true;
  }
  return false;
}

std::optional<Candidate> from_lattice(const Description& given, const Record& data, Findings& findings) {
  if (!given.lattice || (given.record && given.record->type != RecordType::field)) return {};
  const LatticeXml& lattice = *given.lattice;
  Candidate candidate;
  candidate.extents = lattice.extents;
  candidate.stored = whole(lattice.extents);
  FieldSpec& spec = candidate.spec;
  spec.precision = lattice.precision == 32 ? Precision::single : Precision::double_;
  spec.is_complex = true;
  if (const int colors = gauge_colors(lattice.field); colors > 0) {
    spec.kind = FieldKind::gauge;
    spec.colors = colors;
    spec.links = 4;
    spec.numbers = 8ULL * static_cast<std::uint64_t>(colors) * static_cast<std::uint64_t>(colors);
  } else if (lattice.field == "diracFermion") {
    spec.kind = FieldKind::spinor;
    spec.colors = 3;
    spec.spins = 4;
    spec.numbers = 24;
    candidate.lz_is_sure = lattice.root != "etmcFormat";
  } else if (lattice.root == "etmcFormat" || is_nearly_known(lattice.field)) {
    findings.error(Code::ok, "field-unknown", data,
                   fmt::format("{} states that the field is \"{}\", which is not a known type: one letter is "
                               "damaged; its numbers are read as plain numbers",
                               lattice.root, base::printable(lattice.field)));
  }
  return candidate;
}

// formats/scidac.md 6.1: lx, ly, lt and the byte count are correct.
bool fit_lz(Candidate& candidate, std::uint64_t length) {
  Candidate one = candidate;
  one.extents[2] = 1;
  one.stored = whole(one.extents);
  const std::uint64_t layer = bytes_of(one);
  if (layer == 0 || length == 0 || length % layer != 0) return false;
  candidate.extents[2] = static_cast<std::int64_t>(length / layer);
  candidate.stored = whole(candidate.extents);
  return true;
}

// Matrices of another SU(N), the only N that makes the length equal to that of the lattice.
bool fit_colors(Candidate& candidate, std::uint64_t length) {
  constexpr int most_colors = 16;
  if (candidate.spec.kind != FieldKind::gauge) return false;
  for (const Precision precision : {Precision::single, Precision::double_}) {
    for (int colors = 2; colors <= most_colors; ++colors) {
      Candidate other = candidate;
      other.spec = gauge_spec(precision, colors, candidate.spec.links);
      other.spec.numbers = static_cast<std::uint64_t>(2 * candidate.spec.links * colors * colors);
      if (bytes_of(other) != length) continue;
      candidate = other;
      return true;
    }
  }
  return false;
}

// True if the numbers have the declared precision, and are not twice as many of half the size.
bool looks_as_declared(const Candidate& candidate, const Record& data, base::ByteSource& file) {
  return likely_precision(file, data.offset, data.data_length, ByteOrder::big) == candidate.spec.precision;
}

// Adapts the candidate to the length of the record, if that is a known deviation.
Fit fit(Candidate& candidate, const Record& data, base::ByteSource& file) {
  const std::uint64_t length = data.data_length;
  if (candidate.spec.numbers == 0) {
    const auto unit = base::checked_multiply(candidate.stored.volume(), candidate.spec.number_bytes());
    if (!unit || length == 0 || length % *unit != 0) return Fit::none;
    candidate.spec.numbers = length / *unit;
    candidate.spec.is_complex = candidate.spec.numbers % 2 == 0;
    return Fit::exact;
  }
  if (length == 0) return Fit::none;
  if (bytes_of(candidate) == length) return Fit::exact;
  Candidate other = candidate;
  other.spec = in_other_precision(candidate.spec);
  if (bytes_of(other) == length) {
    if (looks_as_declared(candidate, data, file)) return Fit::none;
    candidate = other;
    return Fit::other_precision;
  }
  if (!candidate.lz_is_sure && fit_lz(candidate, length)) return Fit::exact;
  return fit_colors(candidate, length) ? Fit::other_matrices : Fit::none;
}

std::string site_text(const FieldSpec& spec) {
  if (spec.kind == FieldKind::gauge) return fmt::format("su{} gauge {}", spec.colors, name(spec.precision));
  return fmt::format("{} {}", name(spec.kind), name(spec.precision));
}

// What the numbers show against the described lattice; empty: nothing.
std::string doubt_of_lattice(const Candidate& candidate, const Record& data, base::ByteSource& file) {
  Candidate other = candidate;
  other.spec = in_other_precision(candidate.spec);
  if (data.data_length == 0 || bytes_of(other) != data.data_length || !looks_as_declared(candidate, data, file)) {
    return {};
  }
  const std::string_view factor = candidate.spec.precision == Precision::double_ ? "half" : "twice";
  return fmt::format("; the numbers are in {} precision, as declared, of {} as many sites: the stated lattice is wrong",
                     name(candidate.spec.precision), factor);
}

void report_misfit(const Candidate& candidate, const Record& data, base::ByteSource& file, Findings& findings) {
  const std::string needed = candidate.spec.numbers == 0
                                 ? fmt::format("a multiple of {}", candidate.spec.number_bytes())
                                 : fmt::format("{}", bytes_of(candidate));
  findings.error(
      Code::malformed, "field-length", data,
      fmt::format("{} bytes, but a {} lattice of {} needs {}{}", data.data_length, to_string(candidate.extents),
                  site_text(candidate.spec), needed, doubt_of_lattice(candidate, data, file)),
      needed, fmt::format("{}", data.data_length));
}

void report_missing(const Record& data, Findings& findings) {
  const std::string sentence = "no scidac-private-record-xml or ildg-format describes the sites";
  findings.error(Code::malformed, "field-undescribed", data, sentence);
}

// Both fit the length, so it is unknown which lattice is meant.
void report_contradiction(const Candidate& scidac, const Candidate& lattice, const Record& data, Findings& findings) {
  findings.error(Code::malformed, "field-contradiction", data,
                 fmt::format("scidac-private-file-xml states {}, ildg-format states {}; both fit {} bytes",
                             to_string(scidac.extents), to_string(lattice.extents), data.data_length),
                 to_string(scidac.extents), to_string(lattice.extents));
}

bool contradicts(const Description& given, Precision precision) noexcept {
  if (!given.record) return false;
  return given.record->precision == (precision == Precision::single ? "D" : "F");
}

void report_global(const RecordInfo& info, const Record& data, Findings& findings) {
  if (base::checked_multiply(info.typesize, info.datacount) == data.data_length) {
    findings.note("scidac-global-record", data, "a global object without a lattice; read it as a record");
    return;
  }
  findings.error(Code::malformed, "scidac-global-record", data,
                 fmt::format("{} bytes, but a global object of {} times {} bytes is described; its record type or its "
                             "sizes are damaged",
                             data.data_length, info.datacount, info.typesize));
}

Payload payload_of(const Candidate& candidate, const Record& data) {
  Payload payload;
  payload.file = data.file;
  payload.offset = data.offset;
  payload.length = data.data_length;
  payload.spec = candidate.spec;
  payload.extents = candidate.extents;
  payload.stored = candidate.stored;
  return payload;
}

}  // namespace

std::optional<Payload> describe(const Description& given, const Record& data, base::ByteSource& file,
                                Findings& findings) {
  if (given.record && given.record->type == RecordType::global) {
    report_global(*given.record, data, findings);
    return {};
  }
  std::optional<Candidate> scidac = from_scidac(given, data, findings);
  std::optional<Candidate> lattice = from_lattice(given, data, findings);
  if (!scidac && !lattice) {
    if (!given.record) report_missing(data, findings);
    return {};
  }
  const Candidate declared = lattice ? *lattice : *scidac;
  const Fit scidac_fit = scidac ? fit(*scidac, data, file) : Fit::none;
  const Fit lattice_fit = lattice ? fit(*lattice, data, file) : Fit::none;
  if (scidac_fit == Fit::none && lattice_fit == Fit::none) {
    report_misfit(declared, data, file, findings);
    return {};
  }
  const bool same_fit = lattice_fit == scidac_fit;
  const bool take_lattice = same_fit ? lattice->spec.kind != FieldKind::generic : lattice_fit > scidac_fit;
  const Candidate& taken = take_lattice ? *lattice : *scidac;
  if (scidac && lattice && same_fit && scidac->extents != lattice->extents) {
    report_contradiction(*scidac, *lattice, data, findings);
    return {};
  }
  const Fit best = std::max(scidac_fit, lattice_fit);
  // Read according to the length; examinations report it.
  if (best == Fit::other_matrices) {
    findings.error(
        Code::ok, "field-colors", data,
        fmt::format("declared as {}, but {} bytes are a {} field on {}, and are read as that", site_text(declared.spec),
                    data.data_length, site_text(taken.spec), to_string(taken.extents)));
  } else if (best == Fit::other_precision || contradicts(given, taken.spec.precision)) {
    findings.error(Code::ok, "field-precision", data,
                   fmt::format("declared with another precision, but {} bytes are a {} field", data.data_length,
                               site_text(taken.spec)));
  } else if (scidac && lattice && !same_fit) {
    findings.error(Code::ok, "field-contradiction", data,
                   fmt::format("scidac-private records and {} describe different fields; the length of the record "
                               "fits {} {}",
                               given.lattice->root, to_string(taken.extents), site_text(taken.spec)));
  }
  return payload_of(taken, data);
}

}  // namespace lq::format::scidac
