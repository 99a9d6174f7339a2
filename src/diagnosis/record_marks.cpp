// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "diagnosis/record_marks.hpp"

#include <algorithm>
#include <optional>

#include "diagnosis/peek.hpp"

namespace lq::diagnosis {
namespace {

constexpr std::uint64_t least_record = 8;
constexpr std::uint64_t most_records = 1 << 22;

// gfortran divides records of more than 2 GiB: marks before all parts but the last are negative, as are those behind
// all but the first.
std::uint64_t mark_at(const std::byte* at, int bytes, ByteOrder order) noexcept {
  if (bytes == 8) return order == ByteOrder::big ? base::load_be<std::uint64_t>(at) : base::load_le<std::uint64_t>(at);
  const std::uint32_t mark =
      order == ByteOrder::big ? base::load_be<std::uint32_t>(at) : base::load_le<std::uint32_t>(at);
  return mark > 0x80000000U ? 0x100000000U - mark : mark;
}

// The length of the record whose mark is at `at`, if it is one.
std::optional<std::uint64_t> record_at(Peek& file, std::uint64_t at, std::uint64_t end, int bytes, ByteOrder order) {
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

RecordChain chain_at(Peek& file, std::uint64_t at, std::uint64_t end, int bytes, ByteOrder order) {
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
  Peek peek(file);
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

std::size_t Unmarked::read_at(std::uint64_t offset, base::MutableBytes buffer) {
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
