// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sites of a field in memory of a GPU, one block at a time in memory of the host.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "device/pooled_buffer.hpp"

namespace lq::device {

// Copies between memory of a GPU and two page-locked blocks of the host: one block is copied while the other is in use.
class Copies {
 public:
  static constexpr std::size_t blocks = 2;

  // Local. `memory` belongs to that context. Waits for operations that the program has started on the GPU, because
  // their results are part of the field.
  Copies(const Driver& driver, DeviceContext context, std::size_t bytes);

  std::byte* block(std::size_t i) const noexcept { return blocks_[i].host(); }
  // Rows of at most a block's bytes in total, which are in the block from `offset` on. Do not access the block until
  // wait(i).
  void begin(Direction direction, const Rows& rows, std::size_t i, std::size_t offset = 0);
  // Waits until the operation on the block is done, if there is one.
  void wait(std::size_t i) { blocks_[i].wait(); }

 private:
  const Driver& driver_;
  DeviceContext context_;
  std::array<PooledBuffer, blocks> blocks_;
};

// Records which sites of a GPU's memory are in two blocks of the host, or in transit. Consecutive sites are prefetched
// while the previous ones are in use.
class Windows {
 public:
  static constexpr std::size_t blocks = 2;

  // `sites` sites at positions (for example addresses) from `begin` on, `step` apart; `most` is the capacity of a
  // block.
  Windows(std::int64_t begin, std::uint64_t sites, std::int64_t step, std::uint64_t most)
      : end_(begin + static_cast<std::int64_t>(sites) * step), step_(step), most_(most) {}

  struct SiteSpan {
    std::size_t block = 0;
    std::uint64_t skip = 0;   // sites of the block before them
    std::uint64_t sites = 0;  // at least one
  };
  // The first of `sites` sites that are `stride` apart; valid until the next call. `fetch(block, first, stride, sites)`
  // starts to fill a block, `wait(block)` completes it.
  template <class Fetch, class Wait>
  SiteSpan take(std::int64_t first, std::int64_t stride, std::uint64_t sites, const Fetch& fetch, const Wait& wait) {
    const auto begin = [&](std::size_t i, std::int64_t from, std::uint64_t wanted) {
      wait(i);
      windows_[i].sites = 0;  // in case this fails
      const std::uint64_t count = std::min(wanted, most_);
      fetch(i, from, stride, count);
      windows_[i] = {from, stride, count};
    };
    if (sites == 1) stride = step_;
    std::size_t i = holder_of(first, stride);
    if (i == blocks) begin(i = 1 - last_, first, sites);
    const SiteSpan some = some_of(i, first, sites);
    const std::uint64_t ahead = ahead_of(some, first, sites);
    if (ahead > 0 && !windows_[1 - i].has(windows_[i].end(), stride)) begin(1 - i, windows_[i].end(), ahead);
    wait(i);
    last_ = i;
    expected_ = first + static_cast<std::int64_t>(some.sites) * stride;
    if (!is_dense(i)) expected_.reset();
    return some;
  }

 private:
  // Sites in a block.
  struct Window {
    std::int64_t first = 0;
    std::int64_t stride = 0;
    std::uint64_t sites = 0;

    bool has(std::int64_t site, std::int64_t wanted_stride) const noexcept;
    std::int64_t end() const noexcept { return first + static_cast<std::int64_t>(sites) * stride; }
  };

  std::size_t holder_of(std::int64_t first, std::int64_t stride) const noexcept;
  SiteSpan some_of(std::size_t i, std::int64_t first, std::uint64_t sites) const noexcept;
  std::uint64_t ahead_of(const SiteSpan& some, std::int64_t first, std::uint64_t sites) const noexcept;
  bool is_dense(std::size_t i) const noexcept { return windows_[i].stride == step_; }

  std::int64_t end_;  // end of the field
  std::int64_t step_;
  std::uint64_t most_;
  std::array<Window, blocks> windows_;
  std::size_t last_ = 0;                  // the block used last
  std::optional<std::int64_t> expected_;  // the site after the last one used
};

// Block size: long enough for the bus, short enough to stay in cache.
inline constexpr std::size_t block_bytes = 256 * 1024;

// Sites to be read from a GPU.
class SitesOut {
 public:
  // `sites` of `site_bytes` each begin at `memory`. Throws Error as Driver does.
  SitesOut(const Driver& driver, DeviceContext context, const std::byte* memory, std::uint64_t sites,
           std::size_t site_bytes);

  struct SiteSpan {
    const std::byte* at = nullptr;  // contiguous
    std::uint64_t sites = 0;        // at least one
  };
  // The first of `sites` sites that are `stride` bytes apart; valid until the next call.
  SiteSpan take(const std::byte* first, std::ptrdiff_t stride, std::uint64_t sites);

 private:
  const std::byte* memory_;
  std::size_t site_bytes_;
  Windows windows_;
  Copies copies_;
};

// Sites to be written to a GPU.
class SitesIn {
 public:
  SitesIn(const Driver& driver, DeviceContext context, std::size_t site_bytes);

  struct Buffer {
    std::byte* at = nullptr;
    std::uint64_t sites = 0;
  };
  // Buffer for the first of `sites` sites, contiguous; put() sends them, finish() waits.
  Buffer buffer(std::uint64_t sites);
  void put(std::byte* first, std::ptrdiff_t stride, std::uint64_t sites);
  void finish();

 private:
  std::size_t site_bytes_;
  std::uint64_t most_;
  Copies copies_;
  std::size_t turn_ = 0;
};

// Copies all sites of a field from host memory to GPU memory.
void copy_in(const Driver& driver, DeviceContext context, const std::byte* from, std::byte* to, std::uint64_t sites,
             std::size_t site_bytes);

}  // namespace lq::device
