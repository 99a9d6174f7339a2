// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The raw limit, and files as a file system is given them without a library: one for all, one per process, with
// stripes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <limequat/file_system.hpp>
#include <limequat/grid.hpp>

#include "bench/result.hpp"

namespace lq::bench {

// Local. An open file, moved by plain calls of at most so many bytes.
class RawFile {
 public:
  static constexpr std::size_t usual_piece = std::size_t{1} << 20;

  RawFile(const std::string& path, int flags);
  ~RawFile();
  RawFile(const RawFile&) = delete;
  RawFile& operator=(const RawFile&) = delete;

  void write(std::uint64_t offset, std::span<const std::byte> bytes, std::size_t piece = usual_piece) const;
  void read(std::uint64_t offset, std::span<std::byte> bytes, std::size_t piece = usual_piece) const;
  void sync() const;
  void drop() const;                    // from the cache; only what has reached the disk is forgotten
  void cut(std::uint64_t bytes) const;  // what is beyond the given size; others may still be writing before it
  void close();                         // bytes that were only cached may turn out to be lost

 private:
  void check(bool is_fine, const char* doing) const;

  std::string path_;
  int fd_;
};

// Local. Creates the file where it is missing. `sync`: and waits for the disk. How long each stage took.
StageSeconds raw_write(const std::string& path, std::uint64_t offset, std::span<const std::byte> bytes, bool sync);
StageSeconds raw_read(const std::string& path, std::uint64_t offset, std::span<std::byte> bytes);
// Local. Waits until the disk has all of the file, whoever wrote it.
void sync_file(const std::string& path);
// Local. Asks the system to forget what it holds of the file, so that the next read comes from the disk.
void drop_from_cache(const std::string& path);

// Empty files with given stripes, for programs that cannot ask for any.

// Collective. What came of it, the same on all ranks; where stripes cannot be set the file is there without.
Stripes make_striped(const Communicator& ranks, const std::string& path, std::uint64_t count, std::uint64_t bytes);

}  // namespace lq::bench
