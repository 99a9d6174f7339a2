// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Copies one file by all ranks, under its unfinished name: blocks are assigned round-robin, summed in transit, and
// reported to the root, which records them. All calls are collective.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <limequat/catalog.hpp>
#include <limequat/staging.hpp>

#include "base/bytes.hpp"
#include "base/function_ref.hpp"
#include "comm/comm.hpp"
#include "io/source_check.hpp"
#include "sets/staging/sources.hpp"
#include "storage/owners.hpp"
#include "storage/transport.hpp"

namespace lq::sets {

// The transports of both ends, and how the bytes are passed.
struct CopyContext {
  storage::Transport &source, &target;
  std::uint64_t piece_bytes = 512 * base::kibi;  // read, summed and written at a time
  bool in_pieces = false;                        // one block here may be spread over several files of the target
  bool may_be_there = true;                      // a target with the size and time of its source counts as its copy
  const Catalog& catalog;  // contents of the source, or of the set it belongs to; without fields: unknown
};

class FileCopy {
 public:
  // Local. `moved` is called at the root with the number of bytes moved, or found to be present.
  FileCopy(comm::Comm& comm, const Pair& pair, const CopyOptions& options,
           const std::function<void(std::uint64_t)>& moved, const CopyContext& passage);

  // Examines both ends. Returns true if anything is to be done: a target with the size and time of its source stays if
  // a copy is resumed; with Verify::read_back it is compared first. Throws the errors of copy().
  bool look();
  // Moves missing blocks, syncs, compares, and gives the unfinished file the time and permissions of its source.
  void move();
  // Local. At the root. io: the name of the source refers to another file than the examined one.
  void require_same_source() const;
  // Local. At the root, after the file was renamed: removes what this or an earlier copy left next to it.
  void forget() noexcept;

  // After move(). True if the source's data were compared with all its sums, so that no examination is needed.
  bool has_compared_sums() const noexcept { return check_ && check_->sees_all(); }
  // After move(). True if they differ, as reported by the findings.
  bool has_damaged_source() const noexcept { return is_damaged_; }
  // After look(), on all ranks.
  std::uint64_t bytes() const noexcept { return plan_.bytes; }
  // After move(): the number of these that were moved.
  std::uint64_t moved_bytes() const noexcept { return moved_bytes_; }
  // At the root.
  const std::vector<Finding>& findings() const noexcept { return findings_; }

 private:
  // The root's results, sent to all.
  struct Plan {
    std::uint64_t bytes = 0;
    std::int64_t modified = 0;
    std::uint64_t block_bytes = 0;
    std::uint64_t recorded = 0;  // blocks recorded by an earlier copy
    std::uint8_t is_there = 0;
    std::uint8_t goes_on = 0;  // resumes an earlier copy
  };

  // A block with an unexpected sum.
  struct Differing {
    std::uint64_t offset = 0, end = 0;
    std::uint32_t expected = 0, found = 0;
  };

  void look_at_root();
  void sync_present();
  void open_ends();
  void lock_record();
  void lock_new_record();
  void begin_at_root();
  void set_stripes();  // at the root
  void read_owners();
  void find_missing(std::vector<CopiedBlock> recorded);
  void move_round(std::uint64_t first);
  void record(const std::vector<std::vector<std::byte>>& moved);
  void settle_sums();
  void require_blocks(storage::File& file, bool with_source, base::FunctionRef<Error(const Differing&)> error_of);
  void compare(storage::File& target);
  void require_unchanged() const;
  std::uint64_t blocks() const noexcept { return blocks_of(plan_.bytes, plan_.block_bytes); }
  std::uint64_t size_of(std::uint64_t block) const noexcept;
  // CRC-32 of a block of a file, which is also passed to `to` and `check` if given. The rest of the block's last site
  // is read from `next`, or else from the source.
  std::uint32_t pass(storage::File& from, storage::File* to, std::uint64_t block, io::SourceCheck* check = nullptr,
                     storage::File* next = nullptr);

  comm::Comm& comm_;
  const Pair& pair_;
  const CopyOptions& options_;
  const std::function<void(std::uint64_t)>& moved_;
  CopyContext passage_;
  storage::Transport &source_place_, &target_place_;
  std::string unfinished_, copied_name_;
  Plan plan_;
  std::uint64_t client_ = 0;  // storage::client_of() the target
  storage::Owners owners_;    // of the target's blocks
  std::uint64_t movers_ = 1;  // ranks that move blocks
  std::unique_ptr<storage::File> source_, target_, record_;
  std::unique_ptr<storage::WriterLock> lock_;  // of the record, at the root: an interrupted copy does not hold it
  storage::Identity identity_;                 // of the source, at the root
  Copied copied_;                              // at the root
  std::uint64_t record_end_ = 0;
  std::vector<std::uint64_t> missing_;  // blocks, on all ranks
  std::vector<std::uint32_t> sums_;     // of all blocks; at the root, and with read_back on all ranks
  std::uint64_t moved_bytes_ = 0;
  std::vector<std::byte> buffer_;
  std::optional<io::SourceCheck> check_;  // with checksums
  bool is_damaged_ = false;               // the source
  std::vector<Finding> findings_;
};

}  // namespace lq::sets
