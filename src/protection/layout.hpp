// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a sidecar with parity is made of (docs/formats/parity.md): its head, as bytes and as numbers, and where in it
// everything lies. Blocks of the protected files stand in windows of rows and columns; a row of a window and its parity
// blocks are one code word of Reed and Solomon.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/inner.hpp"

namespace lq::protection {

// "conf.0010.ildg.lq-parity" for one file; for files that belong together, and for a folder.
inline constexpr std::string_view parity_ending = ".lq-parity", set_ending = ".set.lq-parity";
inline constexpr std::string_view folder_sidecar = "files.set.lq-parity";

// Whether a file of this name is a sidecar.
inline bool is_sidecar(std::string_view path) noexcept { return path.ends_with(parity_ending); }

struct BlockSum {
  std::uint32_t crc = 0;    // CRC-32
  std::uint64_t xxh64 = 0;  // XXH64, seed 0
  friend bool operator==(const BlockSum&, const BlockSum&) = default;
};
inline constexpr std::size_t block_sum_bytes = 12;
LQ_INNER BlockSum sum_of(base::Bytes block) noexcept;

enum class Layout : std::uint32_t {
  stretches = 1,  // a column is a stretch of the bytes of all files, one behind the other
  files = 2,      // a column is a file, or several small ones
};

// A sum that a file keeps of itself: which, and its value, as 64 bits each. By these a file that was written anew is
// told from a damaged one.
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

// Where a block stands.
struct Cell {
  std::uint64_t window = 0;
  std::uint64_t row = 0;
  std::uint32_t column = 0;
};
// Which block of which file stands there.
struct BlockOf {
  std::size_t file = 0;
  std::uint64_t block = 0;
};

struct Head {
  Layout layout = Layout::stretches;
  std::uint32_t block_bytes = 0;
  std::uint32_t columns = 0, parities = 0;
  std::uint64_t rows = 0;  // of a window
  std::uint64_t windows = 0;
  std::uint64_t window_blocks = 0;   // with Layout::stretches: of the files, in each window but the last
  std::vector<ProtectedPart> files;  // in the order of their blocks, column after column
  friend bool operator==(const Head&, const Head&) = default;

  std::uint64_t blocks_of(std::size_t file) const noexcept;
  // Bytes of that block; only the last one of a file may be shorter than block_bytes.
  std::size_t bytes_of(std::size_t file, std::uint64_t block) const noexcept;
  Cell cell_of(std::size_t file, std::uint64_t block) const noexcept;
  // Nothing: zeros stand there.
  std::optional<BlockOf> block_at(const Cell& cell) const noexcept;

  // The sidecar: head, sums, parity, sums again, head again, its end.
  std::uint64_t head_bytes() const noexcept;
  std::uint64_t page_bytes() const noexcept;  // sums of a window
  std::uint64_t page_at(std::uint64_t window, int copy) const noexcept;
  std::uint64_t parity_at(std::uint64_t window, std::uint32_t parity, std::uint64_t row) const noexcept;
  std::uint64_t second_head_at() const noexcept;
  std::uint64_t sidecar_bytes() const noexcept;

  // What comes back always: a stretch of so many bytes in each window of one file, ...
  std::uint64_t stretch_bytes() const noexcept;
  std::uint64_t window_bytes() const noexcept;
  // ... and so many columns, which are files or hold files.
  std::uint32_t lost_files() const noexcept { return layout == Layout::files ? parities : 0; }
};

// The file of that name in it; a sidecar of one file is that of whatever is called as it is.
LQ_INNER std::optional<std::size_t> find_file(const Head& head, std::string_view name);

std::vector<std::byte> encode_head(const Head& head);
// Any bytes that begin with a head. Nothing: it is not whole, or contradicts itself.
LQ_INNER std::optional<Head> decode_head(base::Bytes bytes);
// How long a head says to be that begins with these bytes; nothing: it is none that can be read.
inline constexpr std::size_t head_begin_bytes = 16;
std::optional<std::uint64_t> head_bytes_of(base::Bytes begin);
// Whether it is the head of a later version.
std::optional<std::uint32_t> later_version(base::Bytes begin);

inline constexpr std::uint32_t format_version = 1;
// The end of the file says where the second head is.
inline constexpr std::size_t end_bytes = 28;
std::vector<std::byte> encode_end(const Head& head);
std::optional<std::uint64_t> decode_end(base::Bytes end);

// The sums of a window: those of its blocks, row after row of column after column, then of its parity blocks.
struct Page {
  std::vector<BlockSum> blocks;    // columns * rows
  std::vector<BlockSum> parities;  // parities * rows
};
std::vector<std::byte> encode_page(const Page& page, std::uint64_t window);
// Nothing: it is damaged.
std::optional<Page> decode_page(base::Bytes bytes, const Head& head, std::uint64_t window);

// A layout for these files: of each, name, bytes, time and own sums are given. `ratio`: of parity to data.
// `lost_files`: so many files may be missing; 0: none, but each window may have damage.
Head plan(std::vector<ProtectedPart> files, double ratio, std::uint32_t lost_files);

}  // namespace lq::protection
