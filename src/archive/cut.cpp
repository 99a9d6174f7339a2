// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "archive/archive.hpp"

#include <iterator>
#include <set>
#include <utility>

#include <limequat/error.hpp>

#include "base/error.hpp"
#include "lattice/site_order.hpp"

namespace lq::archive {
namespace {

// Approximate size of a tile: large enough for the tables of its codes, small enough for a processor's cache.
constexpr std::uint64_t wanted_tile = 768 * base::kibi, smallest_tile = 256 * base::kibi;
// Minimum for parts of a block: below it the tables cost more than is gained by decoding a single time slice.
constexpr std::uint64_t smallest_part = 32 * base::kibi;

// Size of a tile of a contiguous field: a time slice, an equal part of one, or several small ones.
std::uint64_t tile_bytes_of(const Payload& payload) {
  const std::uint64_t site = payload.site_bytes();
  const int slowest = lattice::resolve_order(payload.order, payload.extents.size()).back();
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

bool is_in_one_piece(const Payload& payload) {
  return payload.tile_sites == 0 && payload.arrays == 1 && payload.extents.size() > 0 && payload.length > 0 &&
         payload.site_bytes() > 0 && payload.length % payload.site_bytes() == 0 &&
         payload.length / payload.site_bytes() == payload.stored.volume();
}

bool divides(const Extents& block, const Extents& extents) {
  if (block.size() == 0 || block.size() != extents.size()) return false;
  for (int d = 0; d < block.size(); ++d) {
    if (block[d] < 1 || extents[d] % block[d] != 0) return false;
  }
  return true;
}

// True if it consists of blocks of the lattice, each contiguous, in any number.
bool is_in_blocks(const Payload& payload) {
  if (!payload.encoding.empty() || payload.arrays != 1 || payload.site_bytes() == 0) return false;
  if (payload.stored != lq::whole(payload.extents) || !divides(payload.block, payload.extents)) return false;
  const std::uint64_t bytes = payload.tile_sites * payload.site_bytes();
  return volume(payload.block) == payload.tile_sites &&
         payload.tiles.size() == volume(payload.extents) / payload.tile_sites &&
         std::ranges::all_of(payload.tiles, [&](const Tile& tile) { return tile.bytes == bytes; });
}

// The number of equal parts of a block in each dimension, the slowest first, such that `count` parts are contiguous in
// it. Empty: impossible.
std::optional<Coord> parts_of(const Payload& payload, std::uint64_t count) {
  const SiteOrder order = lattice::resolve_order(payload.order, payload.block.size());
  Coord parts = Coord::filled(payload.block.size(), 1);
  for (auto d = order.rbegin(); d != order.rend() && count > 1; ++d) {
    const auto extent = static_cast<std::uint64_t>(payload.block[*d]);
    const std::uint64_t here = count % extent == 0 ? extent : count;
    if (extent % here != 0) return {};
    parts[*d] = static_cast<std::int64_t>(here);
    count /= here;
  }
  // Sites at odd points are stored in pairs along the fastest dimension.
  if (count > 1 || (payload.at_odd_points && parts[order.front()] > 1)) return {};
  return parts;
}

// The time slices of a block unless they are small, or equal parts of large ones.
std::uint64_t tiles_of_block(const Payload& payload) {
  const SiteOrder order = lattice::resolve_order(payload.order, payload.block.size());
  const std::uint64_t bytes = payload.tile_sites * payload.site_bytes();
  const auto extent = [&](std::size_t k) { return static_cast<std::uint64_t>(payload.block[order[k]]); };
  std::size_t k = order.size() - 1;
  std::uint64_t count = extent(k);
  while (count > 1 && (extent(k) % count != 0 || bytes / count < smallest_part)) --count;
  if (count < extent(k)) return count;
  while (bytes / count > wanted_tile && k-- > 1) {
    std::uint64_t parts = 1;
    while (parts < extent(k) && (extent(k) % parts != 0 || bytes / (count * parts) > wanted_tile)) ++parts;
    count *= parts;
  }
  return count;
}

// Bytes of the original that form a segment, or a part of one.
struct Piece {
  std::uint64_t begin = 0, length = 0, tile_bytes = 0;
  Numbers numbers = {};
  bool is_block = false;  // other blocks may follow
};

// The place in the original of bytes of one of its files; empty: the file does not exist, or is too short.
std::optional<std::uint64_t> place_in(const Archive& archive, int file, std::uint64_t offset, std::uint64_t length) {
  OriginalFile only{"", 0, archive.bytes};
  if (file < 0 || static_cast<std::size_t>(file) >= std::max<std::size_t>(archive.files.size(), 1)) return {};
  const OriginalFile& one = archive.files.empty() ? only : archive.files[static_cast<std::size_t>(file)];
  if (length > one.length || offset > one.length - length) return {};
  return one.begin + offset;
}

void add_pieces(const Payload& payload, const Archive& archive, std::vector<Piece>& pieces) {
  const auto add = [&](int file, std::uint64_t offset, std::uint64_t length, std::uint64_t tile_bytes, bool is_block) {
    const auto begin = place_in(archive, file, offset, length);
    if (begin) pieces.push_back({*begin, length, tile_bytes, numbers_of(payload), is_block});
  };
  if (is_in_one_piece(payload)) {
    add(payload.file, payload.offset, payload.length, tile_bytes_of(payload), false);
  } else if (is_in_blocks(payload)) {
    const std::uint64_t tiles = tiles_of_block(payload);
    for (const Tile& tile : payload.tiles) add(tile.file, tile.offset, tile.bytes, tile.bytes / tiles, true);
  }
}

std::string last_name(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

// The common beginning of the names, up to the part that distinguishes the files of the set: "run" of "run_b0" and
// "run_b1".
std::string common_name(const std::vector<std::string>& names) {
  std::string common = names.front();
  for (const std::string& name : names) {
    common.resize(static_cast<std::size_t>(std::ranges::mismatch(common, name).in1 - common.begin()));
  }
  const std::size_t mark = common.find_last_of("._-");
  return mark == std::string::npos ? "" : common.substr(0, mark);
}

void name_files(const Catalog& original, const std::vector<std::uint64_t>& file_bytes, Archive& archive) {
  std::vector<std::string> names;
  for (const std::string& path : original.files) names.push_back(last_name(path));
  archive.name = common_name(names);
  std::set<std::string> seen;
  for (std::size_t k = 0; k < names.size(); ++k) {
    archive.files.push_back({names[k].substr(archive.name.size()), archive.bytes, file_bytes[k]});
    archive.bytes += file_bytes[k];
    if (is_suffix(archive.files.back().suffix) && seen.insert(names[k]).second) continue;
    base::fail(Code::unsupported, original.path,
               "some of {} files that belong together have the same name, or names with blanks, so an "
               "archive could not distinguish them; convert them to one file first",
               names.size());
  }
}

// Everything between the pieces is stored unchanged.
void add_segments(const std::vector<Piece>& pieces, Archive& archive) {
  std::uint64_t begin = 0;
  const auto as_it_is = [&](std::uint64_t end) {
    while (begin < end) {
      const std::uint64_t length = std::min(end, archive.end_of_file_at(begin)) - begin;
      archive.segments.push_back({.begin = begin, .length = length});
      begin += length;
    }
  };
  const auto goes_on = [&](const Piece& piece) {
    if (!piece.is_block || archive.segments.empty()) return false;
    const Segment& last = archive.segments.back();
    return last.tile_bytes == piece.tile_bytes && last.numbers == piece.numbers &&
           archive.end_of_file_at(last.begin) > begin;
  };
  for (const Piece& piece : pieces) {
    if (piece.begin < begin) continue;  // found under two names
    as_it_is(piece.begin);
    if (!goes_on(piece)) {
      archive.segments.push_back({.begin = begin, .tile_bytes = piece.tile_bytes, .numbers = piece.numbers});
    }
    archive.segments.back().length += piece.length;
    begin += piece.length;
  }
  as_it_is(archive.bytes);
}

// The squeezed segment in which all these bytes are whole tiles; nullptr if there is none.
const Segment* segment_of(const Archive& archive, std::optional<std::uint64_t> begin, std::uint64_t length) {
  if (!begin) return nullptr;
  const auto behind = std::ranges::upper_bound(archive.segments, *begin, {}, &Segment::begin);
  if (behind == archive.segments.begin()) return nullptr;
  const Segment& segment = *std::prev(behind);
  const std::uint64_t within = *begin - segment.begin;
  const bool is_whole = segment.is_squeezed() && within < segment.length && length <= segment.length - within &&
                        within % segment.tile_bytes == 0 &&
                        (length % segment.tile_bytes == 0 || within + length == segment.length);
  return is_whole ? &segment : nullptr;
}

std::optional<Payload> piece_in_tiles(const Payload& original, const Archive& archive) {
  const auto begin = place_in(archive, original.file, original.offset, original.length);
  const Segment* const segment = segment_of(archive, begin, original.length);
  const bool is_all = segment != nullptr && segment->begin == *begin && segment->length == original.length;
  if (!is_all || segment->tile_bytes % original.site_bytes() != 0) return {};
  Payload payload = original;
  payload.file = 0;
  payload.offset = 0;
  payload.tile_sites = segment->tile_bytes / payload.site_bytes();
  payload.tiles = segment->tiles;
  payload.encoding = encoding_name(segment->numbers);
  return payload;
}

// Divides blocks of a payload into smaller ones, each of which is a tile.
class SmallerBlocks {
 public:
  // `original` has tiles, and outlives the object.
  SmallerBlocks(const Payload& original, const Archive& archive)
      : original_(original), archive_(archive), order_(lattice::resolve_order(original.order, original.block.size())) {}

  std::optional<Payload> payload() && {
    for (std::size_t k = 0; k < original_.tiles.size(); ++k) {
      const Tile& tile = original_.tiles[k];
      const auto begin = place_in(archive_, tile.file, tile.offset, tile.bytes);
      const Segment* const segment = segment_of(archive_, begin, tile.bytes);
      if (segment == nullptr || tile.bytes % segment->tile_bytes != 0) return {};
      if (k == 0 && !prepare(*segment)) return {};
      if (segment->tile_bytes != smaller_.tile_sites * smaller_.site_bytes()) return {};
      if (encoding_name(segment->numbers) != smaller_.encoding) return {};
      place(k, &segment->tiles[static_cast<std::size_t>((*begin - segment->begin) / segment->tile_bytes)]);
    }
    return std::move(smaller_);
  }

 private:
  // False: the tiles are not blocks.
  bool prepare(const Segment& segment) {
    const auto parts = parts_of(original_, original_.tiles.front().bytes / segment.tile_bytes);
    if (!parts) return false;
    parts_ = *parts;
    smaller_ = original_;
    blocks_ = all_ = original_.extents;
    for (int d = 0; d < blocks_.size(); ++d) {
      blocks_[d] /= original_.block[d];
      all_[d] = blocks_[d] * parts_[d];
      smaller_.block[d] /= parts_[d];
    }
    smaller_.tile_sites = volume(smaller_.block);
    smaller_.tiles.assign(static_cast<std::size_t>(volume(all_)), {});
    smaller_.encoding = encoding_name(segment.numbers);
    return true;
  }

  // Block number k is stored in these tiles, contiguous.
  void place(std::size_t k, const Tile* tiles) {
    const Coord block = lattice::site_at(k, lq::whole(blocks_), order_);
    for (std::uint64_t part = 0; part < volume(parts_); ++part, ++tiles) {
      Coord x = lattice::site_at(part, lq::whole(parts_), order_);
      for (int d = 0; d < x.size(); ++d) x[d] += block[d] * parts_[d];
      smaller_.tiles[static_cast<std::size_t>(lattice::site_number(x, lq::whole(all_), order_))] = *tiles;
    }
  }

  const Payload& original_;
  const Archive& archive_;
  SiteOrder order_;
  Payload smaller_;
  Coord parts_;           // per block
  Extents blocks_, all_;  // number of original and of new blocks
};

}  // namespace

Archive cut(const Catalog& original, const std::vector<std::uint64_t>& file_bytes) {
  Archive archive;
  archive.format = original.format;
  if (original.files.size() > 1) {
    name_files(original, file_bytes, archive);
  } else {
    archive.name = last_name(original.path);
    archive.bytes = file_bytes.front();
  }
  std::vector<Piece> pieces;
  for (const FieldEntry& entry : original.fields) add_pieces(entry.payload, archive, pieces);
  std::ranges::stable_sort(pieces, {}, &Piece::begin);
  if (pieces.empty()) {
    base::fail(Code::unsupported, original.path,
               "no field in it is contiguous, or in contiguous blocks of the lattice, so there is nothing "
               "to squeeze; convert it to another format first, such as ildg");
  }
  add_segments(pieces, archive);
  return archive;
}

std::optional<Payload> in_tiles(const Payload& original, const Archive& archive) {
  if (is_in_blocks(original)) return SmallerBlocks(original, archive).payload();
  if (is_in_one_piece(original)) return piece_in_tiles(original, archive);
  return {};
}

}  // namespace lq::archive
