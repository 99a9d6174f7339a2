// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "pump/encoded_tiles.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "comm/agree.hpp"
#include "pump/block.hpp"

namespace lq::pump {
namespace {

constexpr std::uint64_t largest_tile = std::uint64_t{1} << 32;  // decoded, whatever a file says of itself

}  // namespace

std::uint64_t EncodedTiles::bytes_of(std::size_t tile) const { return map_.places(tile % map_.tiles()) * site_bytes_; }

void EncodedTiles::read(std::size_t tile, std::uint64_t within, base::MutableBytes buffer) {
  if (placed_.tiles[tile].bytes == 0) return void(std::ranges::fill(buffer, std::byte{0}));
  std::copy_n(decoded(tile).bytes.get() + within, buffer.size(), buffer.data());
}

const EncodedTiles::Decoded& EncodedTiles::decoded(std::size_t tile) {
  const auto found = kept_by_tile_.find(tile);
  if (found != kept_by_tile_.end()) {
    kept_.splice(kept_.begin(), kept_, found->second);
    return kept_.front();
  }
  while (!kept_.empty() && kept_bytes_ + bytes_of(tile) > decoded_bytes_kept) {
    kept_bytes_ -= kept_.back().size;
    kept_by_tile_.erase(kept_.back().tile);
    kept_.pop_back();
  }
  kept_.push_front(decode(tile));
  kept_bytes_ += kept_.front().size;
  kept_by_tile_[tile] = kept_.begin();
  return kept_.front();
}

EncodedTiles::Decoded EncodedTiles::decode(std::size_t tile) const {
  const Tile& place = placed_.tiles[tile];
  transport::File& file = placed_.file_of(place);
  const std::string& path = placed_.path;
  const std::uint64_t size = file.size();
  if (place.offset > size || place.bytes > size - place.offset) {
    throw Error(Code::truncated,
                fmt::format("{}: tile {}, {} bytes at byte {}, reaches beyond the end of the file at byte {}; copy it "
                            "again from its source",
                            path, tile, place.bytes, place.offset, size),
                {.path = path, .offset = place.offset});
  }
  Decoded result{tile, bytes_of(tile), nullptr};
  if (result.size > largest_tile) {
    throw Error(Code::too_large,
                fmt::format("{}: tile {} would be of {} bytes when it is decoded; {} are read at most", path, tile,
                            result.size, largest_tile),
                {.path = path, .offset = place.offset});
  }
  std::vector<std::byte> encoded(static_cast<std::size_t>(place.bytes));
  read_whole(file, place.offset, encoded);
  result.bytes = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(result.size));
  try {
    codec_.decode(encoded, {result.bytes.get(), static_cast<std::size_t>(result.size)});
  } catch (const Error& error) {
    throw Error(error.code(),
                fmt::format("{}: tile {}, {} bytes at byte {}, cannot be decoded: {}", path, tile, place.bytes,
                            place.offset, error.what()),
                {.path = path, .offset = place.offset});
  }
  return result;
}

void EncodedTiles::write(std::size_t tile, std::uint64_t within, base::Bytes bytes) {
  const std::uint64_t full = bytes_of(tile);
  if (within == 0 && bytes.size() == full) return encode(tile, bytes);
  Open& open = open_[tile];
  if (within != open.filled) throw_shared(tile);
  open.bytes.resize(static_cast<std::size_t>(full));
  std::ranges::copy(bytes, open.bytes.data() + within);
  open.filled += bytes.size();
  if (open.filled < full) return;
  encode(tile, open.bytes);
  open_.erase(tile);
}

// Twice what a tile has decoded: codecs add little to what they cannot make smaller.
std::uint64_t EncodedTiles::waiting_room() const { return 2 * map_.places(0) * site_bytes_ + 4096; }

std::uint64_t EncodedTiles::waiting_place(std::size_t tile) const { return waiting_begin_ + tile * waiting_room(); }

void EncodedTiles::encode(std::size_t tile, base::Bytes bytes) {
  Encoded one{tile, 0, codec_.encode(bytes)};
  one.size = one.bytes.size();
  if (encoded_bytes_ + one.size <= encoded_bytes_kept || one.size > waiting_room()) {
    one.bytes.shrink_to_fit();
    encoded_bytes_ += one.size;
  } else {
    if (waiting_begin_ == 0) {
      for (const Tile& place : placed_.tiles) waiting_begin_ = std::max(waiting_begin_, place.offset);
      waiting_begin_ += placed_.tiles.size() * waiting_room();
    }
    placed_.file_of(placed_.tiles[tile]).write_at(waiting_place(tile), one.bytes);
    one.bytes = std::vector<std::byte>();
  }
  encoded_.push_back(std::move(one));
}

void EncodedTiles::put(const Encoded& one, const Tile& place) const {
  transport::File& file = placed_.file_of(place);
  if (!one.bytes.empty() || one.size == 0) return file.write_at(place.offset, one.bytes);
  if (place.offset + place.bytes > waiting_begin_) {
    throw Error(
        Code::internal,
        fmt::format("{}: encoded tiles have more than twice the bytes of what they hold; please report", placed_.path),
        {.path = placed_.path});
  }
  std::vector<std::byte> bytes(static_cast<std::size_t>(one.size));
  read_whole(file, waiting_place(one.tile), bytes);
  file.write_at(place.offset, bytes);
}

void EncodedTiles::throw_shared(std::size_t tile) const {
  throw Error(
      Code::unsupported,
      fmt::format("{}: the sites of tile {} are not all on one rank, which would have to encode it; take another "
                  "strategy than \"direct\"",
                  placed_.path, tile),
      {.path = placed_.path});
}

std::vector<Tile> EncodedTiles::settle(comm::Comm& comm) {
  std::vector<std::uint64_t> sizes, next;
  comm::agree(comm, [&] {
    if (!open_.empty()) throw_shared(open_.begin()->first);
    sizes.resize(placed_.tiles.size());
    for (const Encoded& one : encoded_) sizes[one.tile] = one.size;
    next.resize(placed_.files.size());
  });
  comm.all_reduce(sizes, comm::Reduce::sum);
  std::vector<Tile> tiles;
  comm::agree(comm, [&] {
    tiles = placed_.tiles;
    for (std::size_t k = 0; k < tiles.size(); ++k) {
      std::uint64_t& offset = next[static_cast<std::size_t>(tiles[k].file)];
      tiles[k].offset = std::max(offset, tiles[k].offset);
      tiles[k].bytes = sizes[k];
      offset = tiles[k].offset + sizes[k];
    }
    for (const Encoded& one : encoded_) put(one, tiles[one.tile]);
    encoded_.clear();
  });
  // All have left the places where they waited.
  comm::agree(comm, [&] {
    if (waiting_begin_ == 0) return;
    for (std::size_t k = 0; k < next.size(); ++k) {
      transport::File* const file = placed_.files[k];
      if (file != nullptr && file->size() > waiting_begin_) file->resize(next[k]);
    }
  });
  return tiles;
}

}  // namespace lq::pump
