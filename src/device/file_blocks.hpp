// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Two blocks of sites in file form that a GPU makes out of its memory, or takes back to it, each on a stream of its
// own: only these bytes and the CRC-32 of sites cross the bus, and where memory is described the places of the sites.
// Not to be shared by threads.
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

// What a GPU computes of a transfer (site_kernels.cu), compiled once for a process and loaded once for a home.

enum class Kernel { pack, unpack, crc };

// Shared by threads freely.
class Program {
 public:
  // In the home that it is for. Throws Error as Driver does.
  Program(const Driver& driver, const void* image);

  // Begins on the stream, in the program's home.
  void launch(Kernel kernel, const SiteJob& job, Driver::Handle stream) const;

 private:
  const Driver& driver_;
  std::array<Driver::Handle, 3> functions_{};
};

// Local. Of that home; nullptr where nothing can be compiled for it, or the driver does not take it: there the host
// computes. So it does where the environment has LQ_DEVICE_PROGRAM=off.
const Program* program_of(const Driver& driver, DeviceContext home);
// Local. Why there was none, as far as a sentence says it.
std::string why_no_program(const Driver& driver, DeviceContext home);

// So much at a time: longer than what is computed by the host, for more is asked of the driver.
inline constexpr std::size_t file_block_bytes = 1024 * 1024;

// How sites lie in memory and in the file.
struct FileForm {
  std::vector<NumberPlace> numbers;  // in the order of the file
  std::size_t groups = 1;            // of places, where these are told for each site
  unsigned memory_bytes = 0, file_bytes = 0;
  bool swap = false;
  bool has_crcs = false;

  std::size_t site_bytes() const noexcept { return numbers.size() * file_bytes; }
  // Whether a GPU can: it counts numbers by 32 bits.
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

  // Waits for what the program has given the GPU to do, as Copies. `form` fits. At most `most_bytes` a block, or a
  // site.
  FileBlocks(const Driver& driver, DeviceContext home, const Program& program, const FileForm& form,
             std::size_t most_bytes = file_block_bytes);

  std::uint64_t most_sites() const noexcept { return most_sites_; }
  std::size_t site_bytes() const noexcept { return form_.site_bytes(); }

  // Begins to fill a block with the given number of sites; it is not to be touched until wait(i).
  void begin_out(std::size_t i, const MemorySites& from);
  // Begins to take the sites of a block, which were put at file(i), to memory.
  void begin_in(std::size_t i, const MemorySites& to);
  // Until what was begun with the block is done; at once if nothing was. Whether something was.
  bool wait(std::size_t i) { return blocks_[i].wait(); }

  std::byte* file(std::size_t i) const noexcept { return blocks_[i].host() + file_at_; }
  const std::uint32_t* crcs(std::size_t i) const noexcept {
    return reinterpret_cast<const std::uint32_t*>(blocks_[i].host() + crcs_at_);
  }

 private:
  void make();
  SiteJob job_of(const PooledBuffer& block, const MemorySites& sites) const noexcept;
  std::size_t put_places(const PooledBuffer& block, const MemorySites& sites) const;
  // move(block, job, end of the file's bytes in the block) between the places and the CRCs.
  template <class Move>
  void begin(std::size_t i, const MemorySites& sites, const Move& move);
  void copy(Direction direction, const PooledBuffer& block, std::size_t begin, std::size_t end) const;

  const Driver& driver_;
  DeviceContext home_;
  const Program& program_;
  FileForm form_;
  std::uint64_t most_sites_;
  std::size_t file_at_, crcs_at_, end_;
  // A block holds places, bytes of the file and CRCs, on either side; `numbers_` the form's.
  PooledBuffer numbers_;
  std::array<PooledBuffer, blocks> blocks_;
};

}  // namespace lq::device
