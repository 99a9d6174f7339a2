// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The raw limit, and plain files without a library: one for all ranks, one per process, with
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

// Local. An open file, transferred by plain calls of at most the given number of bytes.
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
  void drop() const;                    // from the cache; only data that are on disk are dropped
  void cut(std::uint64_t bytes) const;  // beyond the given size; other ranks may still be writing before it
  void close();                         // may report that cached bytes were lost

 private:
  void check(bool is_fine, const char* doing) const;

  std::string path_;
  int fd_;
};

// Local. Creates the file if it does not exist. `sync`: waits for the disk. Returns the time of each stage.
StageSeconds raw_write(const std::string& path, std::uint64_t offset, std::span<const std::byte> bytes, bool sync);
StageSeconds raw_read(const std::string& path, std::uint64_t offset, std::span<std::byte> bytes);
// Local. Waits until the whole file is on disk, whichever process wrote it.
void sync_file(const std::string& path);
// Local. Asks the system to drop the file from its cache, so that the next read comes from the disk.
void drop_from_cache(const std::string& path);

// Empty files with given stripes, for programs that cannot request them.

// Collective. The outcome, the same on all ranks; if stripes cannot be set the file is created without.
Stripes make_striped(const Communicator& ranks, const std::string& path, std::uint64_t count, std::uint64_t bytes);

}  // namespace lq::bench
