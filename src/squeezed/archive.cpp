// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "squeezed/archive.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/append_bytes.hpp"
#include "base/text.hpp"
#include "base/xml.hpp"
#include "format/lime/header.hpp"
#include "format/lime/walk.hpp"
#include "format/xml_fields.hpp"
#include "kernels/crc32.hpp"

namespace lq::squeezed {
namespace {

using namespace format;  // NOLINT(google-build-using-namespace): the records are those of LIME files

constexpr std::string_view root_name = "limequatSqueezed";
constexpr std::uint64_t archive_version = 1;
// Index: its version and the number of segments; each segment; a sum of all that.
constexpr std::size_t index_head_bytes = 16, segment_bytes = 48, index_tail_bytes = 4;
constexpr std::size_t largest_head = 64 * 1024;
// Tiles have about so many bytes: large enough for the tables of their codes, small enough for a processor's cache.
constexpr std::uint64_t wanted_tile = 768 * base::kibi, smallest_tile = 256 * base::kibi;

[[noreturn]] void fail(std::string_view record, std::uint64_t offset, const std::string& what) {
  throw Error(Code::malformed, fmt::format("{} at byte {}: {}", record, offset, what),
              {.record = std::string(record), .offset = offset});
}

// Bytes of a tile of a field: a time slice, or an equal part of one, or several small ones.
std::uint64_t tile_bytes_of(const Payload& payload) {
  const std::uint64_t site = payload.site_bytes();
  const int dimensions = payload.extents.size();
  const int slowest = std::ssize(payload.order) == dimensions ? payload.order.back() : dimensions - 1;
  const std::uint64_t slices = static_cast<std::uint64_t>(payload.stored.extents[slowest]);
  const std::uint64_t sites = payload.length / site / slices, slice = sites * site;
  if (slice <= smallest_tile) return slice * std::max<std::uint64_t>(1, std::min(slices, smallest_tile / slice));
  std::uint64_t parts = (slice + wanted_tile - 1) / wanted_tile;
  while (sites % parts != 0) ++parts;
  return slice / parts;
}

Numbers numbers_of(const Payload& payload) {
  const FieldSpec& spec = payload.spec;
  const bool is_big = payload.byte_order == ByteOrder::big;
  const auto bytes = static_cast<std::uint8_t>(payload.codec.fixed16 ? 4 : spec.number_bytes());
  if (spec.kind != FieldKind::gauge || spec.colors != 3) return {0, bytes, is_big};
  return {static_cast<std::uint8_t>(payload.codec.third_rows_missing ? 12 : 18), bytes, is_big};
}

// A payload can be cut into tiles where it is one piece of this very file.
bool can_be_cut(const Payload& payload, std::uint64_t file_bytes) {
  return payload.tile_sites == 0 && payload.arrays == 1 && payload.file == 0 && payload.extents.size() > 0 &&
         payload.length > 0 && payload.length <= file_bytes && payload.offset <= file_bytes - payload.length &&
         payload.site_bytes() > 0 && payload.length % payload.site_bytes() == 0 &&
         payload.length / payload.site_bytes() == payload.stored.volume();
}

std::uint64_t tiles_of(const Segment& segment) noexcept {
  return segment.length / segment.tile_bytes + (segment.length % segment.tile_bytes != 0 ? 1 : 0);
}

// --- reading

// Takes numbers off the front of an index.
class IndexReader {
 public:
  IndexReader(base::Bytes bytes, std::uint64_t offset) : bytes_(bytes), offset_(offset) {}

  std::uint64_t take() {
    if (bytes_.size() < 8) fail(type::index, offset_, "the index is cut short");
    const auto value = base::load_be<std::uint64_t>(bytes_.data());
    bytes_ = bytes_.subspan(8);
    return value;
  }
  std::size_t left() const noexcept { return bytes_.size(); }
  [[noreturn]] void refuse(const std::string& what) const { fail(type::index, offset_, what); }

