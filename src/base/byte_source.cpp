// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Byte sources: memory, cached, read twice, and edited.
#include "base/byte_source.hpp"

#include <cstring>
#include <iterator>
#include <new>

#include "base/error.hpp"

namespace lq::base {

std::unique_ptr<ByteSource> ByteSource::open_other(const std::string& path) const {
  base::fail(Code::not_found, {.path = path}, "the file that is read has no companion files here");
}

std::size_t MemorySource::read_at(std::uint64_t offset, MutableBytes buffer) {
  if (offset >= bytes_.size()) return 0;
  const Bytes rest = bytes_.subspan(static_cast<std::size_t>(offset));
  const std::size_t count = std::min(rest.size(), buffer.size());
  std::copy_n(rest.begin(), count, buffer.begin());
  return count;
}

namespace {

constexpr std::size_t first_window = std::size_t{16} * 1024;
constexpr std::size_t largest_window = std::size_t{1024} * 1024;
constexpr std::uint64_t largest_gap = std::uint64_t{256} * 1024;  // a larger one is a jump
constexpr std::size_t most_held = std::size_t{32} * 1024 * 1024;

}  // namespace

std::size_t CachedSource::read_at(std::uint64_t offset, MutableBytes buffer) {
  if (buffer.size() > largest_window) return source_.read_at(offset, buffer);
  std::size_t done = 0;
  while (done < buffer.size()) {
    Bytes bytes;
    try {
      bytes = bytes_from(offset + done, buffer.size() - done);
    } catch (const std::bad_alloc&) {  // the bytes are not cached then
      return done + source_.read_at(offset + done, buffer.subspan(done));
    }
    if (bytes.empty()) break;
    const std::size_t count = std::min(bytes.size(), buffer.size() - done);
    std::copy_n(bytes.begin(), count, buffer.begin() + static_cast<std::ptrdiff_t>(done));
    done += count;
  }
  return done;
}

Bytes CachedSource::bytes_from(std::uint64_t offset, std::size_t wanted) {
  auto next = pieces_.upper_bound(offset);
  if (next != pieces_.begin()) {
    const auto& [begin, bytes] = *std::prev(next);
    if (offset - begin < bytes.size()) return Bytes(bytes).subspan(static_cast<std::size_t>(offset - begin));
  }
  if (offset >= size_) return {};
  const bool is_near = window_ > 0 && offset >= last_begin_ && offset <= last_end_ + largest_gap;
  window_ = is_near ? std::min(window_ * 2, largest_window) : first_window;
  std::uint64_t length = std::min<std::uint64_t>(std::max(wanted, window_), size_ - offset);
  if (next != pieces_.end()) length = std::min(length, next->first - offset);
  if (held_ + length > most_held) {
    pieces_.clear();
    held_ = 0;
  }
  std::vector<std::byte> bytes(static_cast<std::size_t>(length));
  bytes.resize(source_.read_at(offset, bytes));
  last_begin_ = offset;
  last_end_ = offset + bytes.size();
  const Bytes kept = pieces_.insert_or_assign(offset, std::move(bytes)).first->second;
  held_ += kept.size();
  return kept;
}

void require_same_again(ByteSource& source, std::uint64_t offset, Bytes bytes) {
  constexpr std::size_t piece_bytes = std::size_t{64} * 1024;  // stays in cache
  const auto again = std::make_unique_for_overwrite<std::byte[]>(std::min(piece_bytes, bytes.size()));
  while (!bytes.empty()) {
    const Bytes piece = bytes.first(std::min(piece_bytes, bytes.size()));
    const std::size_t got = source.read_at(offset, MutableBytes(again.get(), piece.size()));
    if (got < piece.size() || std::memcmp(piece.data(), again.get(), piece.size()) != 0) {
      base::fail(Code::io, {.path = source.path(), .offset = offset},
                 "bytes {} to {} were read twice with different results: memory, a bus, the network or the storage "
                 "changed them in transit, or another program is writing to the file. They were not used; try again, "
                 "and have the machine tested if it happens again",
                 offset, offset + piece.size() - 1);
    }
    offset += piece.size();
    bytes = bytes.subspan(piece.size());
  }
}

std::size_t read_twice(ByteSource& source, std::uint64_t offset, MutableBytes buffer) {
  constexpr std::size_t piece_bytes = std::size_t{256} * 1024;
  std::size_t done = 0;
  while (done < buffer.size()) {
    const MutableBytes piece = buffer.subspan(done, std::min(piece_bytes, buffer.size() - done));
    const std::size_t got = source.read_at(offset + done, piece);
    require_same_again(source, offset + done, piece.first(got));
    done += got;
    if (got < piece.size()) break;
  }
  return done;
}

std::size_t ReadTwice::read_at(std::uint64_t offset, MutableBytes buffer) {
  return read_twice(source_, offset, buffer);
}

std::unique_ptr<ByteSource> ReadTwice::open_other(const std::string& path) const {
  return std::make_unique<ReadTwice>(source_.open_other(path));
}

EditedSource::EditedSource(ByteSource& original) : original_(original) {
  parts_.push_back({Kind::original, original.size(), 0, {}});
  count();
}

EditedSource::EditedSource(ByteSource& original, std::uint64_t zeros) : original_(original), is_changed_(true) {
  parts_.push_back({Kind::zeros, zeros, 0, {}});
  count();
}

void EditedSource::count() {
  std::erase_if(parts_, [](const Part& part) { return part.length == 0; });
  starts_.assign(1, 0);
  for (const Part& part : parts_) starts_.push_back(starts_.back() + part.length);
}

std::size_t EditedSource::read_at(std::uint64_t offset, MutableBytes buffer) {
  std::size_t done = 0;
  const auto after = std::upper_bound(starts_.begin(), starts_.end(), offset);
  auto i = static_cast<std::size_t>(after - starts_.begin()) - 1;
  for (; i < parts_.size() && done < buffer.size(); ++i) {
    const Part& part = parts_[i];
    const std::uint64_t within = offset + done - starts_[i];
    const auto length = static_cast<std::size_t>(std::min<std::uint64_t>(part.length - within, buffer.size() - done));
    const MutableBytes target = buffer.subspan(done, length);
    std::size_t got = length;
    if (part.kind == Kind::original) {
      got = original_.read_at(part.offset + within, target);
    } else if (part.kind == Kind::literal) {
      std::memcpy(target.data(), part.bytes.data() + within, length);
    } else {
      std::ranges::fill(target, std::byte{0});
    }
    done += got;
    if (got < length) break;  // the original became shorter
  }
  return done;
}

std::size_t EditedSource::split(std::uint64_t offset) {
  const auto at = std::lower_bound(starts_.begin(), starts_.end(), offset);
  const auto i = static_cast<std::size_t>(at - starts_.begin());
  if (at == starts_.end() || *at == offset) return std::min(i, parts_.size());
  Part& first = parts_[i - 1];
  const std::uint64_t kept = offset - starts_[i - 1];
  Part second = first;
  second.length -= kept;
  if (first.kind == Kind::original) second.offset += kept;
  if (first.kind == Kind::literal) {
    second.bytes.erase(second.bytes.begin(), second.bytes.begin() + static_cast<std::ptrdiff_t>(kept));
    first.bytes.resize(static_cast<std::size_t>(kept));
  }
  first.length = kept;
  parts_.insert(parts_.begin() + static_cast<std::ptrdiff_t>(i), std::move(second));
  count();
  return i;
}

void EditedSource::put(std::uint64_t offset, std::uint64_t length, Part part) {
  const auto first = static_cast<std::ptrdiff_t>(split(offset));
  const auto last = static_cast<std::ptrdiff_t>(split(offset + length));
  parts_.erase(parts_.begin() + first, parts_.begin() + last);
  parts_.insert(parts_.begin() + first, std::move(part));
  is_changed_ = true;
  count();
}

void EditedSource::replace(std::uint64_t offset, std::uint64_t length, Bytes bytes) {
  put(offset, length, {Kind::literal, bytes.size(), 0, {bytes.begin(), bytes.end()}});
}

void EditedSource::replace_by_original(std::uint64_t offset, std::uint64_t length, std::uint64_t original_offset) {
  put(offset, length, {Kind::original, length, original_offset, {}});
}

void EditedSource::append_zeros(std::uint64_t length) { put(size(), 0, {Kind::zeros, length, 0, {}}); }

}  // namespace lq::base
