// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Plain LIME files: records and messages, no lattice.
#include "format/lime/lime_format.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/checked.hpp"
#include "base/text.hpp"
#include "format/formats.hpp"
#include "format/lime/header.hpp"
#include "format/lime/walk.hpp"
#include "format/record_texts.hpp"

namespace lq::format::lime {
namespace {

void append(std::vector<Literal>& literals, std::uint64_t offset, base::Bytes bytes) {
  if (bytes.empty()) return;
  if (literals.empty() || literals.back().offset + literals.back().bytes.size() != offset) {
    literals.push_back({0, offset, {}});
  }
  std::vector<std::byte>& target = literals.back().bytes;
  target.insert(target.end(), bytes.begin(), bytes.end());
}

}  // namespace

void place_message(const std::vector<Piece>& pieces, std::uint64_t offset, Placed& placed) {
  constexpr std::array<std::byte, 8> zeros{};
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const Piece& piece = pieces[i];
    Header header;
    header.mb_flag = i == 0;
    header.me_flag = i + 1 == pieces.size();
    header.data_length = piece.data_length();
    header.type = piece.type;
    append(placed.literals, offset, encode(header));

    const std::uint64_t payload = base::add_or_throw(offset, header_bytes, "the size of the file");
    const std::uint64_t behind = base::add_or_throw(payload, header.data_length, "the size of the file");
    if (!piece.reserved) append(placed.literals, payload, base::as_bytes(piece.contents));
    append(placed.literals, behind, base::Bytes(zeros).first(padding(header.data_length)));
    placed.offsets.push_back(payload);
    offset = base::add_or_throw(behind, padding(header.data_length), "the size of the file");
  }
  placed.end = offset;
}

Layout plan_record(std::string_view type, std::string_view contents, std::uint64_t offset) {
  require_own_type(type);
  Placed placed;
  place_message({Piece{std::string(type), std::string(contents), {}}}, offset, placed);
  Layout layout;
  layout.head = std::move(placed.literals);
  layout.end = {placed.end};
  return layout;
}

namespace {

class Lime final : public Container, public RecordFormat, public format::Repairer, public Examiner {
 public:
  Likeness recognise(base::ByteSource& file) const override;
  Catalog scan(base::ByteSource& file, const Limits& limits) const override;
  std::vector<Finding> validate(base::ByteSource& file, const Catalog& catalog) const override;
  std::vector<Annotation> explain(base::ByteSource& file, const Catalog& catalog) const override;
  // Records of any kind have no sums.
  Examined examine(base::ByteSource&, const Catalog&, const Limits&) const override {
    return {{{.of = "records", .name = "checksum", .outcome = Outcome::absent}}, {}};
  }

  Layout plan_record(const RecordRequest& request) const override {
    return lime::plan_record(request.type, request.contents, request.offset);
  }

  std::optional<std::uint64_t> mend(base::EditedSource& file, const Limits&, Findings& done) const override {
    const RepairedHeaders repaired = repair_headers(file, {}, done);
    for (const Doubt& doubt : repaired.doubts) {
      report(doubt, *std::ranges::find(repaired.records, doubt.record, &Record::header_offset), done);
    }
    return std::nullopt;  // without a lattice an incomplete record is unusable
  }
};

Likeness Lime::recognise(base::ByteSource& file) const {
  HeaderBytes start{};
  const base::Bytes held = base::Bytes(start).first(file.read_at(0, start));
  if (has_magic(held)) return Likeness::yes;
  return resembles_header(held) ? Likeness::maybe : Likeness::no;
}

// Files with records that only Limequat writes have a first record that identifies them; this one has another.
void report_lost_head(const std::vector<Record>& records, Findings& findings) {
  const auto types = known_record_types();
  const auto is_ours = [&](const Record& record) {
    return record.type.starts_with("limequat-") && std::ranges::find(types, record.type) != types.end();
  };
  const auto first = std::ranges::find_if(records, is_ours);
  if (first == records.end()) return;
  findings.error(Code::malformed, "lime-head-lost", *first,
                 fmt::format("a record \"{}\", but the first record is \"{}\", so programs do not recognise the file; "
                             "its type may be damaged",
                             first->type, base::printable(records.front().type)));
}

// Only texts, one of which accompanies a field: truncation at the end of a record leaves no other
// trace.
bool lacks_field(const Catalog& catalog, Findings& findings) {
  const auto types = known_record_types();
  const auto is_known = [&](const Record& record) { return std::ranges::find(types, record.type) != types.end(); };
  const auto first = std::ranges::find_if(catalog.records, is_known);
  const bool are_texts = catalog.metadata.size() == catalog.records.size();
  if (first == catalog.records.end() || !are_texts || findings.has_errors()) return false;
  findings.error(Code::truncated, "lime-field-missing", *first,
                 "it belongs to a field, but the file has none: it was truncated, or its writer did not end; copy it "
                 "again from its source");
  return true;
}

Catalog Lime::scan(base::ByteSource& file, const Limits& limits) const {
  ReadAhead window(file);
  Findings findings;
  Walk walked = walk(window, limits, findings);
  Catalog catalog;
  catalog.path = file.path();
  catalog.format = "lime";
  catalog.file_bytes = window.size();
  catalog.records = std::move(walked.records);
  catalog.complete = !walked.truncated;
  if (walked.inside_message && !walked.truncated) {
    findings.warning("lime-message-end", catalog.records.back(), "the last message of the file is not ended (ME)");
  }
  report_lost_head(catalog.records, findings);
  TextReader texts(window, limits);
  for (const Record& record : catalog.records) {
    if (record.data_length > window.size() - record.offset) continue;
    if (auto text = texts.text(record)) catalog.metadata.emplace_back(record.type, std::move(*text));
  }
  if (lacks_field(catalog, findings)) catalog.complete = false;
  catalog.findings = findings.take();
  return catalog;
}

std::vector<Finding> Lime::validate(base::ByteSource& file, const Catalog& catalog) const {
  Findings findings;
  for (const Finding& finding : catalog.findings) findings.add(finding);
  check_headers(file, catalog, findings);
  return findings.take();
}

std::vector<Annotation> Lime::explain(base::ByteSource& file, const Catalog& catalog) const {
  return lime::explain(file, catalog, [](const Record&) { return Meaning{"payload", "formats/lime.md 4"}; });
}

}  // namespace

}  // namespace lq::format::lime

const lq::format::Format& lq::format::lime_format() {
  using namespace lime;
  static const Lime lime;
  static const Format row{.info = {"lime", "records of any kind", beginning, {}, Contents::records},
                          .container = &lime,
                          .records = &lime,
                          .repairer = &lime,
                          .examiner = &lime};
  return row;
}
