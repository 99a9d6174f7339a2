// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/sequence.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <utility>

#include "base/error.hpp"
#include "engine/stepwise_transfer.hpp"
#include "lattice/site_order.hpp"

namespace lq::engine {

namespace {

constexpr std::array<std::byte, 4096> zero_page{};

}  // namespace

TiledArray::Span TiledArray::span_at(std::uint64_t offset, std::size_t most) const noexcept {
  const lattice::TilePiece piece = map_.piece_at(offset / site_bytes_);
  const std::uint64_t of_site = offset % site_bytes_, bytes = piece.sites * site_bytes_ - of_site;
  const bool reaches_end = bytes <= most;
  return {static_cast<std::size_t>(first_tile_ + piece.tile), piece.first * site_bytes_ + of_site,
          reaches_end ? static_cast<std::size_t>(bytes) : most, reaches_end ? piece.padding * site_bytes_ : 0};
}

void TiledArray::read(std::uint64_t offset, base::MutableBytes buffer) {
  while (!buffer.empty()) {
    const Span span = span_at(offset, buffer.size());
    tiles_.read(span.tile, span.within, buffer.first(span.bytes));
    offset += span.bytes;
    buffer = buffer.subspan(span.bytes);
  }
}

void TiledArray::write(std::uint64_t offset, base::Bytes bytes) {
  while (!bytes.empty()) {
    const Span span = span_at(offset, bytes.size());
    tiles_.write(span.tile, span.within, bytes.first(span.bytes));
    std::uint64_t within = span.within + span.bytes;
    for (std::uint64_t left = span.padding, now = 0; left > 0; left -= now, within += now) {
      now = std::min<std::uint64_t>(left, zero_page.size());
      tiles_.write(span.tile, within, base::Bytes(zero_page).first(static_cast<std::size_t>(now)));
    }
    offset += span.bytes;
    bytes = bytes.subspan(span.bytes);
  }
}

namespace {

constexpr std::size_t scratch_bytes = 256 * 1024;  // bytes of the sequence distributed to arrays at a time

void require_known(const std::string& path, const Payload& payload, const format::TileCodec* codec) {
  if (payload.encoding.empty() || codec != nullptr) return;
  base::fail(
      Code::unsupported, {.path = path, .found = payload.encoding},
      "tiles are encoded as \"{}\", which this Limequat was not built with (`lq --version -v`), or does not know",
      payload.encoding);
}

// Each array has sites of the same size.
std::uint64_t dealt_bytes(const std::string& path, const Payload& payload) {
  const std::uint64_t arrays = payload.arrays, bytes = payload.site_bytes();
  if (arrays >= 1 && bytes % arrays == 0 && bytes / arrays % payload.spec.number_bytes() == 0) return bytes / arrays;
  base::fail(Code::invalid_argument, {.path = path}, "sites of {} bytes cannot be dealt into {} arrays", bytes, arrays);
}

void require_all(const std::string& path, const Payload& payload, std::uint64_t tiles) {
  if (payload.tiles.size() == tiles) return;
  base::fail(Code::invalid_argument, {.path = path}, "{} tiles are known of the {} that there are",
             payload.tiles.size(), tiles);
}

}  // namespace

PlacedFile::PlacedFile(std::string path, const Payload& payload, const format::TileCodec* codec,
                       std::vector<storage::File*> files)
    : path_(std::move(path)),
      files_(std::move(files)),
      site_bytes_(payload.site_bytes()),
      array_site_bytes_(dealt_bytes(path_, payload)),
      sequence_bytes_(payload.stored.volume() * payload.site_bytes()),
      map_(payload) {
  require_known(path_, payload, codec);
  require_all(path_, payload, payload.arrays * map_.tiles());
  PlacedTiles placed{path_, payload.tiles, files_};
  if (codec != nullptr) {
    tiles_ = std::make_unique<EncodedTiles>(std::move(placed), *codec, map_, array_site_bytes_);
  } else {
    tiles_ = std::make_unique<PlainTiles>(std::move(placed));
  }
  for (std::uint64_t k = 0; k < payload.arrays; ++k) {
    arrays_.emplace_back(map_, *tiles_, k * map_.tiles(), array_site_bytes_);
  }
  if (payload.arrays > 1) scratch_.resize(scratch_bytes);
}

// Bytes of an array that come before a byte of the sequence.
std::uint64_t PlacedFile::in_array(std::uint64_t array, std::uint64_t offset) const noexcept {
  const std::uint64_t within = offset % site_bytes_, begin = array * array_site_bytes_;
  const std::uint64_t part = within <= begin ? 0 : std::min(within - begin, array_site_bytes_);
  return offset / site_bytes_ * array_site_bytes_ + part;
}

template <class Work>
void PlacedFile::for_each_array(std::uint64_t offset, std::size_t bytes, const Work& work) {
  for (std::uint64_t k = 0; k < arrays_.size(); ++k) {
    const std::uint64_t begin = in_array(k, offset), end = in_array(k, offset + bytes);
    if (begin == end) continue;
    // Runs that are contiguous both in the array and in the sequence.
    const auto for_each_run = [&](const auto& copy) {
      for (std::uint64_t at = begin, run = 0; at < end; at += run) {
        const std::uint64_t of_site = at % array_site_bytes_;
        run = std::min(array_site_bytes_ - of_site, end - at);
        const std::uint64_t in_sequence = at / array_site_bytes_ * site_bytes_ + k * array_site_bytes_ + of_site;
        copy(static_cast<std::size_t>(in_sequence - offset), scratch_.data() + (at - begin),
             static_cast<std::size_t>(run));
      }
    };
    work(arrays_[static_cast<std::size_t>(k)], begin,
         base::MutableBytes(scratch_).first(static_cast<std::size_t>(end - begin)), for_each_run);
  }
}

std::size_t PlacedFile::read_at(std::uint64_t offset, base::MutableBytes buffer) {
  if (offset >= sequence_bytes_) return 0;
  buffer = buffer.first(static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), sequence_bytes_ - offset)));
  if (arrays_.size() == 1) {
    arrays_.front().read(offset, buffer);
    return buffer.size();
  }
  for (std::size_t done = 0, now = 0; done < buffer.size(); done += now) {
    now = std::min(buffer.size() - done, scratch_.size());
    std::byte* const to = buffer.data() + done;
    for_each_array(offset + done, now, [&](TiledArray& array, std::uint64_t at, base::MutableBytes part, auto& runs) {
      array.read(at, part);
      runs([&](std::size_t place, const std::byte* from, std::size_t bytes) { std::memcpy(to + place, from, bytes); });
    });
  }
  return buffer.size();
}

