// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The chunks that a rank has open for others: buffers in memory that the ranks of a node share, each with two
// numbers by which they tell each other how far they are. Nothing else is needed to keep them in step.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace lq::engine {

// How chunks pass: the owner opens a slot for a chunk; everybody who has to do with the chunk does it and counts
// himself in `done`; when all are counted the owner closes the slot.
struct alignas(64) SlotControl {
  std::atomic<std::uint64_t> open{0};  // number of the chunk, plus 1; 0: closed
  std::atomic<std::uint64_t> done{0};
  std::atomic<std::uint64_t> is_bad{0};  // the owner could not read it
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "processes share these numbers");

// Memory for sites on their way, without contents.
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(std::uint64_t bytes)
      : bytes_(bytes), start_(std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(bytes))) {}
  std::byte* data() noexcept { return start_.get(); }
  std::span<std::byte> first(std::uint64_t bytes) noexcept { return {start_.get(), static_cast<std::size_t>(bytes)}; }
  std::uint64_t bytes() const noexcept { return bytes_; }

 private:
  std::uint64_t bytes_ = 0;
  std::unique_ptr<std::byte[]> start_;
};

// A view of one rank's slots.
class Slots {
 public:
  static constexpr std::uint64_t count = 2;

  // Memory for the slots of a rank; `slot_bytes` each.
  static std::uint64_t bytes(std::uint64_t slot_bytes) noexcept { return control_bytes + count * rounded(slot_bytes); }

  Slots(std::byte* area, std::uint64_t slot_bytes) noexcept : area_(area), slot_bytes_(rounded(slot_bytes)) {}

  SlotControl& control(std::uint64_t i) const noexcept { return reinterpret_cast<SlotControl*>(area_)[i]; }
  // Of the first rank of a node: not 0 once a rank of that node takes part no more. It counts in no slot, so that the
  // others would wait for it indefinitely.
  std::atomic<std::uint64_t>& given_up() const noexcept {
    return *reinterpret_cast<std::atomic<std::uint64_t>*>(area_ + count * sizeof(SlotControl));
  }
  std::byte* buffer(std::uint64_t i) const noexcept { return area_ + control_bytes + i * slot_bytes_; }
  // Closes all, none given up; by the owner, before others look.
  void reset() const noexcept;
  // Which slot is open for a chunk; `count` when none is.
  std::uint64_t find(std::uint64_t chunk) const noexcept;

 private:
  static constexpr std::uint64_t page = 4096;
  static constexpr std::uint64_t control_bytes = page;
  static std::uint64_t rounded(std::uint64_t bytes) noexcept { return (bytes + page - 1) / page * page; }

  std::byte* area_;
  std::uint64_t slot_bytes_;
};

}  // namespace lq::engine
