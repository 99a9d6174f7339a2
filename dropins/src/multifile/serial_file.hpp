// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Multifiles of one process, without any communication: one with all tasks open, or one opened to read a single task;
// and another view of an open one.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "format/sion/set.hpp"
#include "multifile/metadata.hpp"
#include "multifile/multifile.hpp"
#include "multifile/request.hpp"

namespace lq::multifile {

struct SerialCreation : Opening {
  std::vector<std::int64_t> chunk_bytes;  // of each task
  std::vector<std::int64_t> ranks;        // of each task, to be stored
  std::int32_t block_size = -1;
};

class SerialFile final : public Multifile {
 public:
  // Local. One physical file; the number of chunk sizes is the number of tasks.
  static std::unique_ptr<SerialFile> create(const SerialCreation& request);
  // Local. The whole set; tasks in the order of their global ranks, in a single file in storage order.
  static std::unique_ptr<SerialFile> open(const Opening& request);
  // Local. One task of it.
  static std::unique_ptr<SerialFile> open_task(const Opening& request, std::int64_t task);

  // For the physical file of the first task; not meaningful for the several of a set.
  std::uint64_t skip() const noexcept { return skip_; }
  std::uint64_t tail_offset() const noexcept { return tail_offset_; }
  // The place of each task of the set: alternately file and number in it; empty for a single file.
  const std::vector<std::int32_t>& mapping() const noexcept { return mapping_; }

  void close() override;

 private:
  explicit SerialFile(Facts facts) : Multifile(std::move(facts)) {}

  void add_task(const format::sion::Set& set, std::int32_t task, std::size_t channel);
  void note(const format::sion::Set& set);

  std::uint64_t skip_ = 0;
  std::uint64_t tail_offset_ = 0;
  std::vector<std::int32_t> mapping_;

  std::unique_ptr<multifile::MetadataWriter> metadata_;  // when writing
};

// Another view of a multifile that is open for reading, with separate positions, for one more thread. It may outlive
// the original.
class Duplicate final : public Multifile {
 public:
  // Local. All tasks that are open there, or the one of a global rank; optionally only the records of one key.
  // Throws wrong_state for a file that is written, invalid_argument for a task that is not open there.
  static std::unique_ptr<Duplicate> of(const Multifile& original, Access access, std::optional<std::int64_t> rank,
                                       std::optional<std::uint64_t> key);

  void close() override { close_channels(); }

 private:
  explicit Duplicate(Facts facts) : Multifile(std::move(facts)) {}
};

}  // namespace lq::multifile
