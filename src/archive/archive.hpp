// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// An archive as a value (formats/squeezed.md 2, 3): the original, a file or concatenated files of a set, in segments,
// each of which is stored unchanged or in tiles; its records as bytes, and the reverse.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <limequat/catalog.hpp>

#include "archive/codec/tile.hpp"
#include "base/byte_source.hpp"
#include "format/format.hpp"

namespace lq::archive {

namespace type {
inline constexpr std::string_view head = "limequat-squeezed";
inline constexpr std::string_view verbatim = "limequat-squeezed-verbatim";
inline constexpr std::string_view data = "limequat-squeezed-data";
inline constexpr std::string_view index = "limequat-squeezed-index";

inline constexpr std::array<std::string_view, 4> all{head, verbatim, data, index};
}  // namespace type

inline constexpr std::uint64_t largest_tile = 64 * base::mebi;  // decoded

// Consecutive bytes of the original file.
struct Segment {
  std::uint64_t begin = 0, length = 0;  // in the original
  std::uint64_t place = 0;              // in the archive: start of its bytes, or of its first tile
  std::uint32_t crc = 0;                // of bytes stored unchanged
  std::uint64_t tile_bytes = 0;         // of the original in each tile except the last; 0: stored unchanged
  Numbers numbers = {};
  std::vector<Tile> tiles = {};

  bool is_squeezed() const noexcept { return tile_bytes != 0; }
  std::uint64_t stored_bytes() const noexcept;  // in the archive
  // Bytes of the original in a tile.
  std::uint64_t bytes_of(std::uint64_t tile) const noexcept { return std::min(tile_bytes, length - tile * tile_bytes); }
  // The bytes as sites of a lattice, as the tile engine requires.
  Payload as_payload() const;
};

// One of the files of the original.
struct OriginalFile {
  std::string suffix;       // the end of its name, after the archive's `name`
  std::uint64_t begin = 0;  // in the original
  std::uint64_t length = 0;
};

struct Archive {
  std::string name;    // of the original, without folder; for a set, the common beginning of the file names
  std::string format;  // of the original
  std::uint64_t bytes = 0;
  std::vector<OriginalFile> files;  // files of a set, in order; empty: the original is one file
  std::vector<Segment> segments;    // each belongs to one file

  // The file that contains a byte: its number, and its end.
  std::size_t file_at(std::uint64_t offset) const noexcept;
  std::uint64_t end_of_file_at(std::uint64_t offset) const noexcept;
  // The beginning of that file.
  std::uint64_t begin_of(std::size_t file) const noexcept { return files.empty() ? 0 : files[file].begin; }
};

// Place of the payload of a record with one message after `end`; the header is written when its length is known.
std::uint64_t place_behind(std::uint64_t end) noexcept;
std::uint64_t end_of(std::uint64_t place, std::uint64_t length) noexcept;
// The header and the padding of a record.
std::vector<format::Literal> frame_of(std::string_view type, std::uint64_t place, std::uint64_t length);

// The CRC-32 of a segment that is stored unchanged, as far as the archive extends.
std::uint32_t crc_of(base::ByteSource& file, const Segment& segment);

// True if the name of a file can end in this text.
bool is_suffix(std::string_view text) noexcept;

std::string encode_head(const Archive& archive);
// An archive without its segments. malformed, unsupported: with the head's `offset` in the file.
Archive decode_head(std::string_view head, std::uint64_t offset);
std::vector<std::byte> encode_index(const Archive& archive);
// Fills in the segments of an archive whose size is known. malformed: with the index's `offset` in the file.
void decode_index(base::Bytes index, std::uint64_t offset, std::uint64_t file_bytes, Archive& archive);

struct Read {
  Archive archive;
  std::vector<Record> records;
};
// malformed, truncated: with the place in the file. Adds findings that leave it readable.
Read read_archive(base::ByteSource& file, const Limits& limits, format::Findings& findings);

// The original file as read from an archive, without writing it: enough for its format to find the fields in it.
class RestoredSource final : public base::ByteSource {
 public:
  // Handling of a tile that cannot be decoded. Formats read only headers, which are available without it.
  enum class Damage { is_thrown, reads_as_zeros };
  // The whole original; for a set, its concatenated files. Both arguments outlive the object.
  RestoredSource(base::ByteSource& file, const Archive& archive, Damage damage = Damage::is_thrown)
      : file_(file), archive_(archive), damage_(damage), size_(archive.bytes), path_(file.path()) {}
  // The main file of the original; the other files of a set are found by their names, as if the archive were a folder.
  static RestoredSource first_file(base::ByteSource& file, const Archive& archive, Damage damage = Damage::is_thrown) {
    return archive.files.empty() ? RestoredSource(file, archive, damage)
                                 : RestoredSource(file, archive, damage, archive.files.front());
  }
  const std::string& path() const noexcept override { return path_; }
  std::uint64_t size() const override { return size_; }
  std::unique_ptr<base::ByteSource> open_other(const std::string& path) const override;
  // truncated, malformed, checksum_mismatch: the archive is damaged there, unless damage reads as zeros.
  std::size_t read_at(std::uint64_t offset, base::MutableBytes buffer) override;

 private:
  RestoredSource(base::ByteSource& file, const Archive& archive, Damage damage, const OriginalFile& one);
  void read(const Segment& segment, std::uint64_t within, base::MutableBytes buffer);
  void read_tile(const Segment& segment, std::size_t tile);

  base::ByteSource& file_;
  const Archive& archive_;
  Damage damage_;
  std::uint64_t begin_ = 0, size_;  // in the original
  std::string path_;
  const Segment* held_of_ = nullptr;  // the tile decoded last
  std::size_t held_tile_ = 0;
  std::vector<std::byte> held_;
};

// How a file, or a set of files, is divided into the segments of an archive (formats/squeezed.md 2), and the places of
// its fields in their tiles.

// Divides the physical files of this catalog, given their sizes; places and tiles remain undefined. unsupported:
// nothing in them can be squeezed; the message gives the reason.
Archive cut(const Catalog& original, const std::vector<std::uint64_t>& file_bytes);

// A field of the original in the archive's tiles. Empty: it does not consist of whole tiles.
std::optional<Payload> in_tiles(const Payload& original, const Archive& archive);

// Archives as a format (formats/squeezed.md): the fields of the original, read from its tiles.
const format::Format& format();

}  // namespace lq::archive
