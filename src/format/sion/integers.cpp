// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "format/sion/integers.hpp"

#include <algorithm>

namespace lq::format::sion {
namespace {

constexpr std::uint64_t numbers_at_a_time = 8192;

}  // namespace

std::vector<std::int64_t> read_int64s(base::ByteSource& file, std::uint64_t offset, std::uint64_t count,
                                      ByteOrder order) {
  std::vector<std::int64_t> numbers;
  numbers.reserve(count);
  std::vector<std::byte> piece(8 * static_cast<std::size_t>(std::min(count, numbers_at_a_time)));
  while (numbers.size() < count) {
    const std::uint64_t wanted = std::min<std::uint64_t>(count - numbers.size(), numbers_at_a_time);
    const std::size_t held = file.read_at(offset + 8 * numbers.size(),
                                          base::MutableBytes(piece).first(8 * static_cast<std::size_t>(wanted)));
    for (std::size_t i = 0; i + 8 <= held; i += 8) numbers.push_back(load_int64(piece.data() + i, order));
    if (held < 8 * wanted) break;
  }
  return numbers;
}

void store_int64s(std::byte* p, std::span<const std::int64_t> numbers, ByteOrder order) noexcept {
  for (const std::int64_t number : numbers) {
    store_int64(p, number, order);
    p += 8;
  }
}

}  // namespace lq::format::sion
