// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hdf5/headers/metadata_sum.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace lq::hdf5 {
namespace {

struct State {
  std::uint32_t a, b, c;

  void add(const std::byte* twelve) noexcept {
    a += base::load_le<std::uint32_t>(twelve);
    b += base::load_le<std::uint32_t>(twelve + 4);
    c += base::load_le<std::uint32_t>(twelve + 8);
  }
  void mix() noexcept {
    const auto step = [](std::uint32_t& x, std::uint32_t& y, std::uint32_t z, int by) {
      x -= y;
      x ^= std::rotl(y, by);
      y += z;
    };
    step(a, c, b, 4);
    step(b, a, c, 6);
    step(c, b, a, 8);
    step(a, c, b, 16);
    step(b, a, c, 19);
    step(c, b, a, 4);
  }
  std::uint32_t finish() noexcept {
    const auto step = [](std::uint32_t& x, std::uint32_t y, int by) {
      x ^= y;
      x -= std::rotl(y, by);
    };
    step(c, b, 14);
    step(a, c, 11);
    step(b, a, 25);
    step(c, b, 16);
    step(a, c, 4);
    step(b, a, 14);
    step(c, b, 24);
    return c;
  }
};

}  // namespace

std::uint32_t metadata_sum(base::Bytes bytes) noexcept {
  constexpr std::size_t block = 12;
  const std::uint32_t begin = 0xdeadbeef + static_cast<std::uint32_t>(bytes.size());
  State state{begin, begin, begin};
  for (; bytes.size() > block; bytes = bytes.subspan(block)) {
    state.add(bytes.data());
    state.mix();
  }
  if (bytes.empty()) return state.c;
  std::array<std::byte, block> last{};
  std::ranges::copy(bytes, last.begin());
  state.add(last.data());
  return state.finish();
}

}  // namespace lq::hdf5
