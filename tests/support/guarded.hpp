// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Memory of exactly the bytes that a function may touch, between two zones that it must not. The zones are wider than
// the red zones of a sanitizer, and are looked at without one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

#include "base/bytes.hpp"

namespace lq::testing {

class Guarded {
 public:
  explicit Guarded(std::size_t bytes) : bytes_(bytes), memory_(bytes + 2 * zone, untouched) {
    std::ranges::fill(span(), std::byte{0});
  }
  template <class Number>
  explicit Guarded(const std::vector<Number>& numbers) : Guarded(numbers.size() * sizeof(Number)) {
    if (bytes_ > 0) std::memcpy(data(), numbers.data(), bytes_);
  }

  // As aligned as the allocation is.
  std::byte* data() noexcept { return memory_.data() + zone; }
  std::size_t size() const noexcept { return bytes_; }
  base::MutableBytes span() noexcept { return {data(), bytes_}; }
  template <class Number>
  std::vector<Number> numbers() const {
    std::vector<Number> all(bytes_ / sizeof(Number));
    if (bytes_ > 0) std::memcpy(all.data(), memory_.data() + zone, all.size() * sizeof(Number));
    return all;
  }

  bool is_intact() const noexcept {
    const auto is_untouched = [](std::byte byte) { return byte == untouched; };
    const auto begin = memory_.begin(), end = memory_.end();
    constexpr auto width = static_cast<std::ptrdiff_t>(zone);
    return std::all_of(begin, begin + width, is_untouched) && std::all_of(end - width, end, is_untouched);
  }

 private:
  static constexpr std::size_t zone = 2048;
  static constexpr std::byte untouched{0xb7};
  std::size_t bytes_;
  std::vector<std::byte> memory_;
};

}  // namespace lq::testing
