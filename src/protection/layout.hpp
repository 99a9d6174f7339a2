// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The structure of a sidecar with parity (docs/formats/parity.md): its head, as bytes and as numbers, and the places of
// all its parts. Blocks of the protected files form windows of rows and columns; a row of a window and its parity
// blocks are one Reed-Solomon code word.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/inner.hpp"

namespace lq::protection {

// "conf.0010.ildg.lq-parity" for one file; for files that belong together, and for a folder.
inline constexpr std::string_view parity_ending = ".lq-parity", set_ending = ".set.lq-parity";
inline constexpr std::string_view folder_sidecar = "files.set.lq-parity";

// True if a file of this name is a sidecar.
inline bool is_sidecar(std::string_view path) noexcept { return path.ends_with(parity_ending); }

struct BlockSum {
  std::uint32_t crc = 0;    // CRC-32
  std::uint64_t xxh64 = 0;  // XXH64, seed 0
  friend bool operator==(const BlockSum&, const BlockSum&) = default;
};
inline constexpr std::size_t block_sum_bytes = 12;
LQ_INNER BlockSum sum_of(base::Bytes block) noexcept;
// Of each block of this many bytes, the last of which may be shorter.
void sum_blocks(base::Bytes bytes, std::size_t block_bytes, std::span<BlockSum> sums) noexcept;

enum class Layout : std::uint32_t {
  stretches = 1,  // a column is a range of the concatenated bytes of all files
  files = 2,      // a column is a file, or several small ones
};

// A checksum stored in the file itself: its kind, and its value, as 64 bits each. It distinguishes a file that was
// rewritten from a damaged one.
struct OwnSum {
  std::uint64_t key = 0, value = 0;
  friend bool operator==(const OwnSum&, const OwnSum&) = default;
};

struct ProtectedPart {
  std::string name;  // relative to the folder of the sidecar
  std::uint64_t bytes = 0;
  std::int64_t modified = 0;  // nanoseconds since 1970; a hint
  std::uint32_t column = 0;   // with Layout::files
  std::uint64_t first = 0;    // number of its first block, among all blocks or in its column
  std::vector<OwnSum> sums = {};
  friend bool operator==(const ProtectedPart&, const ProtectedPart&) = default;
};

// The place of a block.
struct Cell {
  std::uint64_t window = 0;
  std::uint64_t row = 0;
  std::uint32_t column = 0;
};
// The file and block at a place.
struct BlockOf {
  std::size_t file = 0;
  std::uint64_t block = 0;
};

struct Head {
  Layout layout = Layout::stretches;
  std::uint32_t block_bytes = 0;
  std::uint32_t columns = 0, parities = 0;
  std::uint64_t rows = 0;  // per window
  std::uint64_t windows = 0;
  std::uint64_t window_blocks = 0;   // with Layout::stretches: blocks of files per window, except the last
  std::vector<ProtectedPart> files;  // in the order of their blocks, column by column
  friend bool operator==(const Head&, const Head&) = default;

  std::uint64_t blocks_of(std::size_t file) const noexcept;
  // Size of that block; only the last block of a file may be shorter than block_bytes.
  std::size_t bytes_of(std::size_t file, std::uint64_t block) const noexcept;
  Cell cell_of(std::size_t file, std::uint64_t block) const noexcept;
  // Empty: the cell holds zeros.
  std::optional<BlockOf> block_at(const Cell& cell) const noexcept;

  // The parts of the sidecar: head, sums, parity, sums again, head again, end.
  std::uint64_t head_bytes() const noexcept;
  std::uint64_t page_bytes() const noexcept;  // sums of one window
  std::uint64_t page_at(std::uint64_t window, int copy) const noexcept;
  std::uint64_t parity_at(std::uint64_t window, std::uint32_t parity, std::uint64_t row) const noexcept;
  std::uint64_t second_head_at() const noexcept;
  std::uint64_t sidecar_bytes() const noexcept;

  // Guaranteed to be recoverable: this many contiguous bytes in each window of one file, ...
  std::uint64_t stretch_bytes() const noexcept;
  std::uint64_t window_bytes() const noexcept;
  // ... and this many columns, which are files or hold files.
  std::uint32_t lost_files() const noexcept { return layout == Layout::files ? parities : 0; }
};

// Finds the file of that name; the sidecar of a single file applies to any file whose name matches.
LQ_INNER std::optional<std::size_t> find_file(const Head& head, std::string_view name);

std::vector<std::byte> encode_head(const Head& head);
// Accepts any bytes that begin with a head. Empty: it is truncated, or inconsistent.
LQ_INNER std::optional<Head> decode_head(base::Bytes bytes);
// The length stated by a head that begins with these bytes; empty: not a head that can be read.
inline constexpr std::size_t head_begin_bytes = 16;
std::optional<std::uint64_t> head_bytes_of(base::Bytes begin);
// The version, if it is the head of a later version.
std::optional<std::uint32_t> later_version(base::Bytes begin);

inline constexpr std::uint32_t format_version = 1;
// The end of the file contains the place of the second head.
inline constexpr std::size_t end_bytes = 28;
std::vector<std::byte> encode_end(const Head& head);
std::optional<std::uint64_t> decode_end(base::Bytes end);

// The sums of a window: of its blocks, in order of columns and of rows within each, then of its parity blocks.
struct Page {
  std::vector<BlockSum> blocks;    // columns * rows
  std::vector<BlockSum> parities;  // parities * rows
};
std::vector<std::byte> encode_page(const Page& page, std::uint64_t window);
// Empty: it is damaged.
std::optional<Page> decode_page(base::Bytes bytes, const Head& head, std::uint64_t window);

// Plans a layout for these files; name, bytes, time and own sums of each must be set. `ratio`: of parity to data.
// `lost_files`: number of files that may be missing; 0: none, but each window may be damaged.
Head plan(std::vector<ProtectedPart> files, double ratio, std::uint32_t lost_files);

}  // namespace lq::protection
