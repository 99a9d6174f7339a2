// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sites of a field in memory of a GPU, a block at a time in memory of the host. Sites that are contiguous
// are copied ahead, while those before them are packed. Not to be shared by threads.
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/copies.hpp"
#include "device/windows.hpp"

namespace lq::device {

// So much at a time: long enough for the bus, short enough to stay in cache.
inline constexpr std::size_t block_bytes = 256 * 1024;

// Sites to be taken from a GPU.
class SitesOut {
 public:
  // `sites` of `site_bytes` each begin at `memory`. Throws Error as Driver does.
  SitesOut(const Driver& driver, DeviceContext home, const std::byte* memory, std::uint64_t sites,
           std::size_t site_bytes);

  struct SiteSpan {
    const std::byte* at = nullptr;  // contiguous
    std::uint64_t sites = 0;        // at least one
  };
  // The first of `sites` sites that are `stride` bytes apart; they stay until the next call.
  SiteSpan take(const std::byte* first, std::ptrdiff_t stride, std::uint64_t sites);

 private:
  const std::byte* memory_;
  std::size_t site_bytes_;
  Windows windows_;
  Copies copies_;
};

// Sites to be put there.
class SitesIn {
 public:
  SitesIn(const Driver& driver, DeviceContext home, std::size_t site_bytes);

  struct Room {
    std::byte* at = nullptr;
    std::uint64_t sites = 0;
  };
  // Where the first of `sites` sites are to be written, contiguous; put() sends them off, finish() waits.
  Room room(std::uint64_t sites);
  void put(std::byte* first, std::ptrdiff_t stride, std::uint64_t sites);
  void finish();

 private:
  std::size_t site_bytes_;
  std::uint64_t most_;
  Copies copies_;
  std::size_t turn_ = 0;
};

// All sites of a field, as they lie in memory of the host, to memory of a GPU.
void copy_in(const Driver& driver, DeviceContext home, const std::byte* from, std::byte* to, std::uint64_t sites,
             std::size_t site_bytes);

}  // namespace lq::device
