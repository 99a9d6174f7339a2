// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "squeezed/mend.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "lattice/site_order.hpp"
#include "squeezed/archive.hpp"
#include "squeezed/restored.hpp"
#include "squeezed/squeezed_format.hpp"

namespace lq::squeezed {
namespace {

// "time slices 6 to 7 of "gauge"": what of a field lies in a tile of it.
std::string slices_in(const FieldEntry& entry, std::size_t tile) {
  const Payload& payload = entry.payload;
  const int slowest = lattice::resolve_order(payload.order, payload.extents.size()).back();
  const std::uint64_t slice = payload.stored.volume() / static_cast<std::uint64_t>(payload.stored.extents[slowest]);
  const std::uint64_t first = tile * payload.tile_sites;
  const std::uint64_t last = std::min(first + payload.tile_sites, payload.stored.volume()) - 1;
  return fmt::format("slices {} to {} of {} of \"{}\"", first / slice, last / slice, payload.stored.extents[slowest],
                     entry.name);
}

bool can_be_restored(RestoredSource& restored, const Segment& segment, std::size_t tile) {
  std::byte one{};
  try {
    restored.read_at(segment.begin + tile * segment.tile_bytes, {&one, 1});
    return true;
  } catch (const Error& error) {
    if (error.code() == Code::io || error.code() == Code::out_of_memory) throw;
    return false;
  }
}

}  // namespace

void name_lost_tiles(base::ByteSource& file, const Limits& limits, format::Findings& lost) {
  format::Findings seen;
  const Read read = read_archive(file, limits, seen);
  const Catalog catalog = format().container->scan(file, limits);
  RestoredSource restored(file, read.archive);
  for (const Segment& segment : read.archive.segments) {
    const auto entry = std::ranges::find_if(catalog.fields, [&](const FieldEntry& field) {
      return !field.payload.tiles.empty() && !segment.tiles.empty() && field.payload.tiles == segment.tiles;
    });
    for (std::size_t tile = 0; tile < segment.tiles.size(); ++tile) {
      if (can_be_restored(restored, segment, tile)) continue;
      const Tile& place = segment.tiles[tile];
      const std::string what =
          entry == catalog.fields.end()
              ? fmt::format("bytes {} to {} of the original", segment.begin + tile * segment.tile_bytes,
                            segment.begin + tile * segment.tile_bytes + segment.bytes_of(tile) - 1)
              : slices_in(*entry, tile);
      lost.add(
          {.severity = Severity::error,
           .code = Code::checksum_mismatch,
           .rule = "repair-lost",
           .message = fmt::format("tile {} of {} is damaged, and nothing in an archive can bring it back: {} are lost, "
                                  "the others can be read (lq read, region) and restored; copy the archive again "
                                  "from its source, or squeeze the original again",
                                  tile, segment.tiles.size(), what),
           .record = std::string(type::data),
           .offset = place.offset,
           .length = place.bytes});
    }
  }
}

}  // namespace lq::squeezed