void PlacedFile::write_at(std::uint64_t offset, base::Bytes bytes) {
  if (arrays_.size() == 1) return arrays_.front().write(offset, bytes);
  for (std::size_t done = 0, now = 0; done < bytes.size(); done += now) {
    now = std::min(bytes.size() - done, scratch_.size());
    const std::byte* const from = bytes.data() + done;
    for_each_array(offset + done, now, [&](TiledArray& array, std::uint64_t at, base::MutableBytes part, auto& runs) {
      runs([&](std::size_t place, std::byte* to, std::size_t count) { std::memcpy(to, from + place, count); });
      array.write(at, part);
    });
  }
}

storage::Identity PlacedFile::identity() const {
  const auto open = std::ranges::find_if(files_, [](const storage::File* file) { return file != nullptr; });
  return open == files_.end() ? storage::Identity{} : (*open)->identity();
}

void PlacedFile::sync() {
  for (storage::File* file : files_) {
    if (file != nullptr) file->sync();
  }
}

void PlacedFile::close() {
  for (storage::File* file : files_) {
    if (file != nullptr) file->close();
  }
}

namespace {

constexpr std::uint64_t usual_block_bytes = 64 * 1024;
// Links of a slice are in it and in the next one, and boxes with long rows in both of two orders return to all of these
// blocks. Blocks that are evicted too early are read again.
constexpr std::uint64_t kept_slices = 2, few_blocks = 64;

std::uint64_t slice_bytes(const Payload& payload) {
  const SiteOrder order = lattice::resolve_order(payload.order, payload.extents.size());
  return payload.length / static_cast<std::uint64_t>(payload.extents[order.back()]);
}

}  // namespace

OddPointFile::OddPointFile(const Payload& payload, storage::File& file)
    : file_(file),
      points_(payload),
      begin_(payload.offset),
      bytes_(payload.length),
      site_bytes_(payload.site_bytes()),
      unit_(payload.spec.number_bytes()),
      block_bytes_(std::max<std::uint64_t>(usual_block_bytes / points_.link_bytes(), 1) * points_.link_bytes()),
      most_blocks_(static_cast<std::size_t>(kept_slices * slice_bytes(payload) / block_bytes_ + few_blocks)) {}

