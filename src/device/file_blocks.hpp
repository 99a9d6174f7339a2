// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Two blocks of sites in file form that a GPU packs from its memory, or unpacks into it, each on a separate stream:
// only these bytes, the CRC-32 of sites, and for described memory the places of the sites cross the bus. Not
// thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "device/driver.hpp"
#include "device/pooled_buffer.hpp"
#include "device/site_job.h"

namespace lq::device {

// site_job.h and site_kernels.cu as text (CMakeLists.txt).
extern const char* const kernel_source;

// The kernels of a transfer (site_kernels.cu), compiled once per process and loaded once per context.

enum class Kernel { pack, unpack, crc };

// Thread-safe.
class Program {
 public:
  // Call in its context. Throws Error as Driver does.
  Program(const Driver& driver, const void* image);

  // Starts a kernel on the stream, in the program's context.
  void launch(Kernel kernel, const SiteJob& job, Driver::Handle stream) const;

 private:
  const Driver& driver_;
  std::array<Driver::Handle, 3> functions_{};
};

// Local. The program of that context; nullptr if it cannot be compiled or the driver rejects it, or if the environment
// has LQ_DEVICE_PROGRAM=off: the host then computes.
const Program* program_of(const Driver& driver, DeviceContext context);
// Local. The reason why there was none, in a sentence.
std::string why_no_program(const Driver& driver, DeviceContext context);

// Bytes per block: longer than the blocks computed by the host, because each one takes more driver calls.
inline constexpr std::size_t file_block_bytes = 1024 * 1024;

// The layout of sites in memory and in the file.
struct FileForm {
  std::vector<NumberPlace> numbers;  // in the order of the file
  std::size_t groups = 1;            // of places, if these are given for each site
  unsigned memory_bytes = 0, file_bytes = 0;
  bool swap = false;
  bool has_crcs = false;

  std::size_t site_bytes() const noexcept { return numbers.size() * file_bytes; }
  // True if a GPU can process it: it uses 32-bit counts.
  bool fits() const noexcept;
};

// Sites in memory: evenly spaced, or at places.
struct MemorySites {
  std::uint64_t sites = 0;
  const std::byte* first = nullptr;
  std::ptrdiff_t stride = 0;
  std::span<const std::int64_t> places = {};  // of all sites of a group, then those of the next
};

class FileBlocks {
 public:
  static constexpr std::size_t blocks = 2;

  // Waits for the operations that the program has started on the GPU, as Copies does. `form` fits. At most `most_bytes`
  // a block, or one site.
  FileBlocks(const Driver& driver, DeviceContext context, const Program& program, const FileForm& form,
             std::size_t most_bytes = file_block_bytes);

  std::uint64_t most_sites() const noexcept { return most_sites_; }
  std::size_t site_bytes() const noexcept { return form_.site_bytes(); }

  // Starts to fill a block with the given number of sites; do not access it until wait(i).
  void begin_out(std::size_t i, const MemorySites& from);
  // Starts to unpack the sites of a block, which were stored at file(i), into memory.
  void begin_in(std::size_t i, const MemorySites& to);
  // Waits until the operation on the block is done, if there is one. Returns true if there was.
  bool wait(std::size_t i) { return blocks_[i].wait(); }

  std::byte* file(std::size_t i) const noexcept { return blocks_[i].host() + file_at_; }
  const std::uint32_t* crcs(std::size_t i) const noexcept {
    return reinterpret_cast<const std::uint32_t*>(blocks_[i].host() + crcs_at_);
  }

 private:
  void make();
  SiteJob job_of(const PooledBuffer& block, const MemorySites& sites) const noexcept;
  std::size_t put_places(const PooledBuffer& block, const MemorySites& sites) const;
  // Runs move(block, job, end of the file's bytes in the block) between the places and the CRCs.
  template <class Move>
  void begin(std::size_t i, const MemorySites& sites, const Move& move);
  void copy(Direction direction, const PooledBuffer& block, std::size_t begin, std::size_t end) const;

  const Driver& driver_;
  DeviceContext context_;
  const Program& program_;
  FileForm form_;
  std::uint64_t most_sites_;
  std::size_t file_at_, crcs_at_, end_;
  // A block holds places, bytes of the file and CRCs, on host and GPU; `numbers_` those of the form.
  PooledBuffer numbers_;
  std::array<PooledBuffer, blocks> blocks_;
};

}  // namespace lq::device
