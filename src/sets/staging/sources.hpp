// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What is to be copied where: folders walked, physical files of one multifile kept together, names of targets looked up
// in the site profile; and what is known of a file before it is copied. Local.
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

// What of a copy is there, as bytes (docs/formats/copied.md): of which source it is, and the sums of the blocks that
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
  std::vector<CopiedBlock> blocks = {};  // as they came; of equal numbers the last one counts
  friend bool operator==(const Copied&, const Copied&) = default;
};

inline constexpr std::size_t copied_head_bytes = 40, copied_block_bytes = 16;

std::vector<std::byte> encode_head(const Copied& copied);
std::vector<std::byte> encode_blocks(const std::vector<CopiedBlock>& blocks);
// Any bytes: the blocks up to the first that is torn or is none of the source. Nothing: no head, or one that
// contradicts itself.
std::optional<Copied> decode_copied(base::Bytes bytes);

// How many blocks a source has.
constexpr std::uint64_t blocks_of(std::uint64_t bytes, std::uint64_t block_bytes) noexcept {
  return bytes / block_bytes + (bytes % block_bytes != 0 ? 1 : 0);
}

struct Pair {
  std::string from, to;
  friend auto members(Pair& pair) { return std::tie(pair.from, pair.to); }
};

// Files that belong together; the first one is the one that others are found through, and gets its name last.
using Together = std::vector<Pair>;

// A symbolic link in a folder that is copied: the copy leads where the link says, from its own place.
struct Link {
  std::string from, to, target;
};

struct CopyPlan {
  std::vector<Together> sets;
  std::vector<Link> links;
  std::vector<std::string> folders;  // to be made, outer ones first
  std::vector<Finding> findings;     // what is left out
};

// invalid_argument, not_found.
CopyPlan plan_copy(const std::vector<std::string>& sources, const std::string& target, const Machine& machine,
                   const CopyOptions& options);

// The physical files of the file of that name, itself included, the first one first.
std::vector<std::string> files_with(const std::string& path);
// Whether it is what copies, replacements and appends keep next to a file for a while.
bool is_left_beside(const std::string& path);

// "dir/conf.ildg" -> "dir/.conf.ildg.lq-copy", "dir/.conf.ildg.lq-copied"
std::string unfinished_name(const std::string& path);
std::string copied_name(const std::string& path);

// What is known of a file before it is copied, and whether it is whole.

// Collective. Its fields, format and files; none of all that where it is of no format that is known.
Catalog contents_of(storage::Transport& place, const std::string& path, const Communicator& communicator);
// Whether comparing the fields with their sums says of them all that an examination would.
bool are_proven(const Catalog& catalog);

// Collective. What is wrong with a file that was copied as it is, beyond what comparing its fields with their sums
// has told; where they were not compared, as lq::verify() finds it. Nothing where no format is known.
enum class Fields { are_compared, are_not };
std::vector<Finding> damage_of(const std::string& path, const Catalog& catalog, Fields fields,
                               const Communicator& communicator);

}  // namespace lq::sets
