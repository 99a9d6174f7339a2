// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "archive/mend.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "archive/archive.hpp"
#include "archive/restored.hpp"
#include "archive/squeezed_format.hpp"
#include "lattice/site_order.hpp"
#include "lattice/tiles.hpp"

namespace lq::archive {
namespace {

// "6 to 7, 12": numbers that follow each other together.
std::string ranges_of(const std::vector<lattice::Share>& shares) {
  std::string text;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const std::uint64_t first = shares[i].begin;
    std::uint64_t end = shares[i].end;
    while (i + 1 < shares.size() && shares[i + 1].begin <= end) end = std::max(end, shares[++i].end);
    const std::uint64_t last = end - 1;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", first);
    if (last > first) text += fmt::format(" to {}", last);
  }
  return text;
}

lattice::Share slices_of(const Payload& payload, std::size_t tile, int slowest) {
  const auto extent = static_cast<std::uint64_t>(payload.stored.extents[slowest]);
  if (payload.block.size() > 0) {
    const auto deep = static_cast<std::uint64_t>(payload.block[slowest]), layers = extent / deep;
    const std::uint64_t layer = tile / (payload.tiles.size() / layers);
    return {layer * deep, (layer + 1) * deep};
  }
  const std::uint64_t slice = payload.stored.volume() / extent, first = tile * payload.tile_sites;
  const std::uint64_t last = std::min(first + payload.tile_sites, payload.stored.volume()) - 1;
  return {first / slice, last / slice + 1};
}

// What of a field lies in these tiles of it.
std::string slices_in(const FieldEntry& entry, const std::vector<std::size_t>& tiles) {
  const Payload& payload = entry.payload;
  const int slowest = lattice::resolve_order(payload.order, payload.extents.size()).back();
  std::vector<lattice::Share> slices;
  for (const std::size_t tile : tiles) slices.push_back(slices_of(payload, tile, slowest));
  // Blocks of one time slice need not follow each other.
  std::ranges::sort(slices, {}, &lattice::Share::begin);
  return fmt::format("time slices {} of {} of \"{}\"", ranges_of(slices), payload.stored.extents[slowest], entry.name);
}

std::string bytes_in(const Segment& segment, const std::vector<std::size_t>& tiles) {
  std::vector<lattice::Share> bytes;
  for (const std::size_t tile : tiles) {
    const std::uint64_t first = segment.begin + tile * segment.tile_bytes;
    bytes.push_back({first, first + segment.bytes_of(tile)});
  }
  return fmt::format("bytes {} of the original", ranges_of(bytes));
}

// In terms of the field that has them, if one does.
std::string what_is_lost(const Catalog& catalog, const Segment& segment, const std::vector<std::size_t>& tiles) {
  std::set<std::uint64_t> places;
  for (const std::size_t tile : tiles) places.insert(segment.tiles[tile].offset);
  for (const FieldEntry& entry : catalog.fields) {
    std::vector<std::size_t> of_field;
    for (std::size_t k = 0; k < entry.payload.tiles.size(); ++k) {
      if (places.contains(entry.payload.tiles[k].offset)) of_field.push_back(k);
    }
    if (!of_field.empty()) return slices_in(entry, of_field);
  }
  return bytes_in(segment, tiles);
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
    std::vector<std::size_t> lost_tiles;
    for (std::size_t tile = 0; tile < segment.tiles.size(); ++tile) {
      if (!can_be_restored(restored, segment, tile)) lost_tiles.push_back(tile);
    }
    if (lost_tiles.empty()) continue;
    const Tile& first = segment.tiles[lost_tiles.front()];
    lost.add(
        {.severity = Severity::error,
         .code = Code::checksum_mismatch,
         .rule = "repair-lost",
         .message = fmt::format("{} of {} tiles cannot be decoded, and nothing in an archive can bring them back: {} "
                                "are lost, the others can be read (lq read, region) and restored; copy the archive "
                                "again from its source, or squeeze the original again",
                                lost_tiles.size(), segment.tiles.size(), what_is_lost(catalog, segment, lost_tiles)),
         .record = std::string(type::data),
         .offset = first.offset,
         .length = first.bytes});
  }
}

}  // namespace lq::archive
