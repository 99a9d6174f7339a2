// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What simulated ranks hold of the heap, and when it runs out. Counted in programs that link held_memory.cpp, for
// threads that name an owner.
#pragma once

#include <atomic>
#include <cstdint>

namespace lq::testing {

struct HeldMemory {
  std::atomic<std::int64_t> now{0}, most{0};

  // Allocation number `fail_at`, counted from 0, throws std::bad_alloc; with `for_good` all behind it, too.
  std::int64_t fail_at = -1;
  bool for_good = false;
  std::atomic<std::int64_t> asked{0};
  bool has_failed() const noexcept { return fail_at >= 0 && asked > fail_at; }
};

// Whose is what this thread allocates; nullptr: nobody's.
inline thread_local HeldMemory* memory_owner = nullptr;

class OwnedBy {
 public:
  explicit OwnedBy(HeldMemory* owner) : before_(memory_owner) { memory_owner = owner; }
  ~OwnedBy() { memory_owner = before_; }
  OwnedBy(const OwnedBy&) = delete;
  OwnedBy& operator=(const OwnedBy&) = delete;

 private:
  HeldMemory* before_;
};

}  // namespace lq::testing
