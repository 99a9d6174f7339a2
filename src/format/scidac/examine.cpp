// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Checks of verify beyond the scan of a file and the sums of its fields.
#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "format/findings.hpp"
#include "format/format.hpp"
#include "format/lime/header.hpp"
#include "format/record_texts.hpp"
#include "format/scidac/documents.hpp"
#include "format/scidac/records.hpp"
#include "format/scidac/scidac_base.hpp"
#include "kernels/crc32.hpp"

namespace lq::format::scidac {
namespace {

constexpr std::size_t searched_bytes = 1 << 20;

class Examination {
 public:
  Examination(base::ByteSource& file, const Catalog& catalog) : file_(file), catalog_(catalog) {}

  Examined run() {
    const std::vector<Group> groups = group_records(catalog_.records, catalog_.file_bytes).groups;
    for (const Group& group : groups) tell_description(group);
    std::ranges::sort(covered_);
    for (const Record& record : catalog_.records) {
      look_for_headers(record);
      tell_uncovered(record);
    }
    for (const Group& group : groups) compare_global(group);
    for (const FieldEntry& field : catalog_.fields) compare_precision(field);
    compare_lattices();
    require_data();
    examined_.findings = findings_.take();
    return std::move(examined_);
  }

 private:
  void look_for_headers(const Record& record);
  void tell_description(const Group& group);
  void tell_uncovered(const Record& record);
  void compare_global(const Group& group);
  void compare_precision(const FieldEntry& field);
  void compare_lattices();
  void require_data();
  std::uint32_t crc_of(const Record& record);

  base::ByteSource& file_;
  const Catalog& catalog_;
  Findings findings_;
  Examined examined_;
  std::vector<std::uint64_t> covered_;  // offsets of records with a sum of their own
};

// A damaged length makes the following records part of a text, which is then not valid and skipped.
void Examination::look_for_headers(const Record& record) {
  const Role role = role_of(record.type);
  if (role == Role::data || role == Role::binary || record.data_length < lime::header_bytes) return;
  std::vector<std::byte> bytes(static_cast<std::size_t>(std::min<std::uint64_t>(record.data_length, searched_bytes)));
  bytes.resize(file_.read_at(record.offset, bytes));
  for (std::size_t at = 0; at + lime::header_bytes <= bytes.size(); at += 8) {
    const base::Bytes candidate = base::Bytes(bytes).subspan(at, lime::header_bytes);
    if (!lime::has_magic(candidate) || !lime::resembles_header(candidate)) continue;
    findings_.error(Code::ok, "lime-records-lost", record,
                    fmt::format("it contains an apparent record \"{}\", at byte {}: its length is damaged, and the "
                                "records after it are not found",
                                lime::decode(candidate.first<lime::header_bytes>()).type, record.offset + at));
    return;
  }
}

// Scans compare it. Generic fields that Limequat wrote without it are known by their type.
void Examination::tell_description(const Group& group) {
  if (!group.record_info) return;
  const Record& info = catalog_.records[*group.record_info];
  Claim claim{info.type, "fnv1a", Evidence::exact_sum, Outcome::agrees, info.offset, info.data_length};
  if (!group.description) {
    ReadAhead window(file_);
    const Limits limits;
    if (TextReader(window, limits).document(info).find("<datatype>LQ_Sites_") == std::string::npos) return;
    claim.outcome = Outcome::absent;
  } else {
    const Record& sum = catalog_.records[*group.description];
    const auto differs = [&](const Finding& finding) {
      return finding.rule == "limequat-description" && finding.offset == sum.header_offset;
    };
    if (std::ranges::any_of(catalog_.findings, differs)) claim.outcome = Outcome::differs;
    covered_.insert(covered_.end(), {info.offset, sum.offset});
    if (group.name) covered_.push_back(catalog_.records[*group.name].offset);
    for (const RecordIndex i : group.texts) {
      if (catalog_.records[i].type == type::limequat_site_shape) covered_.push_back(catalog_.records[i].offset);
    }
  }
  examined_.claims.push_back(std::move(claim));
}

// The SciDAC checksum covers sites. The sums themselves are compared with the data.
void Examination::tell_uncovered(const Record& record) {
  const Role role = role_of(record.type);
  if (role == Role::data || role == Role::checksum || role == Role::slices || record.data_length == 0) return;
  if (std::ranges::binary_search(covered_, record.offset)) return;
  examined_.claims.push_back(uncovered(record));
}

std::uint32_t Examination::crc_of(const Record& record) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(std::min<std::uint64_t>(record.data_length, searched_bytes)));
  std::uint32_t crc = 0;
  for (std::uint64_t at = 0; at < record.data_length;) {
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), record.data_length - at));
    const std::size_t got = file_.read_at(record.offset + at, base::MutableBytes(bytes).first(wanted));
    if (got == 0) break;
    crc = kernels::crc32(crc, base::Bytes(bytes).first(got));
    at += got;
  }
  return crc;
}

