// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a piece contributes to the CRC of a file depends on the piece and on how much lies after it, and contributions
// add up by XOR: no order is needed.
#include "ensemble/cksum_in_passing.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "ensemble/cksum.hpp"

namespace lq::ensemble {
namespace {

class Watched final : public storage::ForwardingFile {
 public:
  Watched(std::shared_ptr<storage::File> file, std::shared_ptr<PassedBytes> passed)
      : ForwardingFile(std::move(file)), passed_(std::move(passed)) {}
  std::size_t read_at(std::uint64_t offset, base::MutableBytes buffer) override {
    const std::size_t got = inner().read_at(offset, buffer);
    passed_->add(offset, base::Bytes(buffer).first(got));
    return got;
  }

 private:
  std::shared_ptr<PassedBytes> passed_;
};

}  // namespace

PassedBytes::Piece PassedBytes::first_gap(std::uint64_t offset, std::uint64_t end) const {
  const auto after = passed_.upper_bound(offset);
  if (after != passed_.begin()) offset = std::max(offset, std::prev(after)->second);
  if (after != passed_.end()) end = std::min(end, after->first);
  return {offset, std::max(offset, end)};
}

PassedBytes::Piece PassedBytes::take(std::uint64_t offset, std::uint64_t end) {
  const std::lock_guard lock(mutex_);
  const Piece gap = first_gap(offset, end);
  if (gap.begin == gap.end) return gap;
  auto after = passed_.upper_bound(gap.begin);
  std::uint64_t joined_end = gap.end;
  if (after != passed_.end() && after->first == gap.end) {
    joined_end = after->second;
    after = passed_.erase(after);
  }
  if (after != passed_.begin() && std::prev(after)->second == gap.begin) {
    std::prev(after)->second = joined_end;
  } else {
    passed_.emplace_hint(after, gap.begin, joined_end);
  }
  return gap;
}

void PassedBytes::add(std::uint64_t offset, base::Bytes bytes) {
  const std::uint64_t end = std::min(file_bytes_, offset + bytes.size());
  for (std::uint64_t at = offset; at < end;) {
    const Piece gap = take(at, end);
    if (gap.begin == gap.end) return;
    at = gap.end;
    const base::Bytes piece =
        bytes.subspan(static_cast<std::size_t>(gap.begin - offset), static_cast<std::size_t>(gap.end - gap.begin));
    contributions_ ^= cksum_contribution(piece, file_bytes_ - gap.end);
  }
}

std::uint32_t PassedBytes::cksum(storage::File& file) {
  std::vector<std::byte> block(static_cast<std::size_t>(std::min<std::uint64_t>(file_bytes_, base::mebi)));
  for (;;) {
    const Piece gap = first_gap(0, file_bytes_);
    if (gap.begin == gap.end) return Cksum(contributions_, file_bytes_).value();
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(gap.end - gap.begin, block.size()));
    add(gap.begin, read_block(file, gap.begin, base::MutableBytes(block).first(wanted)));
  }
}

CksumInPassing::Summed& CksumInPassing::opened(const std::string& path, std::shared_ptr<storage::File> file) {
  const std::lock_guard lock(mutex_);
  const auto [entry, is_first] = files_.try_emplace(path);
  if (is_first) entry->second = {file, std::make_shared<PassedBytes>(file->size())};
  return entry->second;
}

std::unique_ptr<storage::File> CksumInPassing::open_read(const std::string& path) {
  std::shared_ptr<storage::File> file = inner().open_read(path);
  std::shared_ptr<PassedBytes> passed = opened(path, file).passed;
  return std::make_unique<Watched>(std::move(file), std::move(passed));
}

std::uint32_t CksumInPassing::cksum(const std::string& path) {
  const auto found = files_.find(path);
  Summed& summed = found != files_.end() ? found->second : opened(path, inner().open_read(path));
  return summed.passed->cksum(*summed.file);
}

}  // namespace lq::ensemble
