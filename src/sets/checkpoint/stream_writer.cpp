// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The state moves on only behind a write that succeeded, so that size() is right after a
// failure.
#include "sets/checkpoint/stream_writer.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "kernels/crc32.hpp"
#include "sets/checkpoint/closing.hpp"

namespace lq::sets {
namespace {

// Summed and then written while it is in the cache. File systems with large pages want large writes: ext4 takes 1.2
// times as long for 256 KiB each.
constexpr std::uint64_t written_bytes = 1024 * 1024;
// What is drained from the buffer is recorded each time so much has come together.
constexpr std::uint64_t record_interval = 1 << 20;
constexpr std::uint64_t most_raw_bytes = std::numeric_limits<std::uint32_t>::max();

}  // namespace

std::uint64_t frame_bound(const StreamSettings& settings) {
  const auto compressor = make_compressor(settings.compression, settings.level);
  return compressor == nullptr ? 0 : compressor->bound(static_cast<std::size_t>(settings.buffer_bytes));
}

StreamWriter::StreamWriter(storage::File& file, const StreamPlace& place, const StreamSettings& settings)
    : file_(file),
      place_(place),
      buffer_bytes_(settings.buffer_bytes),
      claim_(settings.claim),
      compressor_(make_compressor(settings.compression, settings.level)) {
  current_.generation = settings.generation;
  current_.compression = settings.compression;
  current_.checksums = settings.checksums;
  current_.file = place.file;
  current_.task = place.task;
  if (compressor_ == nullptr) return;
  // Chunks of a set that is gone on with are as wide as they are.
  const std::uint64_t most = place.width - std::min(place.width, reserved_bytes);
  while (buffer_bytes_ > 0 && compressor_->bound(static_cast<std::size_t>(buffer_bytes_)) > most) buffer_bytes_ /= 2;
  if (buffer_bytes_ == 0) {
    throw Error(Code::unsupported,
                fmt::format("{}: the chunks of task {} are {} bytes wide, too narrow for a compressed frame; \"lq "
                            "defrag\" writes a set with wider chunks",
                            file.path(), place.number, place.width),
                {.path = file.path()});
  }
  frame_.resize(compressor_->bound(static_cast<std::size_t>(buffer_bytes_)));
}

void StreamWriter::resume(std::vector<std::int64_t> used, const ChunkRecord& last, int place_of_record) {
  used_ = std::move(used);
  current_ = last;
  recorded_ = last.used;
  next_record_ = 1 - place_of_record;
}

void StreamWriter::write(base::Bytes bytes) {
  const auto most = static_cast<std::size_t>(buffer_bytes_);
  while (!bytes.empty()) {
    if (buffer_.empty() && bytes.size() >= most) {
      std::size_t done = 0;
      put(bytes, done);
      return record();
    }
    const std::size_t taken = std::min(bytes.size(), most - buffer_.size());
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(taken));
    bytes = bytes.subspan(taken);
    if (buffer_.size() < most) return;
    drain();
    if (current_.used - recorded_ >= record_interval) record();
  }
}

void StreamWriter::drain() {
  std::size_t done = 0;
  try {
    put(buffer_, done);
  } catch (...) {
    buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(done));
    throw;
  }
  buffer_.clear();
}

void StreamWriter::flush() {
  drain();
  record();
}

void StreamWriter::sync() {
  flush();
  file_.sync();
}

void StreamWriter::put(base::Bytes bytes, std::size_t& done) {
  if (claim_ && !bytes.empty()) require_epoch(file_, *claim_);
  while (done < bytes.size()) {
    std::uint64_t count = bytes.size() - done;
    if (compressor_ != nullptr) {
      count = std::min(count, buffer_bytes_);
      put_frame(bytes.subspan(done, static_cast<std::size_t>(count)));
    } else {
      if (room() == 0) next_chunk();
      count = std::min({count, room(), written_bytes});
      put_in_chunk(bytes.subspan(done, static_cast<std::size_t>(count)));
    }
    done += static_cast<std::size_t>(count);
  }
}

void StreamWriter::put_frame(base::Bytes raw) {
  const std::size_t stored = compressor_->compress(raw, frame_);
  if (stored > room() || current_.raw_bytes + raw.size() > most_raw_bytes) next_chunk();
  put_in_chunk(base::Bytes(frame_).first(stored));
  current_.raw_bytes += static_cast<std::uint32_t>(raw.size());
}

void StreamWriter::put_in_chunk(base::Bytes bytes) {
  const std::uint32_t sum = current_.checksums ? kernels::crc32(current_.checksum, bytes) : 0;
  file_.write_at(place_.offset(current_.chunk) + current_.used, bytes);
  current_.checksum = sum;
  current_.used += bytes.size();
  used_.back() = static_cast<std::int64_t>(current_.used);
}

void StreamWriter::record() {
  if (current_.used == recorded_) return;
  const RecordBytes bytes = encode(current_);
  file_.write_at(place_.records_offset(current_.chunk) + static_cast<std::uint64_t>(next_record_) * record_bytes,
                 bytes);
  recorded_ = current_.used;
  next_record_ = 1 - next_record_;
}

void StreamWriter::next_chunk() {
  record();
  const std::uint64_t next = std::uint64_t{current_.chunk} + 1;
  std::uint64_t end = 0;
  const bool overflows = __builtin_mul_overflow(place_.skip, next + 1, &end) ||
                         __builtin_add_overflow(end, place_.start, &end) ||
                         end > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (overflows || next > static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max())) {
    throw Error(Code::too_large,
                fmt::format("{}: task {} needs chunk {}, which would end beyond the limit of a file or of its table; "
                            "state how many bytes are expected, so that chunks are wider",
                            file_.path(), place_.number, next),
                {.path = file_.path()});
  }
  current_.begin += current_.stream_bytes();
  current_.chunk = static_cast<std::uint32_t>(next);
  current_.checksum = 0;
  current_.used = 0;
  current_.raw_bytes = 0;
  recorded_ = 0;
  next_record_ = 0;
  used_.push_back(0);
}

}  // namespace lq::sets
