// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hdf5/driver/image.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace lq::hdf5 {

std::size_t Image::read_at(std::uint64_t offset, base::MutableBytes buffer) {
  if (offset >= size_) return 0;
  const base::MutableBytes wanted =
      buffer.first(static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), size_ - offset)));
  const std::uint64_t end = offset + wanted.size();
  std::size_t there = 0;
  if (offset < before_bytes_) {
    there = before_->read_at(
        offset, wanted.first(static_cast<std::size_t>(std::min<std::uint64_t>(wanted.size(), before_bytes_ - offset))));
  }
  std::fill(wanted.begin() + static_cast<std::ptrdiff_t>(there), wanted.end(), std::byte{0});
  auto piece = written_.upper_bound(offset);
  if (piece != written_.begin()) --piece;
  for (; piece != written_.end() && piece->first < end; ++piece) {
    const std::uint64_t begin = std::max(offset, piece->first);
    const std::uint64_t stop = std::min(end, piece->first + piece->second.size());
    if (begin >= stop) continue;
    std::memcpy(wanted.data() + (begin - offset), piece->second.data() + (begin - piece->first),
                static_cast<std::size_t>(stop - begin));
  }
  return wanted.size();
}

std::unique_ptr<base::ByteSource> Image::open_other(const std::string& path) const {
  return before_ != nullptr ? before_->open_other(path) : ByteSource::open_other(path);
}

// What was written there before is forgotten. Memory is had before anything changes.
void Image::carve(std::uint64_t begin, std::uint64_t end) {
  Written behind;
  auto piece = written_.lower_bound(end);
  if (piece != written_.begin()) {
    const auto& [first, bytes] = *std::prev(piece);
    if (first + bytes.size() > end)
      behind.emplace(end,
                     std::vector<std::byte>(bytes.begin() + static_cast<std::ptrdiff_t>(end - first), bytes.end()));
  }
  piece = written_.upper_bound(begin);
  if (piece != written_.begin()) --piece;
  while (piece != written_.end() && piece->first < end) {
    auto& [first, bytes] = *piece;
    if (first >= begin) {
      piece = written_.erase(piece);
      continue;
    }
    bytes.resize(static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), begin - first)));
    ++piece;
  }
  written_.merge(behind);
}

void Image::write_at(std::uint64_t offset, base::Bytes bytes) {
  if (bytes.empty()) return;
  Written fresh;
  fresh.emplace(offset, std::vector<std::byte>(bytes.begin(), bytes.end()));
  carve(offset, offset + bytes.size());
  written_.merge(fresh);
  size_ = std::max(size_, offset + bytes.size());
}

void Image::resize(std::uint64_t bytes) {
  if (bytes < size_) carve(bytes, size_);
  before_bytes_ = std::min(before_bytes_, bytes);
  size_ = bytes;
}

std::vector<std::pair<std::uint64_t, std::vector<std::byte>>> Image::changes() const {
  std::vector<std::pair<std::uint64_t, std::vector<std::byte>>> joined;
  for (const auto& [offset, bytes] : written_) {
    if (!joined.empty() && joined.back().first + joined.back().second.size() == offset) {
      joined.back().second.insert(joined.back().second.end(), bytes.begin(), bytes.end());
    } else {
      joined.emplace_back(offset, bytes);
    }
  }
  return joined;
}

std::vector<format::Literal> literals_of(const Image& image) {
  std::vector<format::Literal> literals;
  for (auto& [offset, bytes] : image.changes()) literals.push_back({0, offset, std::move(bytes)});
  return literals;
}

}  // namespace lq::hdf5
