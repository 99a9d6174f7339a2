// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sets of modes as a format (formats/modes.md).

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "format/formats.hpp"
#include "format/lime/explain.hpp"
#include "format/lime/header.hpp"
#include "format/lime/rules.hpp"
#include "format/modes/mend.hpp"
#include "format/modes/plan.hpp"
#include "format/modes/scan.hpp"

namespace lq::format::modes {
namespace {

// What the records say beside what a scan believes.
void check_records(base::ByteSource& file, const Catalog& catalog, const Limits& limits, Findings& findings) {
  ReadAhead window(file);
  const std::vector<Record> records = lime::walk(window, limits, findings, lime::Ending::closed).records;
  const auto is_same = [](const Record& a, const Record& b) {
    return a.type == b.type && a.header_offset == b.header_offset && a.data_length == b.data_length &&
           a.mb_flag == b.mb_flag && a.me_flag == b.me_flag;
  };
  const auto [found, listed] = std::ranges::mismatch(records, catalog.records, is_same);
  if (found == records.end() && listed == catalog.records.end()) return;
  const Record& where = listed != catalog.records.end() ? *listed : *found;
  findings.error(Code::malformed, "modes-records", where,
                 fmt::format("the records of the file differ from those that the index lists, from byte {} on",
                             where.header_offset));
}

// The record of each mode holds what the index says.
void check_modes(base::ByteSource& file, const Catalog& catalog, Findings& findings) {
  const Description description = decode_description(catalog.metadata.front().second);
  for (std::size_t k = 0; k < catalog.fields.size(); ++k) {
    const FieldEntry& field = catalog.fields[k];
    const Record& record = catalog.records.at(static_cast<std::size_t>(field.record) + 1);
    std::vector<std::byte> bytes(static_cast<std::size_t>(record.data_length));
    bytes.resize(file.read_at(record.offset, bytes));
    if (bytes == encode(Entry{k, field.payload.offset, mode_of(field.metadata), field.sums}, description)) continue;
    findings.error(Code::malformed, "modes-record", record,
                   fmt::format("the record of mode {} does not match the index", k));
  }
}

class Modes final : public Container, public FieldFormat, public Mender, public Examiner {
 public:
  Likeness recognise(base::ByteSource& file) const override {
    lime::HeaderBytes start{};
    if (file.read_at(0, start) < start.size() || !lime::has_magic(start)) return Likeness::no;
    return lime::decode(start).type == type::head ? Likeness::yes : Likeness::no;
  }
  Catalog scan(base::ByteSource& file, const Limits& limits) const override { return scan_set(file, limits); }
  std::vector<Finding> validate(base::ByteSource& file, const Catalog& catalog) const override {
    Findings findings;
    for (const Finding& finding : catalog.findings) findings.add(finding);
    for (Finding& finding : examine(file, catalog, {}).findings) findings.add(std::move(finding));
    if (!catalog.metadata.empty()) lime::check_headers(file, catalog, findings);
    return findings.take();
  }
  Examined examine(base::ByteSource& file, const Catalog& catalog, const Limits& limits) const override;
  std::vector<Annotation> explain(base::ByteSource& file, const Catalog& catalog) const override;

  bool is_for(const FieldSpec& spec, const Extents&) const override { return spec.kind != FieldKind::gauge; }
  Layout plan(const FieldRequest& request) const override {
    if (request.spec.kind == FieldKind::gauge) {
      throw Error(Code::unsupported, "a set of modes holds vectors only; write links in another format");
    }
    return plan_mode(request);
  }
  Layout plan_record(const RecordRequest&) const override {
    throw Error(Code::unsupported,
                "a set of modes holds vectors only; write records into a file of the format lime, scidac or hdf5");
  }
  Metadata carried(const Metadata& texts, bool) const override {
    Metadata kept = texts;
    std::erase_if(kept, [](const auto& text) { return text.first != "eigenvalue" && text.first != "residual"; });
    return kept;
  }
  void store_sums(base::EditedSource& file, const Catalog& catalog, const FieldEntry& entry,
                  const Digest& sums) const override {
    modes::store_sums(file, catalog, entry, sums);
  }
  std::optional<std::uint64_t> mend(base::EditedSource& file, const Limits& limits, Findings& done) const override {
    modes::mend(file, limits, done);
    return std::nullopt;
  }
};

// The index against the records: every header, and what is said of each mode.
Examined Modes::examine(base::ByteSource& file, const Catalog& catalog, const Limits& limits) const {
  Examined examined;
  if (catalog.metadata.empty()) return examined;  // the scan has said that nothing can be known
  Findings findings;
  check_records(file, catalog, limits, findings);
  const bool have_records = !findings.has_errors();
  check_modes(file, catalog, findings);
  const auto outcome = [](bool agrees) { return agrees ? Outcome::agrees : Outcome::differs; };
  const bool is_index_whole =
      std::ranges::find(catalog.findings, "modes-index-damaged", &Finding::rule) == catalog.findings.end();
  if (is_index_whole) examined.claims.push_back({.of = "index", .name = "fnv1a"});
  examined.claims.push_back({"index", "records", Evidence::structure, outcome(have_records)});
  examined.claims.push_back(
      {"index", "records of the modes", Evidence::second_copy, outcome(findings.count("modes-record") == 0)});
  claim_uncovered(catalog, type::head, examined);
  examined.findings = findings.take();
  std::erase_if(examined.findings, [&](const Finding& finding) {
    const auto is_same = [&](const Finding& told) {
      return told.rule == finding.rule && told.message == finding.message && told.offset == finding.offset;
    };
    return std::ranges::any_of(catalog.findings, is_same);
  });
  return examined;
}

std::vector<Annotation> Modes::explain(base::ByteSource& file, const Catalog& catalog) const {
  return lime::explain(file, catalog, [](const Record& record) -> lime::Meaning {
    if (record.type == type::head) return {"description of the set", "formats/modes.md 3"};
    if (record.type == type::index) return {"index: head of the block and entries", "formats/modes.md 4"};
    if (record.type == type::mode) return {"entry of the mode", "formats/modes.md 4.2"};
    if (record.type == type::coefficients) return {"coefficients of a vector", "formats/modes.md 6"};
    return {"vector", "formats/modes.md 5"};
  });
}

}  // namespace

}  // namespace lq::format::modes

const lq::format::Format& lq::format::modes_format() {
  using namespace modes;
  static const Modes modes;
  static constexpr std::array<std::string_view, 1> suffixes{".modes"};
  static const Format row{
      .info = {"modes", "vectors on one lattice, with eigenvalues", lime::beginning, suffixes, Contents::fields},
      .container = &modes,
      .fields = &modes,
      .mender = &modes,
      .examiner = &modes,
      .record_types = type::all};
  return row;
}
