// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Blocks of a file in memory that several processes see. Nobody holds a lock: each slot is one word, and who was killed
// while he filled a slot is noticed by those who wait for it.
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
  // The largest number of slots for which the given number of bytes of memory suffice; 0: fewer than two.
  static Shape shape_for(std::uint64_t memory_bytes, std::uint64_t block_bytes) noexcept;
  static std::uint64_t memory_bytes(const Shape& shape) noexcept;

  // Local. `memory` begins with a page, and is the same for all who share it.
  SharedBlocks(std::byte* memory, const Shape& shape) noexcept : memory_(memory), shape_(shape) {}
  // By one of them, before the others begin.
  void clear() noexcept;

  // Calls `give` with the bytes of block number `block`; where nobody has it, `fetch` fills the memory that it is given
  // and tells how many bytes there were. Both may throw; nothing is given then. False: no slot could be had, nothing
  // was called.
  bool use(std::uint64_t block, base::FunctionRef<std::size_t(base::MutableBytes)> fetch,
           base::FunctionRef<void(base::Bytes)> give);

  struct Counts {
    std::atomic<std::uint64_t> reads, bytes_read, bytes_given, waits, reads_beside, clock;
  };
  Counts& counts() const noexcept { return *reinterpret_cast<Counts*>(memory_); }

 private:
  struct Slot {
    std::atomic<std::uint64_t> word;    // block, what becomes of it, and who: see node_cache.cpp
    std::atomic<std::uint64_t> used;    // when, by the clock of Counts
    std::atomic<std::uint64_t> length;  // bytes that there were
    std::uint64_t unused;
  };
  Slot& slot(std::uint64_t number) const noexcept;
  std::byte* block(std::uint64_t number) const noexcept;
  // The first of the few slots in which a block may be.
  std::uint64_t first_of(std::uint64_t block) const noexcept;
  std::uint64_t ways() const noexcept;

  enum class Found { ready, claimed, waiting, no_room };
  struct Place {
    Found found;
    std::uint64_t slot = 0;
    std::uint64_t word = 0;
  };
  Place look_for(std::uint64_t block) noexcept;
  // Whether the word of a slot changed; else who fills it is gone.
  bool wait_for(const Place& place) const noexcept;
  void fill(std::uint64_t number, std::uint64_t block, base::FunctionRef<std::size_t(base::MutableBytes)> fetch);

  std::byte* memory_;
  Shape shape_;
};

}  // namespace lq::io
