// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Local files of openQCD (formats/openqcd.md 9): each process wrote its own part of a configuration, in the byte order
// of its machine and in the order of points that the program has in memory.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <limequat/catalog.hpp>

#include "base/byte_source.hpp"
#include "format/flat/flat.hpp"

namespace lq::format::openqcd {

// What such a file begins with; extents and coordinates are x, y, z, t.
struct LocalPlace {
  ByteOrder order = ByteOrder::little;
  Extents processes, local, blocks;  // the process grid, sites of each process, processes of a block of them
  Coord at;                          // of this process
  std::int64_t threads = 0;          // 0: the file says nothing of threads (1.x, 2.0)
  std::uint64_t sum_at = 0;          // the sum of the plaquettes of this process, up to 18 for each site

  std::uint64_t data() const noexcept { return sum_at + 8; }
  std::uint64_t bytes() const noexcept { return data() + 576 * volume(local); }
  std::uint64_t rank() const noexcept;
};

// By header, exact size and links that can be some; nothing: it is no such file.
std::optional<LocalPlace> look_local(base::ByteSource& file);

// The field of all local files of which `file` is one. truncated: one is missing. malformed: one is of another set; or
// in none of the orders that the threads allow the plaquettes are what the file states. unsupported: the order is one
// of blocks of odd extents.
flat::Head local_field(base::ByteSource& file, const LocalPlace& place);

// Blocks of points in the order of a file: where each begins; all have `block`, within which odd
// points run z fastest. Nothing: they are not all alike, or odd in extent.
struct LocalOrder {
  Extents block;
  std::vector<Coord> lower;
};
std::optional<LocalOrder> order_without_threads(const Extents& local);
std::optional<LocalOrder> order_of_threads(const Extents& local, const Extents& counts);

// Lays the sites of the whole lattice into the files of all processes, which are counted z fastest, t slowest.
void place_local(Payload& payload, const LocalPlace& place, const LocalOrder& order);

}  // namespace lq::format::openqcd
