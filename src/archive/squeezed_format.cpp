// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "archive/archive.hpp"

#include <set>
#include <utility>

#include <fmt/format.h>
#include <limequat/error.hpp>
#include <limequat/options.hpp>

#include "base/error.hpp"
#include "format/component.hpp"
#include "format/findings.hpp"
#include "format/lime/header.hpp"
#include "format/lime/lime_format.hpp"
#include "kernels/crc32.hpp"
#include "lattice/site_order.hpp"
#include "lattice/tiles.hpp"

namespace lq::archive {

// A field written directly into an archive: its original is the file that ILDG or SciDAC would have written.

namespace {

std::string_view name_of_original(const FieldSpec& spec, const Extents& extents) {
  return spec.kind == FieldKind::gauge && extents.size() == 4 ? "ildg" : "scidac";
}

// The bytes of a segment that is stored unchanged, from literals of the original; gaps are zero.
std::vector<std::byte> bytes_of(const Segment& segment, const std::vector<format::Literal>& literals) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(segment.length));
  for (const format::Literal& literal : literals) {
    const std::uint64_t begin = std::max(literal.offset, segment.begin);
    const std::uint64_t end = std::min(literal.offset + literal.bytes.size(), segment.begin + segment.length);
    if (begin >= end) continue;
    const auto first = literal.bytes.begin() + static_cast<std::ptrdiff_t>(begin - literal.offset);
    std::copy(first, first + static_cast<std::ptrdiff_t>(end - begin),
              bytes.begin() + static_cast<std::ptrdiff_t>(begin - segment.begin));
  }
  return bytes;
}

// Consecutive records.
class Records {
 public:
  explicit Records(std::uint64_t end = 0) : end_(end) {}
  std::uint64_t end() const noexcept { return end_; }
  std::uint64_t next_place() const noexcept { return place_behind(end_); }
  void add(std::string_view type, std::vector<std::byte> contents) {
    const std::uint64_t place = next_place();
    frame(type, contents.size());
    literals_.push_back({0, place, std::move(contents)});
  }
  // The frame of contents that other code writes.
  void frame(std::string_view type, std::uint64_t length) {
    for (format::Literal& literal : frame_of(type, next_place(), length)) literals_.push_back(std::move(literal));
    end_ = end_of(next_place(), length);
  }
  std::vector<format::Literal> take() { return std::move(literals_); }

 private:
  std::uint64_t end_;
  std::vector<format::Literal> literals_;
};

void add_verbatim(Records& records, Segment& segment, const std::vector<format::Literal>& literals) {
  std::vector<std::byte> bytes = bytes_of(segment, literals);
  segment.place = records.next_place();
  segment.crc = kernels::crc32(0, bytes);
  records.add(type::verbatim, std::move(bytes));
}

std::vector<format::Literal> tail_of(Archive archive, std::uint64_t end_of_head, const format::Layout& original,
                                     const format::Digest& digest) {
  std::vector<format::Literal> literals = original.head;
  if (original.tail) {
    format::Digest inner{digest.sums};
    for (format::Literal& literal : original.tail(inner)) literals.push_back(std::move(literal));
  }
  Records records(end_of_head);
  for (Segment& segment : archive.segments) {
    if (segment.is_squeezed()) {
      segment.tiles = digest.tiles;
      records.frame(type::data, segment.stored_bytes());
    } else {
      add_verbatim(records, segment, literals);
    }
  }
  records.add(type::index, encode_index(archive));
  return records.take();
}

}  // namespace

// The format of the original for this field.
const format::FieldFormat& original_format(const FieldSpec& spec, const Extents& extents) {
  return format::format_named(name_of_original(spec, extents)).for_fields();
}

