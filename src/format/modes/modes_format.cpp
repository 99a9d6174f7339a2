// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sets of modes as a format (formats/modes.md).
#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "base/error.hpp"
#include "format/formats.hpp"
#include "format/lime/header.hpp"
#include "format/lime/lime_format.hpp"
#include "format/modes/set.hpp"

namespace lq::format::modes {
namespace {

using lime::Piece;
using lq::modes::Storage;

// A larger index is considered a mistake.
constexpr std::uint64_t largest_block = std::uint64_t{1} << 36;

// For a set of one kind of field without further information.
Description described_by(const FieldRequest& request) {
  Description description;
  description.lattice = request.extents;
  description.site = request.spec;
  description.storage = request.spec.precision == Precision::single ? Storage::single : Storage::double_;
  return description;
}

void require_fit(const FieldRequest& request, const Description& description, bool is_whole) {
  const FieldSpec field = is_whole ? description.field() : description.coefficients();
  const bool is_same_site = request.spec.numbers == field.numbers && request.spec.is_complex == field.is_complex;
  if (request.extents == (is_whole ? description.sites() : description.blocks()) && is_same_site) return;
  base::fail(Code::invalid_argument, {.expected = to_string(description.sites()), .found = to_string(request.extents)},
             "the vectors of this set are on {} and have {} {} numbers per site; this one is on {} and has {} {}",
             to_string(description.sites()), field.numbers, field.is_complex ? "complex" : "real",
             to_string(request.extents), request.spec.numbers, request.spec.is_complex ? "complex" : "real");
}

void require_plain(const FieldRequest& request) {
  if (request.stored && *request.stored != whole(request.extents)) {
    throw Error(Code::unsupported,
                "a set of modes holds whole vectors, not parts of a lattice; write a \"scidac\" file");
  }
  if (!request.checksum) {
    throw Error(Code::invalid_argument, "a set of modes needs its checksums to detect damage; leave verify unchanged");
  }
}

Block block_for(const Description& description, std::uint64_t first, std::uint64_t room) {
  return {.entry_bytes = entry_bytes(description), .room = room, .first = first};
}

// The block for one more mode: the last one, or a new one at the end of the file, with twice the capacity.
struct Target {
  PlacedBlock at;
  std::optional<PlacedBlock> full = {};  // the previous one, which refers to a new one
  bool is_new = false;
};

Target target_in(const Head& head) {
  const PlacedBlock& last = head.blocks.back();
  if (last.block.count < last.block.room) return {.at = last};
  std::uint64_t room = last.block.room * 2;
  while (room > 1 && room > largest_block / last.block.entry_bytes) room /= 2;
  return {.at = {block_for(head.description, head.size(), room), 0}, .full = last, .is_new = true};
}

// The end of the records that the index lists.
std::uint64_t end_of(base::ByteSource& file, const Head& head) {
  std::uint64_t end = 0;
  for (const PlacedBlock& at : head.blocks) {
    end = std::max(end, at.offset + at.block.bytes() + lime::padding(at.block.bytes()));
  }
  for (auto at = head.blocks.rbegin(); at != head.blocks.rend(); ++at) {
    const Block& block = at->block;
    if (block.count == 0) continue;
    std::vector<std::byte> bytes(static_cast<std::size_t>(block.entry_bytes));
    bytes.resize(file.read_at(at->offset + Block::head_bytes + (block.count - 1) * block.entry_bytes, bytes));
    const auto last = decode_entry(bytes, head.description);
    if (!last) {
      base::fail(Code::malformed, {.path = file.path(), .record = std::string(type::index)},
                 "the entry of the last mode in the index is damaged; `lq repair {} -o GOOD` rebuilds it", file.path());
    }
    const std::uint64_t length = payload_at(head.description, 0, last->is_whole()).length;
    return std::max(end, last->offset + length + lime::padding(length) + lime::header_bytes + block.entry_bytes +
                             lime::padding(block.entry_bytes));
  }
  return end;
}

// After bytes that the index does not list, programs that walk the file would find no further record.
void require_no_tail(base::ByteSource& file, const Head& head, std::uint64_t end) {
  const std::uint64_t of_index = end_of(file, head);
  if (end <= of_index) return;
  base::fail(Code::wrong_state, {.path = file.path(), .offset = of_index},
             "after the last of its {} modes, at byte {}, there are {} bytes that the index does not list: an append "
             "was interrupted, and its journal is missing. \"lq repair {} -o GOOD\" makes a set without them, to which "
             "you can append",
             head.size(), of_index, end - of_index, file.path());
}

void append(std::vector<Literal>& to, std::vector<Literal> more) {
  to.insert(to.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

}  // namespace

NewSet plan_set(const Description& description, const std::vector<std::string>& unproven) {
  check(description);
  std::string document = encode(description);
  for (const std::string& text : unproven) document = with_unproven(document, text);
  NewSet set;
  set.block.block = block_for(description, 0, description.room);
  if (set.block.block.bytes() > largest_block) {
    base::fail(Code::too_large, {}, "an index of {} bytes for {} modes; request a smaller one, it grows automatically",
               set.block.block.bytes(), description.room);
  }
  lime::Placed placed;
  lime::place_message(
      {{std::string(type::head), std::move(document), {}}, {std::string(type::index), {}, set.block.block.bytes()}}, 0,
      placed);
  set.block.offset = placed.offsets.back();
  set.literals = std::move(placed.literals);
  set.literals.push_back({0, set.block.offset, encode(set.block.block)});
  set.literals.push_back({0, placed.end - 1, {std::byte{0}}});  // sets the file size
  set.end = placed.end;
  return set;
}

Layout plan_mode(const FieldRequest& request) {
  require_plain(request);
  Layout layout;
  Description description;
  Target target;
  std::uint64_t end = request.offset;
  if (request.before != nullptr && request.before->size() > 0) {
    const Head head = read_whole_head(*request.before);
    require_no_tail(*request.before, head, end);
    description = head.description;
    target = target_in(head);
  } else {
    description = described_by(request);
    NewSet set = plan_set(description);
    target.at = set.block;
    // After another mode, a file that does not exist yet is planned for its size only.
    if (end == 0) {
      append(layout.head, std::move(set.literals));
      end = set.end;
    }
  }
  const Mode mode = mode_of(request.metadata);
  const bool is_whole = !mode.error;
  require_fit(request, description, is_whole);
  lime::Placed placed;
  if (target.is_new) {
    lime::place_message({{std::string(type::index), {}, target.at.block.bytes()}}, end, placed);
    target.at.offset = placed.offsets.back();
    end = placed.end;
  }
  Payload payload = payload_at(description, 0, is_whole);
  lime::place_message({{std::string(is_whole ? type::data : type::coefficients), {}, payload.length},
                       {std::string(type::mode), {}, entry_bytes(description)}},
                      end, placed);
  const std::size_t pieces = placed.offsets.size();
  payload.offset = placed.offsets[pieces - 2];
  const std::uint64_t entry_at = placed.offsets[pieces - 1];
  append(layout.head, std::move(placed.literals));
  layout.payload = {payload};
  layout.end = {placed.end};
  layout.sums = sum_names();
  Entry entry{.number = target.at.block.first + target.at.block.count, .offset = payload.offset, .mode = mode};
  layout.tail = [entry, target, description, entry_at](const Digest& digest) {
    Entry known = entry;
    known.sums = digest.sums;
    const std::vector<std::byte> bytes = encode(known, description);
    Block block = target.at.block;
    const std::uint64_t in_index = target.at.offset + Block::head_bytes + block.count * block.entry_bytes;
    ++block.count;
    std::vector<Literal> literals{{0, entry_at, bytes}, {0, in_index, bytes}, {0, target.at.offset, encode(block)}};
    if (target.full) {
      Block full = target.full->block;
      full.next = target.at.offset;
      literals.push_back({0, target.full->offset, encode(full)});
    }
    return literals;
  };
  return layout;
}

namespace {

// Contents of records that a scan does not check.
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

// The record of each mode must agree with the index.
void check_modes(base::ByteSource& file, const Catalog& catalog, Findings& findings) {
  const Description description = decode_description(catalog.metadata.front().second);
  for (std::size_t k = 0; k < catalog.fields.size(); ++k) {
    const FieldEntry& field = catalog.fields[k];
    const Record& record = catalog.records.at(static_cast<std::size_t>(field.record) + 1);
    std::vector<std::byte> bytes(static_cast<std::size_t>(record.data_length));
    bytes.resize(file.read_at(record.offset, bytes));
    const Mode mode = mode_of(field.metadata);
    if (!std::isfinite(mode.eigenvalue.real()) || !std::isfinite(mode.eigenvalue.imag())) {
      findings.warning("not-finite", record, fmt::format("the eigenvalue of mode {} is NaN or infinite", k));
    }
    if (bytes == encode(Entry{k, field.payload.offset, mode, field.sums}, description)) continue;
    findings.error(Code::malformed, "modes-record", record,
                   fmt::format("the record of mode {} does not match the index", k));
  }
}

class Modes final : public Container, public FieldFormat, public Repairer, public Examiner {
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
  bool knows_all_records() const noexcept override { return true; }  // by its index
  std::optional<std::uint64_t> mend(base::EditedSource& file, const Limits& limits, Findings& done) const override {
    modes::mend(file, limits, done);
    return std::nullopt;
  }
};

// Compares the index with the records: every header, and the facts about each mode.
Examined Modes::examine(base::ByteSource& file, const Catalog& catalog, const Limits& limits) const {
  Examined examined;
  if (catalog.metadata.empty()) return examined;  // the scan has reported that nothing is known
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
  if (findings.count("not-finite") > 0) {
    examined.claims.push_back({"index", "finite eigenvalues", Evidence::nature, outcome(false)});
  }
  if (read_head(file).has_sum) {
    const Record& head = catalog.record(type::head);
    examined.claims.push_back(
        {head.type, "fnv1a", Evidence::exact_sum, Outcome::agrees, head.offset, head.data_length});
  } else {
    examined.claims.push_back({std::string(type::head), "fnv1a", Evidence::exact_sum, Outcome::absent, {}, {}});
    claim_uncovered(catalog, type::head, examined);
  }
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
      .repairer = &modes,
      .examiner = &modes,
      .record_types = type::all};
  return row;
}
