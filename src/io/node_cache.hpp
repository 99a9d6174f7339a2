// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Blocks of a file in memory shared by several processes, without locks: each slot is one word, and if a process is
// killed while it fills a slot, the processes waiting for the slot detect it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/bytes.hpp"
#include "base/function_ref.hpp"

namespace lq::io {

class SharedBlocks {
 public:
  struct Shape {
    std::uint64_t slots = 0;
    std::uint64_t block_bytes = 0;
  };
  // The largest number of slots that fit into the given memory; 0: fewer than two.
  static Shape shape_for(std::uint64_t memory_bytes, std::uint64_t block_bytes) noexcept;
  static std::uint64_t memory_bytes(const Shape& shape) noexcept;

  // Local. `memory` is page-aligned, and the same for all that share it.
  SharedBlocks(std::byte* memory, const Shape& shape) noexcept : memory_(memory), shape_(shape) {}
  // By one process, before the others begin.
  void clear() noexcept;

  // Calls `give` with the bytes of block number `block`; if the block is not cached, `fetch` fills the given memory
  // and returns the number of bytes. Both may throw; then nothing is stored. False: no slot was available, nothing
  // was called.
  bool use(std::uint64_t block, base::FunctionRef<std::size_t(base::MutableBytes)> fetch,
           base::FunctionRef<void(base::Bytes)> give);

  struct Counts {
    std::atomic<std::uint64_t> reads, bytes_read, bytes_given, waits, reads_beside, clock;
  };
  Counts& counts() const noexcept { return *reinterpret_cast<Counts*>(memory_); }

 private:
  struct Slot {
    std::atomic<std::uint64_t> word;    // block, state, and user: see node_cache.cpp
    std::atomic<std::uint64_t> used;    // time, by the clock of Counts
    std::atomic<std::uint64_t> length;  // valid bytes
    std::uint64_t unused;
  };
  Slot& slot(std::uint64_t number) const noexcept;
  std::byte* block(std::uint64_t number) const noexcept;
  // The first of the few slots that a block may use.
  std::uint64_t first_of(std::uint64_t block) const noexcept;
  std::uint64_t ways() const noexcept;

  enum class Found { ready, claimed, waiting, no_room };
  struct Place {
    Found found;
    std::uint64_t slot = 0;
    std::uint64_t word = 0;
  };
  Place look_for(std::uint64_t block) noexcept;
  // True when the word of a slot changed; false if the process that fills it is gone.
  bool wait_for(const Place& place) const noexcept;
  void fill(std::uint64_t number, std::uint64_t block, base::FunctionRef<std::size_t(base::MutableBytes)> fetch);

  std::byte* memory_;
  Shape shape_;
};

}  // namespace lq::io
