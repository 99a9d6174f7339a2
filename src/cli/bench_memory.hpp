// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Memory that begins with a page. Large arrays from malloc begin 16 bytes later, and there some processors copy the
// pages of a file several times slower: loads wait for stores whose addresses agree in the last twelve bits. A raw
// transfer must not look slow because of that.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace lq::cli {

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

}  // namespace lq::cli
