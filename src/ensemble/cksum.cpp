// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// POSIX takes the bits of a byte in the other order than zlib does. With the bits of each byte reversed the two are one
// computation, so the fast loops of module `kernels` can be used here.
#include "ensemble/cksum.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <vector>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "io/scan.hpp"
#include "kernels/crc32.hpp"
#include "kernels/digest.hpp"

namespace lq::ensemble {
namespace {

constexpr std::uint64_t swapped(std::uint64_t word, std::uint64_t mask, int shift) noexcept {
  return ((word >> shift) & mask) | ((word & mask) << shift);
}

// Reverses the bits of each byte.
constexpr std::uint64_t bits_reversed(std::uint64_t word) noexcept {
  word = swapped(word, 0x5555555555555555, 1);
  word = swapped(word, 0x3333333333333333, 2);
  return swapped(word, 0x0f0f0f0f0f0f0f0f, 4);
}

constexpr std::uint32_t all_bits_reversed(std::uint32_t word) noexcept {
  const auto bytes = static_cast<std::uint32_t>(bits_reversed(word));
  return (bytes >> 24) | ((bytes >> 8) & 0xff00) | ((bytes << 8) & 0xff0000) | (bytes << 24);
}

std::uint32_t continued(std::uint32_t crc, base::Bytes bytes) noexcept {
  std::array<std::uint64_t, 512> words;
  while (!bytes.empty()) {
    const std::size_t count = std::min(bytes.size(), sizeof words);
    std::memcpy(words.data(), bytes.data(), count);
    const std::size_t used = (count + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t);
    for (std::size_t k = 0; k < used; ++k) words[k] = bits_reversed(words[k]);
    crc = kernels::crc32(crc, std::as_bytes(std::span(words)).first(count));
    bytes = bytes.subspan(count);
  }
  return crc;
}

std::uint32_t cksum_of_piece(storage::File& file, std::uint64_t offset, std::uint64_t length) {
  Cksum sum;
  std::vector<std::byte> block(static_cast<std::size_t>(std::min<std::uint64_t>(length, base::mebi)));
  while (length > 0) {
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(length, block.size()));
    const base::Bytes got = read_block(file, offset, base::MutableBytes(block).first(wanted));
    sum.add(got);
    offset += got.size();
    length -= got.size();
  }
  return sum.value();
}

}  // namespace

void Cksum::add(base::Bytes bytes) noexcept {
  crc_ = continued(crc_, bytes);
  length_ += bytes.size();
}

std::uint32_t Cksum::value() const noexcept {
  std::array<std::byte, sizeof length_> digits{};
  std::size_t count = 0;
  for (std::uint64_t rest = length_; rest > 0; rest >>= 8) digits[count++] = static_cast<std::byte>(rest & 0xff);
  return all_bits_reversed(continued(crc_, base::Bytes(digits).first(count)));
}

std::uint32_t cksum_contribution(base::Bytes bytes, std::uint64_t behind) noexcept {
  return kernels::crc32_contribution(continued(0, bytes), bytes.size(), behind);
}

base::Bytes read_block(storage::File& file, std::uint64_t offset, base::MutableBytes block) {
  const std::size_t got = file.read_at(offset, block);
  if (got == 0) {
    throw Error(Code::truncated,
                fmt::format("{}: ends at byte {}, but {} more bytes were expected", file.path(), offset, block.size()),
                {.path = file.path(), .offset = offset});
  }
  return base::Bytes(block).first(got);
}

// A set of subfiles is the file that these are.
std::uint32_t whole_cksum_of(const std::string& path, std::uint64_t offset, std::uint64_t length) {
  const auto file = io::ScannedFile::open(storage::resolve(path), path, {}, {});
  return cksum_of_piece(*file->files().open_read(path), offset, length);
}

std::uint32_t whole_cksum_of(const std::string& path) {
  const auto file = io::ScannedFile::open(storage::resolve(path), path, {}, {});
  const auto opened = file->files().open_read(path);
  return cksum_of_piece(*opened, 0, opened->size());
}

std::uint32_t cksum_of(const std::string& path) {
  const auto file = storage::resolve(path).open_read(path);
  return cksum_of_piece(*file, 0, file->size());
}

// The contribution of a piece to the CRC of a file depends on the piece and the number of bytes after it. Contributions
// are combined by XOR, so pieces may come in any order.

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

namespace {

class Paced final : public storage::ForwardingFile {
 public:
  Paced(std::shared_ptr<storage::File> file, Pace& pace) : ForwardingFile(std::move(file)), pace_(pace) {}
  std::size_t read_at(std::uint64_t offset, base::MutableBytes buffer) override {
    const std::size_t got = inner().read_at(offset, buffer);
    pace_.wait_for(got);
    return got;
  }
  void fetch_ahead(std::uint64_t, std::uint64_t) noexcept override {}  // nothing would wait for the prefetch

 private:
  Pace& pace_;
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

std::unique_ptr<storage::File> CksumInPassing::open_paced(const std::string& path) {
  std::unique_ptr<storage::File> file = inner().open_read(path);
  if (pace_ == nullptr) return file;
  return std::make_unique<Paced>(std::move(file), *pace_);
}

std::unique_ptr<storage::File> CksumInPassing::open_read(const std::string& path) {
  std::shared_ptr<storage::File> file = open_paced(path);
  std::shared_ptr<PassedBytes> passed = opened(path, file).passed;
  return std::make_unique<Watched>(std::move(file), std::move(passed));
}

std::uint32_t CksumInPassing::cksum(const std::string& path) {
  const auto found = files_.find(path);
  Summed& summed = found != files_.end() ? found->second : opened(path, open_paced(path));
  return summed.passed->cksum(*summed.file);
}

}  // namespace lq::ensemble