format::Layout plan_archive(const format::FieldRequest& request) {
  if (!request.first) {
    throw Error(Code::unsupported,
                "an archive takes one field; write several into a file of the format scidac and `lq squeeze` it");
  }
  format::FieldRequest inner = request;
  inner.before = nullptr;
  const auto original =
      std::make_shared<const format::Layout>(original_format(request.spec, request.extents).plan(inner));
  Catalog catalog;
  catalog.format = name_of_original(request.spec, request.extents);
  catalog.path = catalog.format == "ildg" ? "field.ildg" : "field.scidac";
  catalog.file_bytes = original->end.front();
  catalog.fields.emplace_back().payload = original->payload.front();
  Archive archive = cut(catalog, {catalog.file_bytes});

  format::Layout layout;
  layout.sums = original->sums;
  Records records;
  const std::string head = encode_head(archive);
  const base::Bytes head_bytes = base::as_bytes(head);
  records.add(type::head, {head_bytes.begin(), head_bytes.end()});
  const std::uint64_t end_of_head = records.end();
  layout.head = records.take();
  // Bytes before the data may also depend on them: their place is reserved, and they are written with the tail.
  auto segment = archive.segments.begin();
  for (; !segment->is_squeezed(); ++segment) records.frame(type::verbatim, segment->length);
  segment->place = records.next_place();
  Payload& payload = layout.payload.emplace_back(original->payload.front());
  payload.offset = 0;
  payload.tile_sites = segment->tile_bytes / payload.site_bytes();
  payload.tiles = segment->as_payload().tiles;
  payload.encoding = encoding_name(segment->numbers);
  layout.end = {segment->place + segment->length};
  layout.tail = [archive = std::move(archive), end_of_head, original](const format::Digest& digest) {
    return tail_of(archive, end_of_head, *original, digest);
  };
  return layout;
}

// The losses of a damaged archive. Only its own checksum proves the bytes of a tile, so damaged tiles cannot be
// restored; the others can.

namespace {

// "6 to 7, 12": consecutive numbers are combined.
std::string ranges_of(const std::vector<lattice::Share>& shares) {
  std::string text;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const std::uint64_t first = shares[i].begin;
    std::uint64_t end = shares[i].end;
    while (i + 1 < shares.size() && shares[i + 1].begin <= end) end = std::max(end, shares[++i].end);
    const std::uint64_t last = end - 1;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", first);
    if (last > first) text += fmt::format(" to {}", last);
  }
  return text;
}

lattice::Share slices_of(const Payload& payload, std::size_t tile, int slowest) {
  const auto extent = static_cast<std::uint64_t>(payload.stored.extents[slowest]);
  if (payload.block.size() > 0) {
    const auto deep = static_cast<std::uint64_t>(payload.block[slowest]), layers = extent / deep;
    const std::uint64_t layer = tile / (payload.tiles.size() / layers);
    return {layer * deep, (layer + 1) * deep};
  }
  const std::uint64_t slice = payload.stored.volume() / extent, first = tile * payload.tile_sites;
  const std::uint64_t last = std::min(first + payload.tile_sites, payload.stored.volume()) - 1;
  return {first / slice, last / slice + 1};
}

// The parts of a field in these of its tiles.
std::string slices_in(const FieldEntry& entry, const std::vector<std::size_t>& tiles) {
  const Payload& payload = entry.payload;
  const int slowest = lattice::resolve_order(payload.order, payload.extents.size()).back();
  std::vector<lattice::Share> slices;
  for (const std::size_t tile : tiles) slices.push_back(slices_of(payload, tile, slowest));
  // Blocks of one time slice need not be consecutive.
  std::ranges::sort(slices, {}, &lattice::Share::begin);
  return fmt::format("time slices {} of {} of \"{}\"", ranges_of(slices), payload.stored.extents[slowest], entry.name);
}

std::string bytes_in(const Segment& segment, const std::vector<std::size_t>& tiles) {
  std::vector<lattice::Share> bytes;
  for (const std::size_t tile : tiles) {
    const std::uint64_t first = segment.begin + tile * segment.tile_bytes;
    bytes.push_back({first, first + segment.bytes_of(tile)});
  }
  return fmt::format("bytes {} of the original", ranges_of(bytes));
}

// Described by the field that contains them, if there is one.
std::string what_is_lost(const Catalog& catalog, const Segment& segment, const std::vector<std::size_t>& tiles) {
  std::set<std::uint64_t> places;
  for (const std::size_t tile : tiles) places.insert(segment.tiles[tile].offset);
  for (const FieldEntry& entry : catalog.fields) {
    std::vector<std::size_t> of_field;
    for (std::size_t k = 0; k < entry.payload.tiles.size(); ++k) {
      if (places.contains(entry.payload.tiles[k].offset)) of_field.push_back(k);
    }
    if (!of_field.empty()) return slices_in(entry, of_field);
  }
  return bytes_in(segment, tiles);
}