std::uint64_t OddPointFile::block_size(std::uint64_t number) const noexcept {
  return std::min(block_bytes_, bytes_ - number * block_bytes_);
}

OddPointFile::Block& OddPointFile::kept_block(std::uint64_t number, bool reads) {
  if (const auto found = by_number_.find(number); found != by_number_.end()) return *found->second;
  if (blocks_.size() >= most_blocks_) drop_oldest();
  Block block{.number = number, .bytes = std::move(spare_)};
  block.bytes.resize(static_cast<std::size_t>(block_size(number)));
  if (reads) {
    read_whole(file_, begin_ + number * block_bytes_, block.bytes);
  } else {
    block.filled.resize(static_cast<std::size_t>(block.bytes.size() / unit_));
  }
  blocks_.push_back(std::move(block));
  by_number_[number] = std::prev(blocks_.end());
  return blocks_.back();
}

void OddPointFile::drop_oldest() {
  Block block = std::move(blocks_.front());
  by_number_.erase(block.number);
  blocks_.pop_front();
  write_filled(block);
  spare_ = std::move(block.bytes);
}

// Writes the runs of units that were set; for a block that was read there are none.
void OddPointFile::write_filled(const Block& block) {
  const std::uint64_t at = begin_ + block.number * block_bytes_;
  if (block.units == block.filled.size() && block.units > 0) return file_.write_at(at, block.bytes);
  for (auto first = block.filled.begin(); first != block.filled.end();) {
    first = std::find(first, block.filled.end(), true);
    const auto last = std::find(first, block.filled.end(), false);
    if (first == last) break;
    const auto offset = static_cast<std::size_t>(first - block.filled.begin()) * static_cast<std::size_t>(unit_);
    const auto count = static_cast<std::size_t>(last - first) * static_cast<std::size_t>(unit_);
    file_.write_at(at + offset, base::Bytes(block.bytes).subspan(offset, count));
    first = last;
  }
}

void OddPointFile::flush() {
  while (!blocks_.empty()) drop_oldest();
}

template <class Copy>
void OddPointFile::for_each_piece(std::uint64_t offset, std::uint64_t length, Copy&& copy) {
  const std::uint64_t link = points_.link_bytes();
  lattice::OddPoints::Walk walk(points_, offset / site_bytes_);
  for (std::uint64_t done = 0; done < length; walk.advance()) {
    std::uint64_t within = (offset + done) % site_bytes_;
    const std::uint64_t end = std::min(site_bytes_, within + length - done);
    for (; within < end;) {
      const std::uint64_t skip = within % link, count = std::min(link - skip, end - within);
      const std::uint64_t place = walk.place(static_cast<int>(within / link)) * link + skip;
      copy(place / block_bytes_, static_cast<std::size_t>(place % block_bytes_), static_cast<std::size_t>(done),
           static_cast<std::size_t>(count));
      within += count;
      done += count;
    }
  }
}

std::size_t OddPointFile::read_at(std::uint64_t offset, base::MutableBytes buffer) {
  if (offset >= bytes_) return 0;
  const std::uint64_t length = std::min<std::uint64_t>(buffer.size(), bytes_ - offset);
  for_each_piece(offset, length, [&](std::uint64_t number, std::size_t from, std::size_t to, std::size_t count) {
    std::memcpy(buffer.data() + to, kept_block(number, true).bytes.data() + from, count);
  });
  return static_cast<std::size_t>(length);
}

void OddPointFile::write_at(std::uint64_t offset, base::Bytes bytes) {
  if (offset % unit_ != 0 || bytes.size() % unit_ != 0) {
    base::fail(Code::internal, {}, "{}: {} bytes at byte {} are not whole numbers", path(), bytes.size(), offset);
  }
  for_each_piece(offset, bytes.size(), [&](std::uint64_t number, std::size_t to, std::size_t from, std::size_t count) {
    Block& block = kept_block(number, false);
    std::memcpy(block.bytes.data() + to, bytes.data() + from, count);
    for (std::size_t k = to / unit_; k < (to + count) / unit_; ++k) {
      block.units += block.filled[k] ? 0 : 1;
      block.filled[k] = true;
    }
    if (block.units < block.filled.size()) return;
    write_filled(block);
    spare_ = std::move(block.bytes);
    blocks_.erase(by_number_.at(number));
    by_number_.erase(number);
  });
}

}  // namespace lq::engine
