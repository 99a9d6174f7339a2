// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/encoded_tiles.hpp"

#include <utility>

#include "base/error.hpp"
#include "comm/agree.hpp"
#include "engine/stepwise_transfer.hpp"

namespace lq::engine {

void PlainTiles::read(std::size_t tile, std::uint64_t within, base::MutableBytes buffer) {
  const Tile& place = placed_.tiles[tile];
  if (place.bytes == 0) return void(std::ranges::fill(buffer, std::byte{0}));
  read_whole(placed_.file_of(place), place.offset + within, buffer);
}

void PlainTiles::write(std::size_t tile, std::uint64_t within, base::Bytes bytes) {
  const Tile& place = placed_.tiles[tile];
  if (within > place.bytes || bytes.size() > place.bytes - within) {
    base::fail(Code::internal, {.path = placed_.path}, "tile {} was given {} bytes, which are too few; please report",
               tile, place.bytes);
  }
  placed_.file_of(place).write_at(place.offset + within, bytes);
}

std::vector<Tile> PlainTiles::settle(comm::Comm& comm) {
  return comm::agree(comm, [&] { return placed_.tiles; });
}

namespace {

constexpr std::uint64_t largest_tile = std::uint64_t{1} << 32;  // decoded, whatever the file states

}  // namespace

std::uint64_t EncodedTiles::bytes_of(std::size_t tile) const {
  return map_.places(tile % std::max<std::uint64_t>(map_.tiles(), 1)) * site_bytes_;
}

void EncodedTiles::read(std::size_t tile, std::uint64_t within, base::MutableBytes buffer) {
  if (placed_.tiles[tile].bytes == 0) return void(std::ranges::fill(buffer, std::byte{0}));
  // A tile that is read as a whole will not be needed again soon.
  if (within == 0 && buffer.size() == bytes_of(tile)) {
    require_in_file(tile);
    return decode(tile, buffer);
  }
  std::copy_n(decoded(tile).get() + within, buffer.size(), buffer.data());
}

// One thread decodes a tile, the others wait for it.
std::shared_ptr<std::byte[]> EncodedTiles::decoded(std::size_t tile) {
  const auto is_in_hand = [&] { return std::ranges::find(in_hand_, tile) != in_hand_.end(); };
  {
    std::unique_lock lock(mutex_);
    is_decoded_.wait(lock, [&] { return !is_in_hand(); });
    if (auto bytes = kept(tile)) return bytes;
    in_hand_.push_back(tile);
    make_room(bytes_of(tile));
  }
  const auto put_down = [&] {
    std::erase(in_hand_, tile);
    is_decoded_.notify_all();
  };
  Decoded result{tile, bytes_of(tile), nullptr};
  try {
    require_in_file(tile);
    require_moderate(tile, result.size);
    result.bytes = std::shared_ptr<std::byte[]>(new std::byte[static_cast<std::size_t>(result.size)]);
    decode(tile, {result.bytes.get(), static_cast<std::size_t>(result.size)});
  } catch (...) {
    const std::lock_guard lock(mutex_);
    put_down();
    throw;
  }
  const std::lock_guard lock(mutex_);
  put_down();
  auto bytes = result.bytes;
  keep(std::move(result));
  return bytes;
}

std::shared_ptr<std::byte[]> EncodedTiles::kept(std::size_t tile) {
  const auto found = kept_by_tile_.find(tile);
  if (found == kept_by_tile_.end()) return nullptr;
  kept_.splice(kept_.begin(), kept_, found->second);
  return kept_.front().bytes;
}

void EncodedTiles::make_room(std::uint64_t bytes) {
  while (!kept_.empty() && kept_bytes_ + bytes > kept_at_most_) {
    kept_bytes_ -= kept_.back().size;
    kept_by_tile_.erase(kept_.back().tile);
    kept_.pop_back();
  }
}

void EncodedTiles::keep(Decoded decoded) {
  make_room(decoded.size);
  const std::size_t tile = decoded.tile;
  kept_.push_front(std::move(decoded));
  kept_bytes_ += kept_.front().size;
  kept_by_tile_[tile] = kept_.begin();
}

void EncodedTiles::require_moderate(std::size_t tile, std::uint64_t size) const {
  if (size <= largest_tile) return;
  const std::string& path = placed_.path;
  const std::uint64_t offset = placed_.tiles[tile].offset;
  base::fail(Code::too_large, {.path = path, .offset = offset},
             "tile {} would be of {} bytes when it is decoded; {} are read at most", tile, size, largest_tile);
}

void EncodedTiles::require_in_file(std::size_t tile) const {
  const Tile& place = placed_.tiles[tile];
  const std::string& path = placed_.path;
  const std::uint64_t size = placed_.file_of(place).size();
  if (place.offset > size || place.bytes > size - place.offset) {
    base::fail(
        Code::truncated, {.path = path, .offset = place.offset},
        "tile {}, {} bytes at byte {}, reaches beyond the end of the file at byte {}; copy it again from its source",
        tile, place.bytes, place.offset, size);
  }
}

void EncodedTiles::decode(std::size_t tile, base::MutableBytes to) const {
  const Tile& place = placed_.tiles[tile];
  const std::string& path = placed_.path;
  std::vector<std::byte> encoded(static_cast<std::size_t>(place.bytes));
  read_whole(placed_.file_of(place), place.offset, encoded);
  try {
    codec_.decode(encoded, to);
  } catch (const Error& error) {
    base::fail(error.code(), {.path = path, .offset = place.offset},
               "tile {}, {} bytes at byte {}, cannot be decoded: {}", tile, place.bytes, place.offset, error.what());
  }
}

void EncodedTiles::write(std::size_t tile, std::uint64_t within, base::Bytes bytes) {
  const std::uint64_t full = bytes_of(tile);
  if (within == 0 && bytes.size() == full) return encode(tile, bytes);
  std::byte* const place = place_in(tile) + within;
  std::ranges::copy(bytes, place);
  std::vector<std::byte> complete;
  {
    const std::lock_guard lock(mutex_);
    Open& open = open_[tile];
    open.filled += bytes.size();
    if (open.filled < full) return;
    complete = std::move(open.bytes);
    open_.erase(tile);
  }
  encode(tile, complete);
}

// Memory of a tile that is being filled.
std::byte* EncodedTiles::place_in(std::size_t tile) {
  const std::lock_guard lock(mutex_);
  Open& open = open_[tile];
  open.bytes.resize(static_cast<std::size_t>(bytes_of(tile)));
  return open.bytes.data();
}

std::uint64_t EncodedTiles::waiting_room() const { return codec_.most_bytes(map_.places(0) * site_bytes_); }

std::uint64_t EncodedTiles::waiting_place(std::size_t tile) const { return waiting_begin_ + tile * waiting_room(); }

void EncodedTiles::encode(std::size_t tile, base::Bytes bytes) {
  Encoded one{tile, 0, codec_.encode(bytes)};
  one.size = one.bytes.size();
  const std::lock_guard lock(mutex_);
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
  storage::File& file = placed_.file_of(place);
  if (!one.bytes.empty() || one.size == 0) return file.write_at(place.offset, one.bytes);
  if (place.offset + place.bytes > waiting_begin_) {
    base::fail(Code::internal, {.path = placed_.path},
               "encoded tiles have more bytes than their codec can give; please report");
  }
  std::vector<std::byte> bytes(static_cast<std::size_t>(one.size));
  read_whole(file, waiting_place(one.tile), bytes);
  file.write_at(place.offset, bytes);
}

void EncodedTiles::throw_shared(std::size_t tile) const {
  base::fail(Code::unsupported, {.path = placed_.path},
             "the sites of tile {} are not all on one rank, which would have to encode it; take another strategy than "
             "\"direct\"",
             tile);
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
  // All ranks have moved their tiles away from the waiting area.
  comm::agree(comm, [&] {
    if (waiting_begin_ == 0) return;
    for (std::size_t k = 0; k < next.size(); ++k) {
      storage::File* const file = placed_.files[k];
      if (file != nullptr && file->size() > waiting_begin_) file->resize(next[k]);
    }
  });
  return tiles;
}

}  // namespace lq::engine
