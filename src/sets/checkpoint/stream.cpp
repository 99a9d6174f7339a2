// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "sets/checkpoint/stream.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "base/error.hpp"
#include "kernels/crc32.hpp"
#include "sets/checkpoint/closing.hpp"
#include "sets/checkpoint/found_set.hpp"

namespace lq::sets {

// The state changes only after a successful write, so that size() is correct after a
// failure.

namespace {

// Summed and then written while in the cache. File systems with large pages need large writes: ext4 takes 1.2
// times as long for 256 KiB each.
constexpr std::uint64_t written_bytes = 1024 * 1024;
// A record is written each time this many bytes were drained from the buffer.
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
      folder_(settings.folder),
      compressor_(make_compressor(settings.compression, settings.level)) {
  current_.generation = settings.generation;
  current_.compression = settings.compression;
  current_.checksums = settings.checksums;
  current_.file = place.file;
  current_.task = place.task;
  if (compressor_ == nullptr) return;
  // Chunks of a set that is appended to keep their width.
  const std::uint64_t most = place.width - std::min(place.width, reserved_bytes);
  while (buffer_bytes_ > 0 && compressor_->bound(static_cast<std::size_t>(buffer_bytes_)) > most) buffer_bytes_ /= 2;
  if (buffer_bytes_ == 0) {
    base::fail(Code::unsupported, file.path(),
               "the chunks of task {} are {} bytes wide, too narrow for a compressed frame; \"lq defrag\" "
               "writes a set with wider chunks",
               place.number, place.width);
  }
  frame_.resize(compressor_->bound(static_cast<std::size_t>(buffer_bytes_)));
}

void StreamWriter::resume(std::vector<std::int64_t> used, const ChunkRecord& last, int place_of_record) {
  used_ = std::move(used);
  current_ = last;
  recorded_ = last.used;
  next_record_ = 1 - place_of_record;
  synced_record_ = place_of_record;
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
  if (folder_ != nullptr) folder_->sync_directory(file_.path());
  folder_ = nullptr;
  synced_record_ = recorded_ > 0 ? 1 - next_record_ : -1;
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
  // Data promised to survive a power failure are covered only by that record until the next sync().
  if (next_record_ == synced_record_) next_record_ = 1 - next_record_;
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
    base::fail(Code::too_large, file_.path(),
               "task {} needs chunk {}, which would end beyond the limit of a file or of its table; state "
               "how many bytes are expected, so that chunks are wider",
               place_.number, next);
  }
  current_.begin += current_.stream_bytes();
  current_.chunk = static_cast<std::uint32_t>(next);
  current_.checksum = 0;
  current_.used = 0;
  current_.raw_bytes = 0;
  recorded_ = 0;
  next_record_ = 0;
  synced_record_ = -1;
  used_.push_back(0);
}

// Chunks up to a few MiB are read as a whole into memory; a larger one is read directly to its
// destination if all of it is requested, and if only a part is, it is read once more beforehand for the comparison.

namespace {

constexpr std::uint64_t largest_kept_block = 4ULL << 20;
constexpr std::size_t summed_bytes = 256 * 1024;

}  // namespace

storage::File& OpenFiles::file(std::uint32_t number) {
  const std::lock_guard lock(mutex_);
  auto& file = files_.at(number);
  if (file == nullptr) file = transport_.open_read(paths_[number]);
  return *file;
}

StreamReader::StreamReader(std::shared_ptr<OpenFiles> files, TaskEntry entry, const ReadSettings& settings)
    : files_(std::move(files)),
      entry_(std::move(entry)),
      settings_(settings),
      decompressor_(make_decompressor(settings.record ? settings.record->compression : Compression::none)) {
  if (is_compressed()) return;
  std::uint64_t end = 0;
  for (std::uint64_t chunk = 0; chunk < entry_.used.size(); ++chunk) ends_.push_back(end += used(chunk));
}

void StreamReader::fail(Code code, std::uint64_t chunk, const std::string& what, const std::string& expected,
                        const std::string& found) {
  const std::uint64_t begin = entry_.place.offset(chunk);
  base::fail(code, {.path = file().path(), .offset = begin, .expected = expected, .found = found},
             "chunk {} of task {} (bytes {} to {}) {}; read this task from another checkpoint", chunk,
             entry_.place.number, begin, begin + used(chunk), what);
}

// Also if the read begins before: a short read would look like the end of the stream.
void StreamReader::fail_lost() {
  const std::string& path = files_->path(entry_.place.file);
  if (entry_.cause == LossCause::file_missing) {
    base::fail(Code::not_found, path,
               "nothing of the stream of task {} is left: {}; read this task from another checkpoint",
               entry_.place.number, describe(entry_.cause));
  }
  base::fail(Code::truncated, path,
             "of the stream of task {} only the first {} bytes are left: when the set was repaired, of "
             "chunk {} {}; read this task from another checkpoint, or what is left without verification",
             entry_.place.number, kept(), entry_.lost_chunk, describe(entry_.cause));
}

const ChunkRecord& StreamReader::record_of(std::uint64_t chunk) {
  if (record_ && record_->chunk == chunk) return *record_;
  // A repaired chunk may have a newer record whose bytes were lost.
  const auto found = read_chunk_records(file(), *settings_.record, entry_.place, chunk);
  const auto one = std::ranges::find(found, used(chunk), [](const RecordAt& at) { return at.record.used; });
  if (one == found.end()) {
    fail(Code::checksum_mismatch, chunk, "has no record that agrees with the table of chunks",
         fmt::format("{} bytes", used(chunk)),
         found.empty() ? "no record" : fmt::format("{} bytes", found.front().record.used));
  }
  record_ = one->record;
  return *record_;
}

void StreamReader::read_exactly(std::uint64_t chunk, std::uint64_t position, base::MutableBytes buffer) {
  if (file().read_at(entry_.place.offset(chunk) + position, buffer) < buffer.size()) {
    fail(Code::truncated, chunk, "reaches past the end of the file");
  }
}

// Each piece is summed while it is in the cache.
void StreamReader::read_checked(std::uint64_t chunk, base::MutableBytes whole) {
  std::uint32_t sum = 0;
  for (std::size_t at = 0; at < whole.size(); at += summed_bytes) {
    const base::MutableBytes piece = whole.subspan(at, std::min(summed_bytes, whole.size() - at));
    read_exactly(chunk, at, piece);
    if (has_checks()) sum = kernels::crc32(sum, piece);
  }
  require_checksum(chunk, sum);
}

void StreamReader::require_checksum(std::uint64_t chunk, std::uint32_t sum) {
  if (!has_checks()) return;
  const std::uint32_t stored = record_of(chunk).checksum;
  if (sum == stored) return;
  fail(Code::checksum_mismatch, chunk, "has changed since it was written", fmt::format("{:08x}", stored),
       fmt::format("{:08x}", sum));
}

StreamReader::ChunkPosition StreamReader::find(std::uint64_t position) {
  if (!is_compressed()) {
    const auto chunk = static_cast<std::uint64_t>(std::ranges::upper_bound(ends_, position) - ends_.begin());
    return {chunk, chunk == 0 ? 0 : ends_[chunk - 1]};
  }
  // The last filled chunk that begins at or before the position.
  std::uint64_t low = 0, high = entry_.used.size();
  if (block_of_ && record_of(*block_of_).begin <= position) low = *block_of_;
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    (used(middle) > 0 && record_of(middle).begin <= position ? low : high) = middle;
  }
  return {low, record_of(low).begin};
}

