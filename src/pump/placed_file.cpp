// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "pump/placed_file.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "comm/agree.hpp"
#include "pump/block.hpp"

namespace lq::pump {

PlacedFile::PlacedFile(std::string path, const Payload& payload, const format::TileCodec* codec,
                       std::vector<transport::File*> files)
    : path_(std::move(path)),
      payload_(payload),
      codec_(codec),
      files_(std::move(files)),
      tile_bytes_(payload.tile_sites * payload.site_bytes()),
      sequence_bytes_(payload.stored.volume() * payload.site_bytes()) {
  if (!payload.encoding.empty() && codec == nullptr) {
    throw Error(Code::unsupported,
                fmt::format("{}: tiles are encoded as \"{}\", which is not known here", path_, payload.encoding),
                {.path = path_, .found = payload.encoding});
  }
}

std::size_t PlacedFile::read_at(std::uint64_t offset, base::MutableBytes buffer) {
  std::size_t done = 0;
  while (done < buffer.size() && offset + done < sequence_bytes_) {
    const auto tile = static_cast<std::size_t>((offset + done) / tile_bytes_);
    const std::uint64_t within = offset + done - tile_begin(tile);
    const auto bytes = static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size() - done, bytes_of(tile) - within));
    if (codec_ != nullptr) {
      std::ranges::copy(decoded(tile).subspan(static_cast<std::size_t>(within), bytes), buffer.data() + done);
    } else {
      const Tile& place = payload_.tiles[tile];
      const std::size_t got =
          files_[static_cast<std::size_t>(place.file)]->read_at(place.offset + within, buffer.subspan(done, bytes));
      if (got < bytes) return done + got;
    }
    done += bytes;
  }
  return done;
}

base::Bytes PlacedFile::decoded(std::size_t tile) {
  if (!has_decoded_ || open_tile_ != tile) {
    const Tile& place = payload_.tiles[tile];
    std::vector<std::byte> encoded(static_cast<std::size_t>(place.bytes));
    read_whole(*files_[static_cast<std::size_t>(place.file)], place.offset, encoded);
    has_decoded_ = false;
    open_.resize(static_cast<std::size_t>(bytes_of(tile)));
    try {
      codec_->decode(encoded, open_);
    } catch (const Error& error) {
      throw Error(error.code(),
                  fmt::format("{}: tile {}, {} bytes at byte {}, cannot be decoded: {}", path_, tile, place.bytes,
                              place.offset, error.what()),
                  {.path = path_, .offset = place.offset});
    }
    open_tile_ = tile;
    has_decoded_ = true;
  }
  return open_;
}

void PlacedFile::write_at(std::uint64_t offset, base::Bytes bytes) {
  while (!bytes.empty()) {
    const auto tile = static_cast<std::size_t>(offset / tile_bytes_);
    const std::uint64_t within = offset - tile_begin(tile);
    const base::Bytes part =
        bytes.first(static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), bytes_of(tile) - within)));
    if (codec_ != nullptr) {
      fill(tile, within, part);
    } else {
      const Tile& place = payload_.tiles[tile];
      files_[static_cast<std::size_t>(place.file)]->write_at(place.offset + within, part);
    }
    offset += part.size();
    bytes = bytes.subspan(part.size());
  }
}

void PlacedFile::fill(std::size_t tile, std::uint64_t within, base::Bytes bytes) {
  if (filled_ > 0 && tile != open_tile_) throw_shared(open_tile_);
  if (within != filled_) throw_shared(tile);
  if (within == 0 && bytes.size() == bytes_of(tile)) {
    encoded_.push_back({tile, codec_->encode(bytes)});
    return;
  }
  open_tile_ = tile;
  open_.resize(static_cast<std::size_t>(bytes_of(tile)));
  std::ranges::copy(bytes, open_.data() + within);
  filled_ += bytes.size();
  if (filled_ < open_.size()) return;
  encoded_.push_back({tile, codec_->encode(open_)});
  filled_ = 0;
}

void PlacedFile::throw_shared(std::size_t tile) const {
  throw Error(
      Code::unsupported,
      fmt::format("{}: the sites of tile {} are not all on one rank, which would have to encode it; take another "
                  "strategy than \"direct\"",
                  path_, tile),
      {.path = path_});
}

void PlacedFile::sync() {
  for (transport::File* file : files_) {
    if (file != nullptr) file->sync();
  }
}

void PlacedFile::close() {
  for (transport::File* file : files_) {
    if (file != nullptr) file->close();
  }
}

std::vector<Tile> PlacedFile::settle(comm::Comm& comm) {
  if (codec_ == nullptr) return comm::agree(comm, [&] { return payload_.tiles; });
  std::vector<std::uint64_t> sizes, next;
  comm::agree(comm, [&] {
    if (filled_ > 0) throw_shared(open_tile_);
    sizes.resize(payload_.tiles.size());
    for (const Encoded& one : encoded_) sizes[one.tile] = one.bytes.size();
    next.resize(files_.size());
  });
  comm.all_reduce(sizes, comm::Reduce::sum);
  std::vector<Tile> tiles;
  comm::agree(comm, [&] {
    tiles = payload_.tiles;
    for (std::size_t k = 0; k < tiles.size(); ++k) {
      std::uint64_t& offset = next[static_cast<std::size_t>(tiles[k].file)];
      tiles[k].offset = std::max(offset, tiles[k].offset);
      tiles[k].bytes = sizes[k];
      offset = tiles[k].offset + sizes[k];
    }
    for (const Encoded& one : encoded_) {
      const Tile& place = tiles[one.tile];
      files_[static_cast<std::size_t>(place.file)]->write_at(place.offset, one.bytes);
    }
    encoded_.clear();
  });
  return tiles;
}

}  // namespace lq::pump
