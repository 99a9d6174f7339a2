// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What to copy where: folders are walked, physical files of one multifile kept together, target names looked up
// in the site profile; and facts about a file before it is copied. Local.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include <limequat/catalog.hpp>
#include <limequat/grid.hpp>
#include <limequat/machine.hpp>
#include <limequat/staging.hpp>

#include "base/bytes.hpp"
#include "storage/transport.hpp"

namespace lq::sets {

// The state of a copy, as bytes (docs/formats/copied.md): its source, and the sums of the blocks that
// have reached the target.

// A source as it was when the copy began.
struct Source {
  std::uint64_t bytes = 0;
  std::int64_t modified = 0;    // nanoseconds
  std::uint32_t start_crc = 0;  // CRC-32 of its first start_bytes bytes
  friend bool operator==(const Source&, const Source&) = default;
};
inline constexpr std::uint64_t start_bytes = 4096;

struct CopiedBlock {
  std::uint64_t number = 0;
  std::uint32_t crc = 0;  // CRC-32 of its bytes
  friend bool operator==(const CopiedBlock&, const CopiedBlock&) = default;
};

struct Copied {
  Source source;
  std::uint64_t block_bytes = 0;
  std::vector<CopiedBlock> blocks = {};  // in order of arrival; if a number occurs twice, the last one counts
  friend bool operator==(const Copied&, const Copied&) = default;
};

inline constexpr std::size_t copied_head_bytes = 40, copied_block_bytes = 16;

std::vector<std::byte> encode_head(const Copied& copied);
std::vector<std::byte> encode_blocks(const std::vector<CopiedBlock>& blocks);
// Any bytes: the blocks up to the first that is torn or does not belong to the source. Empty: no head, or a
// contradictory one.
std::optional<Copied> decode_copied(base::Bytes bytes);

// The number of blocks of a source.
constexpr std::uint64_t blocks_of(std::uint64_t bytes, std::uint64_t block_bytes) noexcept {
  return bytes / block_bytes + (bytes % block_bytes != 0 ? 1 : 0);
}

struct Pair {
  std::string from, to;
  friend auto members(Pair& pair) { return std::tie(pair.from, pair.to); }
};

// Files that belong together; readers find the others through the first one, which is renamed last.
using Together = std::vector<Pair>;

// A symbolic link in a folder that is copied: the copy has the same text, relative to its own place.
struct Link {
  std::string from, to, target;
};

struct CopyPlan {
  std::vector<Together> sets;
  std::vector<Link> links;
  std::vector<std::string> folders;  // to create, outer ones first
  std::vector<Finding> findings;     // what is omitted
};

// invalid_argument, not_found.
CopyPlan plan_copy(const std::vector<std::string>& sources, const std::string& target, const Machine& machine,
                   const CopyOptions& options);

// The physical files of the file of that name, including itself, the first one first.
std::vector<std::string> files_with(const std::string& path);
// True if copies, replacements or appends temporarily store it next to a file.
bool is_leftover_name(const std::string& path);

// "dir/conf.ildg" -> "dir/.conf.ildg.lq-copy", "dir/.conf.ildg.lq-copied"
std::string unfinished_name(const std::string& path);
std::string copied_name(const std::string& path);

// Facts about a file before it is copied, and whether it is complete.

// Collective. Its fields, format and files; empty if no format recognises it.
Catalog contents_of(storage::Transport& place, const std::string& path, const Communicator& communicator);
// True if comparing the fields with their sums proves as much about them as an examination.
bool are_proven(const Catalog& catalog);

// Collective. Faults of a file that was copied unchanged, beyond those found by comparing its fields with their sums
// (or, if they were not compared, all found by lq::verify()). Empty if no format is known.
enum class Fields { are_compared, are_not };
std::vector<Finding> damage_of(storage::Transport& place, const std::string& path, const Catalog& catalog,
                               Fields fields, const Communicator& communicator);

}  // namespace lq::sets