 private:
  base::Bytes bytes_;
  std::uint64_t offset_;
};

Segment read_segment(IndexReader& from, std::uint64_t begin, std::uint64_t original_bytes, std::uint64_t file_bytes) {
  Segment segment;
  segment.begin = begin;
  segment.length = from.take();
  segment.place = from.take();
  const std::uint64_t crc = from.take();
  segment.tile_bytes = from.take();
  const std::uint64_t numbers = from.take(), tiles = from.take();
  if (segment.length > original_bytes - begin) from.refuse("its segments are longer than the original");
  if (segment.place > file_bytes) from.refuse("a segment lies beyond the end of the archive");
  if (!segment.is_squeezed()) {
    if (crc >> 32 != 0 || numbers != 0 || tiles != 0 || segment.length > file_bytes - segment.place) {
      from.refuse("a segment that is stored as it is lies beyond the end of the archive, or has tiles");
    }
    segment.crc = static_cast<std::uint32_t>(crc);
    return segment;
  }
  segment.numbers = {static_cast<std::uint8_t>(numbers >> 16), static_cast<std::uint8_t>(numbers >> 8),
                     (numbers & 1) != 0};
  const auto [reals, bytes, big] = segment.numbers;
  if (crc != 0 || numbers >> 24 != 0 || (numbers & 0xfe) != 0 || (bytes != 4 && bytes != 8) ||
      (reals != 0 && reals != 12 && reals != 18)) {
    from.refuse("a segment has numbers of a kind that nobody knows");
  }
  if (segment.length == 0 || segment.tile_bytes > largest_tile || tiles != tiles_of(segment) ||
      tiles > from.left() / 8) {
    from.refuse(fmt::format("a segment of {} bytes cannot have {} tiles of {} bytes", segment.length, tiles,
                            segment.tile_bytes));
  }
  std::uint64_t place = segment.place;
  for (std::uint64_t k = 0; k < tiles; ++k) {
    const std::uint64_t size = from.take();
    if (size == 0 || size > file_bytes - place) from.refuse("a tile lies beyond the end of the archive");
    segment.tiles.push_back({0, place, size});
    place += size;
  }
  return segment;
}

std::vector<std::byte> contents(base::ByteSource& file, const Record& record, std::uint64_t limit) {
  if (record.data_length > limit) {
    fail(record.type, record.offset, fmt::format("{} bytes are more than such a record can have", record.data_length));
  }
  std::vector<std::byte> bytes(static_cast<std::size_t>(record.data_length));
  if (file.read_at(record.offset, bytes) != bytes.size()) {
    throw Error(Code::truncated, fmt::format("{} at byte {} is cut short", record.type, record.offset),
                {.record = record.type, .offset = record.offset});
  }
  return bytes;
}

void read_head(base::ByteSource& file, const Record& record, Archive& archive) {
  const std::vector<std::byte> bytes = contents(file, record, largest_head);
  try {
    const base::xml::Element root = parse_document(base::as_text(bytes), root_name);
    const std::uint64_t found = required_number(root, "version");
    if (found != archive_version) {
      throw Error(Code::unsupported,
                  fmt::format("archive of version {}; this Limequat reads version {}", found, archive_version));
    }
    archive.bytes = required_number(root, "bytes");
    archive.name = root.text_of("name").value_or("");
    archive.format = root.text_of("format").value_or("");
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("{} at byte {}: {}", record.type, record.offset, error.what()),
                {.record = record.type, .offset = record.offset});
  }
}

void read_index(base::ByteSource& file, const Record& record, Archive& archive) {
  decode_index(contents(file, record, file.size()), record.offset, file.size(), archive);
}

}  // namespace

std::uint64_t Segment::stored_bytes() const noexcept {
  if (!is_squeezed()) return length;
  return tiles.empty() ? 0 : tiles.back().offset + tiles.back().bytes - place;
}

Payload Segment::as_payload() const {
  Payload payload;
  payload.length = length;
  payload.spec = generic_spec(Precision::single, 1, false);
  payload.extents = {static_cast<std::int64_t>(length)};
  payload.stored = lq::whole(payload.extents);
  payload.tile_sites = tile_bytes;
  payload.tiles = tiles;
  if (tiles.empty()) payload.tiles.assign(static_cast<std::size_t>(tiles_of(*this)), {0, place, 0});
  return payload;
}

Archive cut(const Catalog& original) {
  if (original.files.size() > 1) {
    throw Error(Code::unsupported,
                fmt::format("{} consists of {} files; squeeze a file that is one: convert it first", original.path,
                            original.files.size()),
                {.path = original.path});
  }
  std::vector<const Payload*> payloads;
  for (const FieldEntry& entry : original.fields) {
    if (can_be_cut(entry.payload, original.file_bytes)) payloads.push_back(&entry.payload);
  }
  std::ranges::sort(payloads, {}, &Payload::offset);
  if (payloads.empty()) {
    throw Error(Code::unsupported,
                fmt::format("{}: no field in it lies in one piece, so that there is nothing to squeeze; convert it to "
                            "another format first, such as ildg",
                            original.path),
                {.path = original.path});
  }
  Archive archive;
  archive.name = original.path.substr(original.path.find_last_of('/') + 1);
  archive.format = original.format;
  archive.bytes = original.file_bytes;
  std::uint64_t begin = 0;
  const auto as_it_is = [&](std::uint64_t end) {
    if (end > begin) archive.segments.push_back({.begin = begin, .length = end - begin});
    begin = end;
  };
  for (const Payload* const payload : payloads) {
    if (payload->offset < begin) continue;  // seen under two names
    as_it_is(payload->offset);
    archive.segments.push_back({.begin = begin,
                                .length = payload->length,
                                .tile_bytes = tile_bytes_of(*payload),
                                .numbers = numbers_of(*payload)});
    begin += payload->length;
  }
  as_it_is(original.file_bytes);
  return archive;
}

