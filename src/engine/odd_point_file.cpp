// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/odd_point_file.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "engine/block.hpp"
#include "lattice/site_order.hpp"

namespace lq::engine {
namespace {

constexpr std::uint64_t usual_block_bytes = 64 * 1024;
// Links of a slice lie in it and in the next one, and boxes with long rows in both of two orders come back to all of
// these blocks; what goes before its time is read again.
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

// Runs of units that were handed over; of a block that was read, none.
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
    throw Error(Code::internal,
                fmt::format("{}: {} bytes at byte {} are not whole numbers", path(), bytes.size(), offset));
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
