// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/tile_files.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "comm/agree.hpp"
#include "engine/block.hpp"

namespace lq::engine {

void PlainTiles::read(std::size_t tile, std::uint64_t within, base::MutableBytes buffer) {
  const Tile& place = placed_.tiles[tile];
  if (place.bytes == 0) return void(std::ranges::fill(buffer, std::byte{0}));
  read_whole(placed_.file_of(place), place.offset + within, buffer);
}

void PlainTiles::write(std::size_t tile, std::uint64_t within, base::Bytes bytes) {
  const Tile& place = placed_.tiles[tile];
  if (within > place.bytes || bytes.size() > place.bytes - within) {
    throw Error(Code::internal,
                fmt::format("{}: tile {} was given {} bytes, which are too few; please report", placed_.path, tile,
                            place.bytes),
                {.path = placed_.path});
  }
  placed_.file_of(place).write_at(place.offset + within, bytes);
}

std::vector<Tile> PlainTiles::settle(comm::Comm& comm) {
  return comm::agree(comm, [&] { return placed_.tiles; });
}

}  // namespace lq::engine
