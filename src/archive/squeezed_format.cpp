// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "archive/squeezed_format.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "archive/archive.hpp"
#include "archive/codec/tile.hpp"
#include "archive/cut.hpp"
#include "archive/mend.hpp"
#include "archive/new_archive.hpp"
#include "archive/restored.hpp"
#include "format/component.hpp"
#include "format/lime/explain.hpp"
#include "format/lime/header.hpp"
#include "format/lime/rules.hpp"

namespace lq::archive {
namespace {

using format::Findings;

// The field of the original as it lies in the archive; false: it does not lie in tiles.
bool move_into_tiles(FieldEntry& entry, const Archive& archive, const std::vector<Record>& records) {
  auto payload = in_tiles(entry.payload, archive);
  if (!payload) return false;
  const auto is_first = [&](const Record& record) {
    return record.offset <= payload->tiles.front().offset &&
           payload->tiles.front().offset - record.offset < record.data_length;
  };
  const auto record = std::ranges::find_if(records, is_first);
  if (record == records.end()) return false;
  entry.record = static_cast<std::uint64_t>(record - records.begin());
  entry.payload = *std::move(payload);
  return true;
}

// What the original's own format says of it.
Catalog scan_original(base::ByteSource& file, const Archive& archive, const Limits& limits) {
  const format::Format& original = format::format_named(archive.format);
  if (original.container == format().container) throw Error(Code::malformed, "an archive of an archive");
  auto restored = RestoredSource::first_file(file, archive, RestoredSource::Damage::reads_as_zeros);
  return original.container->scan(restored, limits);
}

// Segments of more bytes are summed only where every rule is checked.
constexpr std::uint64_t summed_at_once = base::mebi;

void check_verbatim(base::ByteSource& file, const Archive& archive, bool large_ones, Findings& findings) {
  for (const Segment& segment : archive.segments) {
    if (segment.is_squeezed() || large_ones != (segment.length > summed_at_once)) continue;
    const std::uint32_t crc = crc_of(file, segment);
    if (crc == segment.crc) continue;
    findings.add(
        {.severity = Severity::error,
         .code = Code::checksum_mismatch,
         .rule = "squeezed-verbatim",
         .message = fmt::format("bytes of the original that are stored as they are have the CRC-32 {:08x}, not "
                                "{:08x}",
                                crc, segment.crc),
         .record = std::string(type::verbatim),
         .offset = segment.place,
         .length = segment.length});
  }
}

class Squeezed final : public format::Container,
                       public format::FieldFormat,
                       public format::Mender,
                       public format::Examiner {
 public:
  format::Likeness recognise(base::ByteSource& file) const override {
    format::lime::HeaderBytes start{};
    if (file.read_at(0, start) < start.size() || !format::lime::has_magic(start)) return format::Likeness::no;
    return format::lime::decode(start).type == type::head ? format::Likeness::yes : format::Likeness::no;
  }
  Catalog scan(base::ByteSource& file, const Limits& limits) const override;
  std::vector<Finding> validate(base::ByteSource& file, const Catalog& catalog) const override;
  std::vector<Annotation> explain(base::ByteSource& file, const Catalog& catalog) const override {
    return format::lime::explain(file, catalog, [](const Record& record) -> format::lime::Meaning {
      if (record.type == type::head) return {"what the original was", "formats/squeezed.md 3.1"};
      if (record.type == type::verbatim) return {"bytes of the original as they are", "formats/squeezed.md 3.2"};
      if (record.type == type::data) return {"tiles", "formats/squeezed.md 4"};
      return {"index: segments and lengths of tiles", "formats/squeezed.md 3.3"};
    });
  }

  bool is_for(const FieldSpec&, const Extents&) const override { return true; }
  format::Layout plan(const format::FieldRequest& request) const override { return plan_archive(request); }
  format::Layout plan_record(const format::RecordRequest&) const override {
    throw Error(Code::unsupported,
                "an archive holds a whole file of another format; write records into that, then `lq squeeze` it");
  }
  Metadata carried(const Metadata& texts, bool precision_changes) const override {
    return format::format_named("ildg").for_fields().carried(texts, precision_changes);
  }
  std::optional<std::uint64_t> mend(base::EditedSource& file, const Limits& limits, Findings& done) const override {
    name_lost_tiles(file, limits, done);
    return std::nullopt;
  }
  // All but the head, which names the original, has CRCs that the scan and the reading of tiles compare.
  format::Examined examine(base::ByteSource&, const Catalog& catalog, const Limits&) const override {
    format::Examined examined;
    for (const Record& record : catalog.records) {
      if (record.type == type::head) examined.claims.push_back(format::uncovered(record));
    }
    return examined;
  }
  const format::TileCodec* tile_codec(std::string_view encoding) const override { return codec_named(encoding); }
  void store_sums(base::EditedSource&, const Catalog& catalog, const FieldEntry&,
                  const format::Digest&) const override {
    throw Error(Code::unsupported,
                fmt::format("{}: sums are stored in the original file: `lq unsqueeze` it, `lq sum` that, and squeeze "
                            "it again",
                            catalog.path),
                {.path = catalog.path});
  }
};

Catalog Squeezed::scan(base::ByteSource& file, const Limits& limits) const {
  Catalog catalog;
  catalog.path = file.path();
  catalog.format = "squeezed";
  catalog.file_bytes = file.size();
  Findings findings;
  try {
    Read read = read_archive(file, limits, findings);
    catalog.records = std::move(read.records);
    check_verbatim(file, read.archive, false, findings);
    Catalog original = scan_original(file, read.archive, limits);
    for (const Finding& finding : original.findings) findings.add(finding);
    catalog.metadata = std::move(original.metadata);
    for (FieldEntry& entry : original.fields) {
      if (move_into_tiles(entry, read.archive, catalog.records)) catalog.fields.push_back(std::move(entry));
    }
  } catch (const Error& error) {
    if (error.code() == Code::io || error.code() == Code::out_of_memory) throw;
    findings.add({.severity = Severity::error,
                  .code = error.code(),
                  .rule = "squeezed-archive",
                  .message = error.what(),
                  .record = error.facts().record,
                  .offset = error.facts().offset.value_or(0)});
    catalog.complete = error.code() != Code::truncated;
  }
  catalog.findings = findings.take();
  return catalog;
}

std::vector<Finding> Squeezed::validate(base::ByteSource& file, const Catalog& catalog) const {
  Findings findings;
  for (const Finding& finding : catalog.findings) findings.add(finding);
  if (catalog.first_error() != nullptr) return findings.take();
  format::lime::check_headers(file, catalog, findings);
  Findings seen;
  const Read read = read_archive(file, {}, seen);
  check_verbatim(file, read.archive, true, findings);
  const format::Format& original = format::format_named(read.archive.format);
  auto restored = RestoredSource::first_file(file, read.archive);
  for (const Finding& finding : original.container->validate(restored, original.container->scan(restored, {}))) {
    findings.add(finding);
  }
  return findings.take();
}

}  // namespace

const format::Format& format() {
  static const Squeezed squeezed;
  static constexpr std::array<std::string_view, 1> suffixes{".sqz"};
  static const format::Format row{.info = {.name = "squeezed",
                                           .holds = "a file of another format in half of its bytes",
                                           .begins = format::lime::beginning,
                                           .suffixes = suffixes,
                                           .contents = Contents::fields},
                                  .container = &squeezed,
                                  .records = nullptr,
                                  .fields = &squeezed,
                                  .mender = &squeezed,
                                  .examiner = &squeezed,
                                  .record_types = type::all};
  return row;
}

LQ_REGISTER_FORMAT(squeezed, &format)

}  // namespace lq::archive
