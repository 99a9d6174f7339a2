// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Bytes in memory as a source, and bytes of a source kept in memory.
#include "base/byte_source.hpp"

#include <iterator>
#include <new>
#include <utility>

#include <limequat/error.hpp>

namespace lq::base {

std::unique_ptr<ByteSource> ByteSource::open_other(const std::string& path) const {
  throw Error(Code::not_found, path + ": the file that is read has no companion files here", {.path = path});
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
    } catch (const std::bad_alloc&) {  // nothing is kept then
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

}  // namespace lq::base