std::uint64_t place_behind(std::uint64_t end) noexcept { return end + lime::header_bytes; }

std::uint64_t end_of(std::uint64_t place, std::uint64_t length) noexcept {
  return place + length + lime::padding(length);
}

std::vector<Literal> frame_of(std::string_view record, std::uint64_t place, std::uint64_t length) {
  lime::Header header;
  header.mb_flag = header.me_flag = true;
  header.data_length = length;
  header.type = record;
  const lime::HeaderBytes bytes = lime::encode(header);
  std::vector<Literal> frame{{0, place - lime::header_bytes, {bytes.begin(), bytes.end()}}};
  if (lime::padding(length) > 0) {
    frame.push_back({0, place + length, std::vector<std::byte>(static_cast<std::size_t>(lime::padding(length)))});
  }
  return frame;
}

std::uint32_t crc_of(base::ByteSource& file, const Segment& segment) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(std::min(segment.length, base::mebi)));
  std::uint32_t crc = 0;
  for (std::uint64_t at = 0; at < segment.length;) {
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), segment.length - at));
    const std::size_t got = file.read_at(segment.place + at, base::MutableBytes(bytes).first(wanted));
    if (got == 0) break;
    crc = kernels::crc32(crc, base::Bytes(bytes).first(got));
    at += got;
  }
  return crc;
}

std::string encode_head(const Archive& archive) {
  using base::xml::element;
  return fmt::format("{}<{}>{}{}{}{}</{}>", xml_declaration, root_name,
                     element("version", std::to_string(archive_version)), element("name", archive.name),
                     element("format", archive.format), element("bytes", std::to_string(archive.bytes)), root_name);
}

std::vector<std::byte> encode_index(const Archive& archive) {
  std::vector<std::byte> bytes;
  const auto append = [&](std::uint64_t value) { base::append_be(bytes, value); };
  append(archive_version);
  append(archive.segments.size());
  for (const Segment& segment : archive.segments) {
    const Numbers& numbers = segment.numbers;
    append(segment.length);
    append(segment.place);
    append(segment.crc);
    append(segment.tile_bytes);
    append(segment.is_squeezed()
               ? std::uint64_t{numbers.reals} << 16 | std::uint64_t{numbers.bytes} << 8 | (numbers.big_endian ? 1U : 0U)
               : 0);
    append(segment.tiles.size());
    for (const Tile& tile : segment.tiles) append(tile.bytes);
  }
  base::append_be(bytes, kernels::crc32(0, bytes));
  return bytes;
}

void decode_index(base::Bytes bytes, std::uint64_t offset, std::uint64_t file_bytes, Archive& archive) {
  if (bytes.size() < index_head_bytes + index_tail_bytes) fail(type::index, offset, "the index is cut short");
  const base::Bytes summed = bytes.first(bytes.size() - index_tail_bytes);
  if (kernels::crc32(0, summed) != base::load_be<std::uint32_t>(&bytes[summed.size()])) {
    fail(type::index, offset, "the index is damaged: its sum is another one");
  }
  IndexReader from(summed, offset);
  if (from.take() != archive_version) from.refuse("the index has a version of its own");
  const std::uint64_t count = from.take();
  if (count > from.left() / segment_bytes) from.refuse("the index is cut short");
  std::uint64_t begin = 0;
  for (std::uint64_t k = 0; k < count; ++k) {
    archive.segments.push_back(read_segment(from, begin, archive.bytes, file_bytes));
    begin += archive.segments.back().length;
  }
  if (begin != archive.bytes) from.refuse("its segments are shorter than the original");
  if (from.left() != 0) from.refuse("bytes follow the last segment");
}

Read read_archive(base::ByteSource& file, const Limits& limits, Findings& findings) {
  Read read;
  ReadAhead window(file);
  lime::Walk walked = lime::walk(window, limits, findings);
  read.records = std::move(walked.records);
  if (read.records.empty() || read.records.front().type != type::head)
    fail(type::head, 0, "it is not the first record");
  const Record& last = read.records.back();
  if (walked.truncated || last.type != type::index) {
    throw Error(Code::truncated,
                fmt::format("the archive ends at byte {} before its index, without which nothing in it can be found; "
                            "copy it again from its source",
                            file.size()),
                {.record = std::string(type::index), .offset = file.size()});
  }
  read_head(file, read.records.front(), read.archive);
  read_index(file, last, read.archive);
  return read;
}

}  // namespace lq::squeezed
