// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "diagnosis/record_marks.hpp"

#include <algorithm>
#include <optional>

namespace lq::diagnosis {
namespace {

constexpr std::uint64_t block_bytes = 64 * base::kibi;
constexpr std::size_t most_blocks = 512;

}  // namespace

CachedBytes::CachedBytes(base::ByteSource& source) : source_(source), size_(source.size()) {
  if (size_ > largest_held) return;
  whole_.resize(static_cast<std::size_t>(size_));
  whole_.resize(source.read_at(0, whole_));
  size_ = whole_.size();
}

const std::vector<std::byte>& CachedBytes::block(std::uint64_t number) {
  const auto found = blocks_.find(number);
  if (found != blocks_.end()) return found->second;
  if (blocks_.size() >= most_blocks) blocks_.clear();
  std::vector<std::byte>& bytes = blocks_[number];
  bytes.resize(static_cast<std::size_t>(std::min(block_bytes, size_ - number * block_bytes)));
  bytes.resize(source_.read_at(number * block_bytes, bytes));
  return bytes;
}

const std::byte* CachedBytes::at(std::uint64_t offset, std::size_t bytes) {
  if (offset > size_ || bytes > size_ - offset) return nullptr;
  if (!whole_.empty()) return whole_.data() + offset;
  const std::uint64_t first = offset / block_bytes;
  const auto begin = static_cast<std::size_t>(offset % block_bytes);
  const std::vector<std::byte>& here = block(first);
  if (begin + bytes <= here.size()) return here.data() + begin;
  if (begin + bytes <= block_bytes || begin > here.size()) return nullptr;  // the file became shorter
  across_.assign(here.begin() + static_cast<std::ptrdiff_t>(begin), here.end());
  const std::vector<std::byte>& next = block(first + 1);
  const std::size_t missing = bytes - across_.size();
  if (missing > next.size()) return nullptr;
  across_.insert(across_.end(), next.begin(), next.begin() + static_cast<std::ptrdiff_t>(missing));
  return across_.data();
}

namespace {

constexpr std::uint64_t least_record = 8;
constexpr std::uint64_t most_records = 1 << 22;

// gfortran divides records of more than 2 GiB: marks before all parts but the last are negative, and marks after
// all but the first.
std::uint64_t mark_at(const std::byte* at, int bytes, ByteOrder order) noexcept {
  if (bytes == 8) return order == ByteOrder::big ? base::load_be<std::uint64_t>(at) : base::load_le<std::uint64_t>(at);
  const std::uint32_t mark =
      order == ByteOrder::big ? base::load_be<std::uint32_t>(at) : base::load_le<std::uint32_t>(at);
  return mark > 0x80000000U ? 0x100000000U - mark : mark;
}

// The length of the record whose mark is at `at`, if valid.
std::optional<std::uint64_t> record_at(CachedBytes& file, std::uint64_t at, std::uint64_t end, int bytes,
                                       ByteOrder order) {
  const auto width = static_cast<std::uint64_t>(bytes);
  if (at > end || end - at < 2 * width) return {};
  const std::byte* const before = file.at(at, static_cast<std::size_t>(width));
  if (before == nullptr) return {};
  const std::uint64_t length = mark_at(before, bytes, order);
  if (length < least_record || length > end - at - 2 * width) return {};
  const std::byte* const behind = file.at(at + width + length, static_cast<std::size_t>(width));
  if (behind == nullptr || mark_at(behind, bytes, order) != length) return {};
  return length;
}

RecordChain chain_at(CachedBytes& file, std::uint64_t at, std::uint64_t end, int bytes, ByteOrder order) {
  RecordChain chain{.mark_bytes = bytes, .byte_order = order, .begin = at, .end = at, .runs = {}};
  const auto width = static_cast<std::uint64_t>(bytes);
  while (chain.records < most_records) {
    const std::optional<std::uint64_t> length = record_at(file, chain.end, end, bytes, order);
    if (!length) break;
    if (chain.runs.empty() || chain.runs.back().length != *length) {
      chain.runs.push_back({.position = chain.bytes, .offset = chain.end + width, .length = *length, .records = 0});
    }
    ++chain.runs.back().records;
    ++chain.records;
    chain.bytes += *length;
    chain.end += *length + 2 * width;
  }
  return chain;
}

}  // namespace

std::uint64_t RecordChain::in_file(std::uint64_t position) const noexcept {
  const auto behind = std::ranges::upper_bound(runs, position, {}, &RecordRun::position);
  const RecordRun& run = *(behind - 1);
  const std::uint64_t within = position - run.position;
  return run.offset + within + within / run.length * 2 * static_cast<std::uint64_t>(mark_bytes);
}

std::vector<RecordChain> find_chains(base::ByteSource& file, std::uint64_t begin, std::uint64_t end,
                                     std::uint64_t slack, std::uint64_t least) {
  std::vector<RecordChain> chains;
  CachedBytes peek(file);
  for (const int bytes : {4, 8}) {
    for (const ByteOrder order : {ByteOrder::little, ByteOrder::big}) {
      std::uint64_t covered = begin;  // by chains of these marks
      for (std::uint64_t at = begin; at <= begin + slack && at < end; ++at) {
        if (at < covered || !record_at(peek, at, end, bytes, order)) continue;
        RecordChain chain = chain_at(peek, at, end, bytes, order);
        if (chain.bytes < least) continue;
        covered = chain.end;
        chains.push_back(std::move(chain));
      }
    }
  }
  return chains;
}

std::size_t RecordContents::read_at(std::uint64_t offset, base::MutableBytes buffer) {
  std::size_t done = 0;
  while (done < buffer.size() && offset + done < chain_.bytes) {
    const std::uint64_t position = offset + done;
    const auto behind = std::ranges::upper_bound(chain_.runs, position, {}, &RecordRun::position);
    const RecordRun& run = *(behind - 1);
    const std::uint64_t left = run.length - (position - run.position) % run.length;
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(left, buffer.size() - done));
    const std::size_t there = file_.read_at(chain_.in_file(position), buffer.subspan(done, wanted));
    done += there;
    if (there < wanted) break;
  }
  return done;
}

}  // namespace lq::diagnosis
