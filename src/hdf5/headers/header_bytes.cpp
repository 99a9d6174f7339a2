// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hdf5/headers/header_bytes.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include <fmt/format.h>

#include "base/checked.hpp"
#include "base/error.hpp"

namespace lq::hdf5 {

HeaderBytes bytes_at(base::ByteSource& file, std::uint64_t offset, std::uint64_t bytes) {
  constexpr std::uint64_t most_header_bytes = 64 * base::mebi;
  const auto end = base::checked_add(offset, bytes);
  if (!end || *end > file.size() || bytes > most_header_bytes) {
    base::fail(Code::malformed, {.path = file.path(), .offset = offset},
               "the header of an object, {} bytes from {} on, is not inside the file", bytes, offset);
  }
  HeaderBytes read(static_cast<std::size_t>(bytes));
  if (file.read_at(offset, read) < read.size()) {
    base::fail(Code::malformed, {.path = file.path()}, "the file ends within the header of an object");
  }
  return read;
}

AttributeParts take_attribute(Cursor& cursor) {
  const std::uint64_t version = cursor.take(1), flags = cursor.take(1);
  if (version < 1 || version > 3) cursor.refuse(fmt::format("its version is {}", version));
  const std::uint64_t name = cursor.take(2), type = cursor.take(2), space = cursor.take(2);
  if (version == 3) cursor.skip(1);
  const auto part = [&](std::uint64_t length) {
    const base::Bytes taken = cursor.skip(length);
    if (version == 1) cursor.skip(std::min((8 - length % 8) % 8, cursor.left()));
    return taken;
  };
  AttributeParts parts;
  parts.name = part(name);
  // The library (1.10.8) crashes if a name ends earlier.
  if (name < 2 || std::ranges::find(parts.name, std::byte{0}) != parts.name.end() - 1) {
    cursor.refuse("its name is invalid");
  }
  parts.type = part(type);
  parts.space = part(space);
  parts.shares_type = version > 1 && (flags & 1) != 0;
  parts.shares_space = version > 1 && (flags & 2) != 0;
  return parts;
}

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
