// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Memory of a benchmark: arrays that do not make a transfer look slow, and how much of it a transfer takes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <vector>

namespace lq::bench {

// Memory that begins with a page. Large arrays from malloc begin 16 bytes later, and there some processors copy the
// pages of a file several times slower: loads wait for stores whose addresses agree in the last twelve bits. A raw
// transfer must not look slow because of that.
template <class T>
struct PageAllocator {
  using value_type = T;
  PageAllocator() = default;
  template <class U>
  explicit PageAllocator(const PageAllocator<U>& /*other*/) noexcept {}
  T* allocate(std::size_t n) { return static_cast<T*>(::operator new (n * sizeof(T), std::align_val_t{4096})); }
  void deallocate(T* p, std::size_t /*n*/) noexcept { ::operator delete (p, std::align_val_t{4096}); }
  friend bool operator==(const PageAllocator&, const PageAllocator&) { return true; }
};

template <class T>
using PageVector = std::vector<T, PageAllocator<T>>;

// How much memory a stretch of the program took at its peak, beyond what it had before; from Linux, which counts the
// pages that are there. Shared pages count for each process that touches them.
class MemoryPeak {
 public:
  // Begins to watch.
  MemoryPeak();
  // Bytes since then; nothing where the system does not tell.
  std::optional<std::uint64_t> bytes() const;

 private:
  std::optional<std::uint64_t> before_;
};

}  // namespace lq::bench