std::size_t StreamReader::read_at(std::uint64_t position, base::MutableBytes buffer) {
  if (position >= size()) return 0;
  buffer = buffer.first(static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), size() - position)));
  if (position + buffer.size() > kept()) fail_lost();
  std::size_t done = 0;
  while (done < buffer.size()) {
    const ChunkPosition spot = find(position + done);
    const std::uint64_t inside = position + done - spot.begin;
    const base::MutableBytes part = buffer.subspan(done);
    const std::size_t got =
        is_compressed() ? read_compressed(spot.chunk, inside, part) : read_plain(spot.chunk, inside, part);
    if (got == 0) fail(Code::malformed, spot.chunk, "ends before its part of the stream does");
    done += got;
  }
  return done;
}

std::size_t StreamReader::read_plain(std::uint64_t chunk, std::uint64_t position, base::MutableBytes buffer) {
  const std::uint64_t rest = used(chunk) - position;
  const base::MutableBytes part = buffer.first(static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), rest)));
  if (!has_checks() || checked_ == chunk) {
    if (block_of_ != chunk) {
      read_exactly(chunk, position, part);
      return part.size();
    }
  } else if (position == 0 && part.size() == used(chunk)) {
    read_checked(chunk, part);
    return part.size();
  } else if (used(chunk) > largest_kept_block) {
    const auto sum = checksum_of(file(), entry_.place.offset(chunk), used(chunk));
    if (!sum) fail(Code::truncated, chunk, "reaches past the end of the file");
    require_checksum(chunk, *sum);
    checked_ = chunk;
    read_exactly(chunk, position, part);
    return part.size();
  }
  load_block(chunk);
  std::copy_n(block_.begin() + static_cast<std::ptrdiff_t>(position), part.size(), part.begin());
  return part.size();
}

