// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// State of the process that outlives its destructors: programs close files in theirs and in atexit functions. It asks
// for no memory, so that what lets no exception out (destructors, C functions) may be the first to need it.
#pragma once

#include <cstddef>
#include <new>

namespace lq::base {

template <class T>
class NeverDestroyed {
 public:
  NeverDestroyed() noexcept {
    static_assert(noexcept(T()));
    new (room_) T();
  }
  NeverDestroyed(const NeverDestroyed&) = delete;
  NeverDestroyed& operator=(const NeverDestroyed&) = delete;

  T& operator*() noexcept { return *std::launder(reinterpret_cast<T*>(room_)); }

 private:
  alignas(T) std::byte room_[sizeof(T)];
};

}  // namespace lq::base
