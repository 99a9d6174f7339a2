// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The files of openQCD and its family: kinds of fields, sets of blocks, and local files.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <limequat/catalog.hpp>

#include "base/byte_source.hpp"
#include "format/flat/flat.hpp"
#include "format/format.hpp"

namespace lq::format::openqcd {

// The fields that openQCD and its family export, and how a file is known to hold one (formats/openqcd.md 2 to 7): there
// is no magic, but the size is exact and every kind states a value that the data must have.

// A spinor field of version 1 has no number after the extents.
enum class Kind { gauge, momenta, u1, spinor, old_spinor };

// What a file begins with.
struct Place {
  Extents extents;     // of the lattice
  Extents block = {};  // of a file of a block set; size() 0: the file holds the whole lattice
  Coord lower = {};    // where the block begins
  bool is_block() const noexcept { return block.size() > 0; }
  std::uint64_t sites() const noexcept { return volume(is_block() ? block : extents); }
  std::uint64_t header_bytes() const noexcept { return is_block() ? 48 : 16; }
  friend bool operator==(const Place&, const Place&) = default;
};

struct Seen {
  Place place;
  std::vector<Kind> kinds;  // of the fields, contiguous
  bool even_only = false;
};

// The order of extents, blocks and sites: z fastest, t slowest; of links and extents in headers: t, x, y, z.
SiteOrder site_order();

// Behind the place: a number of spinor fields, and the check value.
std::uint64_t head_bytes(Kind kind) noexcept;
std::uint64_t site_bytes(Kind kind) noexcept;
// Of a whole lattice; the offset is left open.
Payload payload_of(const Extents& extents, Kind kind);
double real_at(base::ByteSource& file, std::uint64_t offset);

// By place, size and check values; nothing: it is none of these.
std::optional<Seen> look(base::ByteSource& file);
// How far the stated plaquette is from the average over all links; nothing: it is no gauge field of a whole lattice, or
// one of more sites than these.
std::optional<double> distance_of_plaquette(base::ByteSource& file, std::uint64_t most_sites);

// The files of a block set (formats/openqcd.md 8): a file for each block of the lattice, any of which stands for all.

// The files of all blocks, in their order, of a set of which `file` is one that begins like this. truncated, malformed,
// unsupported: one is missing, or is another than it should be.
std::vector<std::string> block_files(base::ByteSource& file, const Seen& seen);

// How the other files of a set of so many are called, of which `file` is this number, standing behind `mark` at the end
// of its name: all in one folder, or in folders as openQCD makes them. truncated: another one is in neither place.
std::function<std::string(std::uint64_t)> block_names(base::ByteSource& file, std::string_view mark,
                                                      std::uint64_t number, std::uint64_t count);

// Lays the sites of such a field into the files, whose data begin at that byte.
void place_blocks(Payload& payload, const Extents& block, std::uint64_t offset);

// "_b0", ...
std::vector<std::string> block_suffixes(const Parts& parts);

// Local files of openQCD (formats/openqcd.md 9): each process wrote its own part of a configuration, in the byte order
// of its machine and in the order of points that the program has in memory.

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
