// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "archive/archive.hpp"

#include <charconv>
#include <functional>
#include <set>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/bytes.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "base/xml.hpp"
#include "format/lime/header.hpp"
#include "format/lime/walk.hpp"
#include "format/record_texts.hpp"
#include "kernels/crc32.hpp"

namespace lq::archive {
namespace {

using namespace format;  // NOLINT(google-build-using-namespace): uses the records of LIME files

constexpr std::string_view root_name = "limequatSqueezed";
// Versions for one file, for a set, and for either with links in columns. The last one is written, all are read.
constexpr std::uint64_t version_of_files = 1, version_of_sets = 2, version_of_columns = 3, index_version = 1;
// Index: its version and the number of segments; each segment; a checksum of all of these.
constexpr std::size_t index_head_bytes = 16, segment_bytes = 48, index_tail_bytes = 4;
constexpr std::size_t largest_head = 1024 * 1024;
[[noreturn]] void fail(std::string_view record, std::uint64_t offset, const std::string& what) {
  throw Error(Code::malformed, fmt::format("{} at byte {}: {}", record, offset, what),
              {.record = std::string(record), .offset = offset});
}

std::uint64_t tiles_of(const Segment& segment) noexcept {
  return segment.length / segment.tile_bytes + (segment.length % segment.tile_bytes != 0 ? 1 : 0);
}

// --- reading

// Extracts numbers from the front of an index.
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

Segment read_segment(IndexReader& from, std::uint64_t begin, std::uint64_t end, std::uint64_t file_bytes) {
  Segment segment;
  segment.begin = begin;
  segment.length = from.take();
  segment.place = from.take();
  const std::uint64_t crc = from.take();
  segment.tile_bytes = from.take();
  const std::uint64_t numbers = from.take(), tiles = from.take();
  if (segment.length > end - begin) from.refuse("its segments are longer than the original, or than one of its files");
  if (segment.place > file_bytes) from.refuse("a segment extends beyond the end of the archive");
  if (!segment.is_squeezed()) {
    if (crc >> 32 != 0 || numbers != 0 || tiles != 0 || segment.length > file_bytes - segment.place) {
      from.refuse("a segment that is stored unchanged extends beyond the end of the archive, or has tiles");
    }
    segment.crc = static_cast<std::uint32_t>(crc);
    return segment;
  }
  segment.numbers = {static_cast<std::uint8_t>(numbers >> 16), static_cast<std::uint8_t>(numbers >> 8),
                     (numbers & 1) != 0};
  const auto [reals, bytes, big] = segment.numbers;
  if (crc != 0 || numbers >> 24 != 0 || (numbers & 0xfe) != 0 || (bytes != 4 && bytes != 8) ||
      (reals != 0 && reals != 12 && reals != 18)) {
    from.refuse("a segment has numbers of an unknown kind");
  }
  if (segment.length == 0 || segment.tile_bytes > largest_tile || tiles != tiles_of(segment) ||
      tiles > from.left() / 8) {
    from.refuse(fmt::format("a segment of {} bytes cannot have {} tiles of {} bytes", segment.length, tiles,
                            segment.tile_bytes));
  }
  std::uint64_t place = segment.place;
  for (std::uint64_t k = 0; k < tiles; ++k) {
    const std::uint64_t size = from.take();
    if (size == 0 || size > file_bytes - place) from.refuse("a tile extends beyond the end of the archive");
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

// A line for each file: its size and the end of its name.
std::string text_of_files(const std::vector<OriginalFile>& files) {
  std::string text;
  for (const OriginalFile& file : files) text += fmt::format("{} {}\n", file.length, file.suffix);
  return text;
}

[[noreturn]] void refuse_files(const std::string& what) {
  throw Error(Code::malformed, fmt::format("the files of the original: {}", what));
}

OriginalFile file_of(std::string_view line, std::uint64_t begin, std::uint64_t most) {
  OriginalFile file;
  const char* const end = line.data() + line.size();
  const auto [stop, error] = std::from_chars(line.data(), end, file.length);
  if (error != std::errc() || stop == end || *stop != ' ') refuse_files("a line is not a number and a name");
  file.begin = begin;
  file.suffix = std::string(stop + 1, end);
  if (!is_suffix(file.suffix)) refuse_files("a name is not a plain file name");
  if (file.length > most - begin) refuse_files("they are longer than the original");
  return file;
}

std::vector<OriginalFile> decode_files(std::string_view text, std::uint64_t bytes) {
  std::vector<OriginalFile> files;
  std::set<std::string, std::less<>> names;
  std::uint64_t begin = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    files.push_back(file_of(text.substr(0, end), begin, bytes));
    begin += files.back().length;
    if (!names.insert(files.back().suffix).second) refuse_files("two have one name");
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (files.empty() || begin != bytes) refuse_files("they are shorter than the original");
  return files;
}

void read_head(base::ByteSource& file, const Record& record, Archive& archive) {
  archive = decode_head(base::as_text(contents(file, record, largest_head)), record.offset);
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

std::size_t Archive::file_at(std::uint64_t offset) const noexcept {
  if (files.empty()) return 0;
  const auto behind = std::ranges::upper_bound(files, offset, {}, &OriginalFile::begin);
  return static_cast<std::size_t>(behind - files.begin()) - 1;
}

std::uint64_t Archive::end_of_file_at(std::uint64_t offset) const noexcept {
  if (files.empty()) return bytes;
  const OriginalFile& file = files[file_at(offset)];
  return file.begin + file.length;
}

bool is_suffix(std::string_view text) noexcept {
  const auto is_none = [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return c == '/' || byte <= ' ' || byte == 0x7f;
  };
  return !text.empty() && std::ranges::none_of(text, is_none);
}

std::string encode_head(const Archive& archive) {
  using base::xml::element;
  const bool is_set = !archive.files.empty();
  return fmt::format("{}<{}>{}{}{}{}{}</{}>", xml_declaration, root_name,
                     element("version", std::to_string(version_of_columns)), element("name", archive.name),
                     element("format", archive.format), element("bytes", std::to_string(archive.bytes)),
                     is_set ? element("files", text_of_files(archive.files)) : "", root_name);
}

Archive decode_head(std::string_view head, std::uint64_t offset) {
  try {
    Archive archive;
    const base::xml::Element root = parse_document(head, root_name);
    const std::uint64_t found = required_number(root, "version");
    if (found < version_of_files || found > version_of_columns) {
      throw Error(Code::unsupported, fmt::format("archive of version {}; this Limequat reads versions {} to {}", found,
                                                 version_of_files, version_of_columns));
    }
    archive.bytes = required_number(root, "bytes");
    archive.name = root.text_of("name").value_or("");
    archive.format = root.text_of("format").value_or("");
    const std::optional<std::string_view> files = root.text_of("files");
    const bool is_set = found == version_of_sets || (found == version_of_columns && files);
    if (is_set) archive.files = decode_files(files.value_or(""), archive.bytes);
    return archive;
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("{} at byte {}: {}", type::head, offset, error.what()),
                {.record = std::string(type::head), .offset = offset});
  }
}

std::vector<std::byte> encode_index(const Archive& archive) {
  std::vector<std::byte> bytes;
  const auto append = [&](std::uint64_t value) { base::append_be(bytes, value); };
  append(index_version);
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
    fail(type::index, offset, "the index is damaged: its checksum does not match");
  }
  IndexReader from(summed, offset);
  if (from.take() != index_version) from.refuse("the index has an unknown version");
  const std::uint64_t count = from.take();
  if (count > from.left() / segment_bytes) from.refuse("the index is cut short");
  std::uint64_t begin = 0;
  for (std::uint64_t k = 0; k < count; ++k) {
    archive.segments.push_back(read_segment(from, begin, archive.end_of_file_at(begin), file_bytes));
    begin += archive.segments.back().length;
  }
  if (begin != archive.bytes) from.refuse("its segments are shorter than the original");
  if (from.left() != 0) from.refuse("bytes follow the last segment");
}

Read read_archive(base::ByteSource& file, const Limits& limits, Findings& findings) {
  Read read;
  ReadAhead window(file);
  lime::Walk walked = lime::walk(window, limits, findings, lime::Ending::closed);
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

namespace {

std::string path_in(const base::ByteSource& file, const Archive& archive, const OriginalFile& one) {
  return fmt::format("{}/{}{}", file.path(), archive.name, one.suffix);
}

}  // namespace

RestoredSource::RestoredSource(base::ByteSource& file, const Archive& archive, Damage damage, const OriginalFile& one)
    : file_(file),
      archive_(archive),
      damage_(damage),
      begin_(one.begin),
      size_(one.length),
      path_(path_in(file, archive, one)) {}

std::unique_ptr<base::ByteSource> RestoredSource::open_other(const std::string& path) const {
  for (const OriginalFile& one : archive_.files) {
    if (path_in(file_, archive_, one) != path) continue;
    return std::unique_ptr<base::ByteSource>(new RestoredSource(file_, archive_, damage_, one));
  }
  return ByteSource::open_other(path);
}

std::size_t RestoredSource::read_at(std::uint64_t offset, base::MutableBytes buffer) {
  if (offset >= size_) return 0;
  const std::uint64_t all = std::min<std::uint64_t>(buffer.size(), size_ - offset);
  offset += begin_;
  std::uint64_t done = 0;
  const auto behind = [](std::uint64_t value, const Segment& segment) { return value < segment.begin; };
  auto segment = std::upper_bound(archive_.segments.begin(), archive_.segments.end(), offset, behind) - 1;
  while (done < all) {
    const std::uint64_t within = offset + done - segment->begin;
    const std::uint64_t count = std::min(all - done, segment->length - within);
    if (count > 0)
      read(*segment, within, buffer.subspan(static_cast<std::size_t>(done), static_cast<std::size_t>(count)));
    done += count;
    ++segment;
  }
  return static_cast<std::size_t>(done);
}

void RestoredSource::read(const Segment& segment, std::uint64_t within, base::MutableBytes buffer) {
  if (!segment.is_squeezed()) {
    if (file_.read_at(segment.place + within, buffer) == buffer.size()) return;
    const std::uint64_t end = segment.place + within + buffer.size();
    base::fail(Code::truncated, {.path = file_.path(), .offset = segment.place + within}, "it ends before byte {}",
               end);
  }
  while (!buffer.empty()) {
    const auto tile = static_cast<std::size_t>(within / segment.tile_bytes);
    read_tile(segment, tile);
    const auto from = static_cast<std::size_t>(within % segment.tile_bytes);
    const std::size_t count = std::min(buffer.size(), held_.size() - from);
    std::copy_n(held_.begin() + static_cast<std::ptrdiff_t>(from), count, buffer.begin());
    buffer = buffer.subspan(count);
    within += count;
  }
}

void RestoredSource::read_tile(const Segment& segment, std::size_t tile) {
  if (held_of_ == &segment && held_tile_ == tile) return;
  held_of_ = nullptr;
  const Tile& place = segment.tiles[tile];
  std::vector<std::byte> encoded(static_cast<std::size_t>(place.bytes));
  if (file_.read_at(place.offset, encoded) != encoded.size()) {
    base::fail(Code::truncated, {.path = file_.path(), .offset = place.offset}, "it ends within tile {} at byte {}",
               tile, place.offset);
  }
  held_.resize(static_cast<std::size_t>(segment.bytes_of(tile)));
  try {
    codec_of(segment.numbers).decode(encoded, held_);
  } catch (const Error& error) {
    const bool is_damage = error.code() == Code::malformed || error.code() == Code::checksum_mismatch;
    if (damage_ == Damage::is_thrown || !is_damage) {
      base::fail(error.code(), {.path = file_.path(), .offset = place.offset},
                 "tile {}, {} bytes at byte {}, cannot be restored: {}; copy the archive again from its source", tile,
                 place.bytes, place.offset, error.what());
    }
    std::ranges::fill(held_, std::byte{0});
  }
  held_of_ = &segment;
  held_tile_ = tile;
}

}  // namespace lq::archive