bool can_be_restored(RestoredSource& restored, const Segment& segment, std::size_t tile) {
  std::byte one{};
  try {
    restored.read_at(segment.begin + tile * segment.tile_bytes, {&one, 1});
    return true;
  } catch (const Error& error) {
    if (error.code() == Code::io || error.code() == Code::out_of_memory) throw;
    return false;
  }
}

}  // namespace

// Decodes every tile; names those that fail, with the time slices of the field in them. Errors as in read_archive().
void name_lost_tiles(base::ByteSource& file, const Limits& limits, format::Findings& lost) {
  format::Findings seen;
  const Read read = read_archive(file, limits, seen);
  const Catalog catalog = format().container->scan(file, limits);
  RestoredSource restored(file, read.archive);
  for (const Segment& segment : read.archive.segments) {
    std::vector<std::size_t> lost_tiles;
    for (std::size_t tile = 0; tile < segment.tiles.size(); ++tile) {
      if (!can_be_restored(restored, segment, tile)) lost_tiles.push_back(tile);
    }
    if (lost_tiles.empty()) continue;
    const Tile& first = segment.tiles[lost_tiles.front()];
    lost.add(
        {.severity = Severity::error,
         .code = Code::checksum_mismatch,
         .rule = "repair-lost",
         .message = fmt::format("{} of {} tiles cannot be decoded, and nothing in an archive can bring them back: {} "
                                "are lost, the others can be read (lq read, region) and restored; copy the archive "
                                "again from its source, or squeeze the original again",
                                lost_tiles.size(), segment.tiles.size(), what_is_lost(catalog, segment, lost_tiles)),
         .record = std::string(type::data),
         .offset = first.offset,
         .length = first.bytes});
  }
}

namespace {

using format::Findings;

// Places the field of the original in the archive's tiles; false: it does not consist of tiles.
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

// The catalog of the original by its own format.
Catalog scan_original(base::ByteSource& file, const Archive& archive, const Limits& limits) {
  const format::Format& original = format::format_named(archive.format);
  if (original.container == format().container) throw Error(Code::malformed, "an archive of an archive");
  auto restored = RestoredSource::first_file(file, archive, RestoredSource::Damage::reads_as_zeros);
  return original.container->scan(restored, limits);
}

// Larger segments are checksummed only when every rule is checked.
constexpr std::uint64_t summed_at_once = base::mebi;

void check_verbatim(base::ByteSource& file, const Archive& archive, bool large_ones, Findings& findings) {
  for (const Segment& segment : archive.segments) {
    if (segment.is_squeezed() || large_ones != (segment.length > summed_at_once)) continue;
    const std::uint32_t crc = crc_of(file, segment);
    if (crc == segment.crc) continue;
    findings.add({.severity = Severity::error,
                  .code = Code::checksum_mismatch,
                  .rule = "squeezed-verbatim",
                  .message = fmt::format("bytes of the original that are stored unchanged have the CRC-32 {:08x}, not "
                                         "{:08x}",
                                         crc, segment.crc),
                  .record = std::string(type::verbatim),
                  .offset = segment.place,
                  .length = segment.length});
  }
}

class Squeezed final : public format::Container, public format::FieldFormat, public format::Repairer {
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
      if (record.type == type::verbatim) return {"unchanged bytes of the original", "formats/squeezed.md 3.2"};
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
  const format::TileCodec* tile_codec(std::string_view encoding) const override { return codec_named(encoding); }
  void store_sums(base::EditedSource&, const Catalog& catalog, const FieldEntry&,
                  const format::Digest&) const override {
    base::fail(Code::unsupported, catalog.path,
               "sums are stored in the original file: `lq unsqueeze` it, `lq sum` that, and squeeze it again");
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
  // It contains the name of the original; everything else has CRCs, which the scan and reading of tiles compare.
  static const format::UncoveredHeader examiner(type::head);
  static constexpr std::array<std::string_view, 1> suffixes{".sqz"};
  static const format::Format row{.info = {.name = "squeezed",
                                           .holds = "a file of another format in half of its bytes",
                                           .begins = format::lime::beginning,
                                           .suffixes = suffixes,
                                           .contents = Contents::fields},
                                  .container = &squeezed,
                                  .records = nullptr,
                                  .fields = &squeezed,
                                  .repairer = &squeezed,
                                  .examiner = &examiner,
                                  .record_types = type::all};
  return row;
}

LQ_REGISTER_FORMAT(squeezed, &format)

}  // namespace lq::archive
