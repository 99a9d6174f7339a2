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

#include "transport/transport.hpp"

namespace lq::partition {

// Of the set or file at `path`, and of its subfiles: the time is that of the last one written to.
transport::Identity identity_of(const PartitionedFile& file);

class Subfiles {
 public:
  Subfiles(PartitionedFile file, bool writes);

  const PartitionedFile& file() const noexcept { return file_; }
  bool writes() const noexcept { return writes_; }
  // How many bytes subfile number `k` has: those around the array, too.
  std::uint64_t bytes(std::size_t k) const;
  // truncated: it is shorter than that.
  transport::File& open(std::size_t k);
  // Those that this process has opened.
  void sync();
  void close();

 private:
  PartitionedFile file_;
  bool writes_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<transport::File>> open_;
};

}  // namespace lq::partition
