// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "archive/restored.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "archive/codec/tile.hpp"

namespace lq::archive {

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
    throw Error(Code::truncated, fmt::format("{}: it ends before byte {}", file_.path(), end),
                {.path = file_.path(), .offset = segment.place + within});
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
    throw Error(Code::truncated, fmt::format("{}: it ends within tile {} at byte {}", file_.path(), tile, place.offset),
                {.path = file_.path(), .offset = place.offset});
  }
  held_.resize(static_cast<std::size_t>(segment.bytes_of(tile)));
  try {
    codec_of(segment.numbers).decode(encoded, held_);
  } catch (const Error& error) {
    const bool is_damage = error.code() == Code::malformed || error.code() == Code::checksum_mismatch;
    if (damage_ == Damage::is_thrown || !is_damage) {
      throw Error(
          error.code(),
          fmt::format("{}: tile {}, {} bytes at byte {}, cannot be restored: {}; copy the archive again from its "
                      "source",
                      file_.path(), tile, place.bytes, place.offset, error.what()),
          {.path = file_.path(), .offset = place.offset});
    }
    std::ranges::fill(held_, std::byte{0});
  }
  held_of_ = &segment;
  held_tile_ = tile;
}

}  // namespace lq::archive
