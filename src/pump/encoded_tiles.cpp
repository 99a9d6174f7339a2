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
  if (within == 0 && bytes.size() == full) return void(encoded_.push_back({tile, codec_.encode(bytes)}));
  Open& open = open_[tile];
  if (within != open.filled) throw_shared(tile);
  open.bytes.resize(static_cast<std::size_t>(full));
  std::ranges::copy(bytes, open.bytes.data() + within);
  open.filled += bytes.size();
  if (open.filled < full) return;
  encoded_.push_back({tile, codec_.encode(open.bytes)});
  open_.erase(tile);
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
    for (const Encoded& one : encoded_) sizes[one.tile] = one.bytes.size();
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
    for (const Encoded& one : encoded_) {
      const Tile& place = tiles[one.tile];
      placed_.file_of(place).write_at(place.offset, one.bytes);
    }
    encoded_.clear();
  });
  return tiles;
}

}  // namespace lq::pump