// Data without a lattice are one site, of rank 0 (formats/scidac.md 4.4). They are not read as a field.
void Examination::compare_global(const Group& group) {
  const auto is_its_field = [&](const FieldEntry& field) { return field.record == group.data; };
  if (!group.record_info || !group.checksum || std::ranges::any_of(catalog_.fields, is_its_field)) return;
  const Record &data = catalog_.records[group.data], &sum = catalog_.records[*group.checksum];
  ReadAhead window(file_);
  const Limits limits;
  TextReader texts(window, limits);
  Claim claim{data.type, "scidac", Evidence::exact_sum, Outcome::unreadable, data.offset, data.data_length};
  try {
    const Record& info = catalog_.records[*group.record_info];
    if (decode_record_info(texts.document(info)).type != RecordType::global) return;
    const auto stated = decode_checksum(texts.document(sum));
    const std::uint32_t crc = crc_of(data);
    const bool agrees = stated && *stated == Checksum{crc, crc};
    claim.outcome = !stated ? Outcome::absent : agrees ? Outcome::agrees : Outcome::differs;
    if (stated && !agrees) {
      findings_.error(Code::ok, "scidac-global-record", data,
                      fmt::format("the data have the checksum {}, the file states {}", to_string(Checksum{crc, crc}),
                                  to_string(*stated)),
                      to_string(*stated), to_string(Checksum{crc, crc}));
    }
  } catch (const Error& error) {
    if (error.code() != Code::malformed && error.code() != Code::too_large) throw;
    findings_.error(Code::ok, "scidac-global-record", sum, error.what());
  }
  examined_.claims.push_back(std::move(claim));
}

// A single letter says whether a generic site has doubles or twice as many single numbers; for other fields colours
// and spins show it, too.
void Examination::compare_precision(const FieldEntry& field) {
  const Payload& payload = field.payload;
  if (payload.spec.kind != FieldKind::generic || !payload.is_in_one_piece() || !catalog_.files.empty()) return;
  const auto looks = likely_precision(file_, payload.offset, payload.length, payload.byte_order);
  if (!looks) return;
  const bool agrees = *looks == payload.spec.precision;
  examined_.claims.push_back({field.name, "precision", Evidence::nature, agrees ? Outcome::agrees : Outcome::differs,
                              payload.offset, payload.length});
  if (agrees) return;
  findings_.warning("field-precision", catalog_.records.at(static_cast<std::size_t>(field.record)),
                    fmt::format("described as numbers in {} precision, but they look like ones in {} precision",
                                name(payload.spec.precision), name(*looks)));
}

// Half of a lattice twice as large has the same number of sites, and only a text without a checksum tells which it is.
void Examination::compare_lattices() {
  const bool has_subset =
      std::ranges::find(catalog_.findings, "scidac-subset", &Finding::rule) != catalog_.findings.end();
  if (!has_subset) return;
  for (const FieldEntry& field : catalog_.fields) {
    const Extents &first = catalog_.fields.front().payload.extents, &here = field.payload.extents;
    if (here == first) continue;
    const auto [offset, length] = std::pair(field.payload.offset, field.payload.length);
    examined_.claims.push_back({field.name, "lattice", Evidence::nature, Outcome::differs, offset, length});
    findings_.warning("scidac-lattices", catalog_.records.at(static_cast<std::size_t>(field.record)),
                      fmt::format("its lattice is {}, but the first field of the file is on {}: the text "
                                  "that says so is damaged for one of them",
                                  to_string(here), to_string(first)));
    return;
  }
}

// One of several files begins with the list of its sites.
void Examination::require_data() {
  const auto is_data = [](const Record& record) { return role_of(record.type) == Role::data; };
  if (catalog_.records.empty() || catalog_.records.front().type != type::sitelist) return;
  if (std::ranges::any_of(catalog_.records, is_data)) return;
  findings_.error(
      Code::truncated, "scidac-data-missing", catalog_.records.front(),
      "it lists sites, but no record with their data follows: it is truncated, or the headers after it are damaged");
}

}  // namespace

Examined examine(base::ByteSource& file, const Catalog& catalog) { return Examination(file, catalog).run(); }

}  // namespace lq::format::scidac
