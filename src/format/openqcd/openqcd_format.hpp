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

// The fields that openQCD and its family export, and how files are recognised (formats/openqcd.md 2 to 7): there
// is no magic, but the size is exact and every kind states a value that the data must have.

// A spinor field of version 1 has no number after the extents.
enum class Kind { gauge, momenta, u1, spinor, old_spinor };

// The beginning of a file.
struct Place {
  Extents extents;     // of the lattice
  Extents block = {};  // of a file of a block set; size() 0: the file contains the whole lattice
  Coord lower = {};    // the first site of the block
  bool is_block() const noexcept { return block.size() > 0; }
  std::uint64_t sites() const noexcept { return volume(is_block() ? block : extents); }
  std::uint64_t header_bytes() const noexcept { return is_block() ? 48 : 16; }
  friend bool operator==(const Place&, const Place&) = default;
};

struct Recognised {
  Place place;
  std::vector<Kind> kinds;  // of the fields, in sequence
  bool even_only = false;
};

// The order of extents, blocks and sites: z fastest, t slowest; of links and extents in headers: t, x, y, z.
SiteOrder site_order();

// After the place: a number of spinor fields, and the check value.
std::uint64_t head_bytes(Kind kind) noexcept;
std::uint64_t site_bytes(Kind kind) noexcept;
// For a whole lattice; the offset is left open.
Payload payload_of(const Extents& extents, Kind kind);
double real_at(base::ByteSource& file, std::uint64_t offset);

// By place, size and check values; empty: none of these.
std::optional<Recognised> look(base::ByteSource& file);
// The distance of the stated plaquette from the average over all links; empty: not a gauge field of a whole lattice,
// or larger than this number of sites.
std::optional<double> distance_of_plaquette(base::ByteSource& file, std::uint64_t most_sites);

// The files of a block set (formats/openqcd.md 8): one file for each block of the lattice; any of them opens the set.

// The files of all blocks, in order, of the set that contains `file`, which begins like this. truncated, malformed,
// unsupported: one is missing, or is not the expected one.
std::vector<std::string> block_files(base::ByteSource& file, const Recognised& seen);

// The names of the other files of a set of this size, in which `file` has this number, after `mark` at the end
// of its name: all in one folder, or in folders as openQCD creates them. truncated: another one is in neither place.
std::function<std::string(std::uint64_t)> block_names(base::ByteSource& file, std::string_view mark,
                                                      std::uint64_t number, std::uint64_t count);

// Assigns the sites of such a field to the files, whose data begin at that byte.
void place_blocks(Payload& payload, const Extents& block, std::uint64_t offset);

// "_b0", ...
std::vector<std::string> block_suffixes(const Parts& parts);

// Local files of openQCD (formats/openqcd.md 9): each process wrote its own part of a configuration, in the byte order
// of its machine and in the program's memory order of points.

// The beginning of such a file; extents and coordinates are x, y, z, t.
struct LocalPlace {
  ByteOrder order = ByteOrder::little;
  Extents processes, local, blocks;  // the process grid, sites of each process, processes of a block of them
  Coord at;                          // of this process
  std::int64_t threads = 0;          // 0: the file has no information on threads (1.x, 2.0)
  std::uint64_t sum_at = 0;          // the sum of the plaquettes of this process, up to 18 for each site

  std::uint64_t data() const noexcept { return sum_at + 8; }
  std::uint64_t bytes() const noexcept { return data() + 576 * volume(local); }
  std::uint64_t rank() const noexcept;
};

// By header, exact size and plausible links; empty: it is not such a file.
std::optional<LocalPlace> look_local(base::ByteSource& file);

// The field of all local files, one of which is `file`. truncated: one is missing. malformed: one belongs to another
// set; or the plaquettes contradict the stated one in all orders that the threads allow. unsupported: the blocks of
// the order have odd extents.
flat::Head local_field(base::ByteSource& file, const LocalPlace& place);

// Blocks of points in the order of a file: the first point of each; all have extents `block`, within which odd
// points run z fastest. Empty: they are not equal, or odd in extent.
struct LocalOrder {
  Extents block;
  std::vector<Coord> lower;
};
std::optional<LocalOrder> order_without_threads(const Extents& local);
std::optional<LocalOrder> order_of_threads(const Extents& local, const Extents& counts);

// Assigns the sites of the whole lattice to the files of all processes, which are counted z fastest, t slowest.
void place_local(Payload& payload, const LocalPlace& place, const LocalOrder& order);

}  // namespace lq::format::openqcd
