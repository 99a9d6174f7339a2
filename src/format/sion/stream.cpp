// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "format/sion/stream.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "format/record_texts.hpp"

namespace lq::format::sion {

LogicalFile::LogicalFile(const PhysicalFile& file, std::int32_t task) : places_(file.geometry.places(task)) {
  const auto used = file.table.used(task);
  used_.assign(used.begin(), used.end());
}

std::uint64_t LogicalFile::size() const noexcept {
  return static_cast<std::uint64_t>(std::accumulate(used_.begin(), used_.end(), std::int64_t{0}));
}

std::uint64_t LogicalFile::logical_position() const noexcept {
  const auto before = used_.begin() + static_cast<std::ptrdiff_t>(chunk_);
  return static_cast<std::uint64_t>(std::accumulate(used_.begin(), before, std::int64_t{0})) + position_;
}

void LogicalFile::move_to(std::uint64_t chunk, std::uint64_t position) noexcept {
  chunk_ = chunk;
  position_ = position;
}

void LogicalFile::mark_filled() noexcept {
  used_[chunk_] = std::max(used_[chunk_], static_cast<std::int64_t>(position_));
}

void LogicalFile::append_chunk() {
  const std::uint64_t end =
      base::add_or_throw(base::multiply_or_throw(used_.size() + 2, places_.skip, "the end of a multifile"),
                         places_.start, "the end of a multifile");
  base::add_or_throw(end, std::numeric_limits<std::uint64_t>::max() / 2 + 1, "the end of a multifile");
  if (is_last_chunk()) used_.push_back(0);
  step();
}

std::optional<LogicalFile::ChunkPosition> LogicalFile::find(std::uint64_t logical_position) const {
  if (ends_.size() != used_.size()) {
    ends_.resize(used_.size());
    std::partial_sum(used_.begin(), used_.end(), ends_.begin(),
                     [](std::uint64_t sum, std::int64_t filled) { return sum + static_cast<std::uint64_t>(filled); });
  }
  const auto found = std::ranges::lower_bound(ends_, logical_position);
  if (found == ends_.end()) return std::nullopt;
  const auto chunk = static_cast<std::uint64_t>(found - ends_.begin());
  return ChunkPosition{chunk, logical_position - (chunk == 0 ? 0 : ends_[chunk - 1])};
}

void LogicalFile::for_each(std::uint64_t logical_position, std::uint64_t length,
                           const std::function<void(const StreamRange&)>& work) const {
  std::optional<ChunkPosition> spot = find(logical_position);
  for (; spot && length > 0 && spot->chunk < chunks(); spot = ChunkPosition{spot->chunk + 1, 0}) {
    const std::uint64_t piece = std::min(length, used(spot->chunk) - spot->position);
    if (piece == 0) continue;
    work({offset_of(spot->chunk) + spot->position, piece});
    length -= piece;
  }
}

std::size_t LogicalFile::read(std::uint64_t logical_position, base::MutableBytes buffer, const Read& read) const {
  std::size_t done = 0;
  bool at_end = false;
  for_each(logical_position, buffer.size(), [&](const StreamRange& piece) {
    if (at_end) return;
    const std::size_t held = read(piece.offset, buffer.subspan(done, static_cast<std::size_t>(piece.length)));
    done += held;
    at_end = held < piece.length;
  });
  return done;
}

std::array<std::byte, record_header_bytes> encode_record_header(std::uint64_t key, std::uint64_t length,
                                                                ByteOrder order) noexcept {
  std::array<std::byte, record_header_bytes> bytes{};
  store_uint64(bytes.data(), key, order);
  store_uint64(bytes.data() + 8, length, order);
  return bytes;
}

KeyWalker::KeyWalker(ReadStream read, std::uint64_t stream_bytes, ByteOrder order, std::string stream)
    : read_(std::move(read)), stream_bytes_(stream_bytes), order_(order), stream_(std::move(stream)) {}

std::optional<KeyRecord> KeyWalker::next() {
  if (position_ >= stream_bytes_) return std::nullopt;
  const std::uint64_t begin = std::exchange(position_, stream_bytes_);  // after a failure the walk has ended
  std::array<std::byte, record_header_bytes> bytes{};
  const std::uint64_t left = stream_bytes_ - begin;
  if (left < bytes.size() || read_(begin, bytes) < bytes.size()) {
    base::fail(Code::truncated,
               {.path = stream_, .offset = begin, .expected = "16 bytes", .found = fmt::format("{} bytes", left)},
               "the stream ends {} bytes into the header of a key-value record at its byte {}", left, begin);
  }
  KeyRecord record;
  record.key = load_uint64(bytes.data(), order_);
  record.length = load_uint64(bytes.data() + 8, order_);
  record.position = begin + bytes.size();
  if (record.length > stream_bytes_ - record.position) {
    base::fail(Code::malformed,
               {.path = stream_,
                .offset = begin,
                .expected = fmt::format("at most {}", stream_bytes_ - record.position),
                .found = fmt::format("{}", record.length)},
               "the key-value record at byte {} of the stream has {} bytes, but only {} follow; the stream is damaged "
               "or was written without key-value mode",
               begin, record.length, stream_bytes_ - record.position);
  }
  position_ = record.position + record.length;
  return record;
}

KeyWalker walk_records(const PhysicalFile& file, std::int32_t task, base::ByteSource& source) {
  // Headers of small records are close together: they are read through one window.
  const auto stream = std::make_shared<const LogicalFile>(file, task);
  const auto window = std::make_shared<ReadAhead>(source);
  const LogicalFile::Read look = [window](std::uint64_t offset, base::MutableBytes part) {
    const base::Bytes bytes = window->view(offset, part.size());
    std::ranges::copy(bytes, part.begin());
    return bytes.size();
  };
  const auto read = [stream, look](std::uint64_t position, base::MutableBytes buffer) {
    return stream->read(position, buffer, look);
  };
  return {read, stream->size(), file.head.metadata_order, fmt::format("{}: local task {}", file.path, task)};
}

}  // namespace lq::format::sion