void StreamReader::load_block(std::uint64_t chunk) {
  if (block_of_ == chunk) return;
  if (used(chunk) > largest_compressed_chunk) {
    fail(Code::too_large, chunk,
         fmt::format("contains more than the allowed {} compressed bytes", largest_compressed_chunk));
  }
  block_of_.reset();
  block_.resize(static_cast<std::size_t>(used(chunk)));
  read_checked(chunk, block_);
  block_of_ = chunk;
  frame_.clear();
  frame_begin_ = 0;
  next_frame_ = 0;
}

void StreamReader::load_frame(std::uint64_t chunk, std::uint64_t position) {
  load_block(chunk);
  if (position < frame_begin_) {
    frame_.clear();
    frame_begin_ = 0;
    next_frame_ = 0;
  }
  while (position >= frame_begin_ + frame_.size() && next_frame_ < block_.size()) {
    frame_begin_ += frame_.size();
    frame_.clear();
    try {
      next_frame_ += decompressor_->decompress(base::Bytes(block_).subspan(next_frame_), frame_);
    } catch (const Error& error) {
      fail(error.code(), chunk, fmt::format("cannot be decompressed: {}", error.what()));
    }
  }
}

std::size_t StreamReader::read_compressed(std::uint64_t chunk, std::uint64_t position, base::MutableBytes buffer) {
  load_frame(chunk, position);
  if (position >= frame_begin_ + frame_.size()) return 0;
  const auto inside = static_cast<std::size_t>(position - frame_begin_);
  const std::size_t count = std::min(buffer.size(), frame_.size() - inside);
  std::copy_n(frame_.begin() + static_cast<std::ptrdiff_t>(inside), count, buffer.begin());
  return count;
}

std::uint64_t StreamReader::check(const std::function<void(std::uint64_t chunk, const Error&)>& failed) {
  std::uint64_t compared = 0;
  for (std::uint64_t chunk = 0; chunk < entry_.used.size(); ++chunk) {
    if (used(chunk) == 0) continue;
    try {
      const auto sum = checksum_of(file(), entry_.place.offset(chunk), used(chunk));
      if (!sum) fail(Code::truncated, chunk, "reaches past the end of the file");
      if (!settings_.record) continue;
      record_of(chunk);
      require_checksum(chunk, *sum);
      ++compared;
    } catch (const Error& error) {
      failed(chunk, error);
    }
  }
  return compared;
}

}  // namespace lq::sets
