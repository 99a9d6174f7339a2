// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hdf5/headers/message_bytes.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/checked.hpp"

namespace lq::hdf5 {

HeaderBytes bytes_at(base::ByteSource& file, std::uint64_t offset, std::uint64_t bytes) {
  constexpr std::uint64_t most_header_bytes = 64 * base::mebi;
  const auto end = base::checked_add(offset, bytes);
  if (!end || *end > file.size() || bytes > most_header_bytes) {
    throw Error(Code::malformed,
                fmt::format("{}: the header of an object, {} bytes from {} on, is not inside the file", file.path(),
                            bytes, offset),
                {.path = file.path(), .offset = offset});
  }
  HeaderBytes read(static_cast<std::size_t>(bytes));
  if (file.read_at(offset, read) < read.size()) {
    throw Error(Code::malformed, file.path() + ": the file ends within the header of an object", {.path = file.path()});
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
  // The library (1.10.8) does not survive a name that ends earlier.
  if (name < 2 || std::ranges::find(parts.name, std::byte{0}) != parts.name.end() - 1) {
    cursor.refuse("its name is none");
  }
  parts.type = part(type);
  parts.space = part(space);
  parts.shares_type = version > 1 && (flags & 1) != 0;
  parts.shares_space = version > 1 && (flags & 2) != 0;
  return parts;
}

}  // namespace lq::hdf5
