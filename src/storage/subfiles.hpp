// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The physical files of a partitioned file, opened when they are first needed. Any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include <limequat/partition.hpp>

#include "storage/transport.hpp"

namespace lq::storage {

// Of the set or file at `path`, and of its subfiles: the time is that of the last one written to.
storage::Identity identity_of(const PartitionedFile& file);

// What a writer of the file should know: the strictest of its folders. Whoever reaches one of them by another mount
// sees another device.
storage::StorageTraits unit_of(const PartitionedFile& file);

// What is read where subfiles are missing or too short.
enum class Lost { is_error, are_zeros };

class Subfiles {
 public:
  Subfiles(PartitionedFile file, bool writes, Lost lost = Lost::is_error);

  const PartitionedFile& file() const noexcept { return file_; }
  bool writes() const noexcept { return writes_; }
  // How many bytes subfile number `k` has: those around the array, too.
  std::uint64_t bytes(std::size_t k) const;
  // truncated: it is shorter than that.
  storage::File& open(std::size_t k);
  // All of the buffer. truncated: it became shorter.
  void read(std::size_t k, std::uint64_t offset, base::MutableBytes buffer);
  // Those that this process has opened.
  void sync();
  void close();

 private:
  std::size_t read_what_is_there(std::size_t k, std::uint64_t offset, base::MutableBytes buffer);

  PartitionedFile file_;
  bool writes_;
  Lost lost_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<storage::File>> open_;
};

// Removes subfiles of the set that are called as those of a set at `path` are, for a description may name any file.
// What cannot be removed stays.
void remove_subfiles(const PartitionedFile& set, const std::string& path);

}  // namespace lq::storage
