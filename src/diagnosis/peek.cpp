// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "diagnosis/peek.hpp"

#include <algorithm>

namespace lq::diagnosis {
namespace {

constexpr std::uint64_t block_bytes = 64 * base::kibi;
constexpr std::size_t most_blocks = 512;

}  // namespace

Peek::Peek(base::ByteSource& source) : source_(source), size_(source.size()) {
  if (size_ > largest_held) return;
  whole_.resize(static_cast<std::size_t>(size_));
  whole_.resize(source.read_at(0, whole_));
  size_ = whole_.size();
}

const std::vector<std::byte>& Peek::block(std::uint64_t number) {
  const auto found = blocks_.find(number);
  if (found != blocks_.end()) return found->second;
  if (blocks_.size() >= most_blocks) blocks_.clear();
  std::vector<std::byte>& bytes = blocks_[number];
  bytes.resize(static_cast<std::size_t>(std::min(block_bytes, size_ - number * block_bytes)));
  bytes.resize(source_.read_at(number * block_bytes, bytes));
  return bytes;
}

const std::byte* Peek::at(std::uint64_t offset, std::size_t bytes) {
  if (offset > size_ || bytes > size_ - offset) return nullptr;
  if (!whole_.empty()) return whole_.data() + offset;
  const std::uint64_t first = offset / block_bytes;
  const auto begin = static_cast<std::size_t>(offset % block_bytes);
  const std::vector<std::byte>& here = block(first);
  if (begin + bytes <= here.size()) return here.data() + begin;
  if (begin + bytes <= block_bytes || begin > here.size()) return nullptr;  // it became shorter
  across_.assign(here.begin() + static_cast<std::ptrdiff_t>(begin), here.end());
  const std::vector<std::byte>& next = block(first + 1);
  const std::size_t missing = bytes - across_.size();
  if (missing > next.size()) return nullptr;
  across_.insert(across_.end(), next.begin(), next.begin() + static_cast<std::ptrdiff_t>(missing));
  return across_.data();
}

}  // namespace lq::diagnosis
