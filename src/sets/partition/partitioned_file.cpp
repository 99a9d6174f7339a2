// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Partitioned files: what a path refers to (a set by its description, QIO's part files, a lattice file, bytes),
// how well partitions match, and which one fits an access.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <limequat/error.hpp>
#include <limequat/partition.hpp>

#include "base/byte_source.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "comm/alone.hpp"
#include "format/format.hpp"
#include "io/journal.hpp"
#include "io/replacement.hpp"
#include "storage/subfiles.hpp"
#include "storage/transport.hpp"
#include "storage/window.hpp"

namespace lq {

// How well partitions match, and which one fits an access.

namespace {

// Adds the bytes that two parts share.
void add_pair(Matching& matching, storage::PartBytes& one, storage::PartBytes& other, std::uint64_t begin,
              std::uint64_t end) {
  storage::CommonBytes common(one, other, begin, end);
  std::uint64_t one_end = 0, other_end = 0;
  bool meets = false;
  for (storage::CommonPiece piece; common.next(piece);) {
    if (!meets || piece.one != one_end || piece.other != other_end) ++matching.runs;
    meets = true;
    one_end = piece.one + piece.bytes;
    other_end = piece.other + piece.bytes;
    matching.bytes += piece.bytes;
  }
  if (meets) ++matching.pairs;
}

// Of one part of `one` with all of the other.
void add_part(Matching& matching, const Partition& one, std::uint64_t number, const Partition& other) {
  storage::PartBytes part(one, number);
  for (std::uint64_t k = 0; k < other.parts(); ++k) {
    storage::PartBytes met(other, k);
    add_pair(matching, part, met, std::max(one.array().begin, other.array().begin),
             std::min(one.array().end(), other.array().end()));
  }
}

// All ways to make `parts` parts by cutting each axis at most once, in blocks or like the access's first cut.
class Candidates {
 public:
  Candidates(const Partition& access, std::uint64_t parts) : access_(access) {
    if (access.parts() == parts) all_.push_back(access);
    add(0, parts, {});
  }
  const std::vector<Partition>& all() const noexcept { return all_; }

 private:
  void add(int axis, std::uint64_t rest, const std::vector<AxisCut>& cuts) {
    if (rest == 1) all_.emplace_back(access_.array(), cuts);
    if (rest == 1 || axis == static_cast<int>(access_.array().extents.size())) return;
    add(axis + 1, rest, cuts);
    const auto extent = static_cast<std::uint64_t>(access_.array().extents[static_cast<std::size_t>(axis)]);
    for (std::uint64_t count = 2; count <= std::min(rest, extent); ++count) {
      if (rest % count != 0) continue;
      std::vector<AxisCut> more = cuts;
      more.push_back({axis, count, 0});
      add(axis + 1, rest / count, more);
      const auto first = std::ranges::find(access_.cuts(), axis, &AxisCut::axis);
      if (first == access_.cuts().end() || first->unit == 0 || first->parts % count != 0) continue;
      more.back().unit = first->unit;
      add(axis + 1, rest / count, more);
    }
  }

  const Partition& access_;
  std::vector<Partition> all_;
};

}  // namespace

Matching match(const Partition& one, const Partition& other) {
  return comm::alone([&] {
    Matching matching;
    for (std::uint64_t part = 0; part < one.parts(); ++part) add_part(matching, one, part, other);
    return matching;
  });
}

Partition propose_partition(const Partition& access, std::uint64_t parts) {
  return comm::alone([&] {
    // The first process represents all: regular distributions treat them equally.
    std::optional<std::pair<Matching, Partition>> best;
    const Candidates candidates(access, parts);
    for (const Partition& candidate : candidates.all()) {
      Matching matching;
      add_part(matching, access, 0, candidate);
      const auto requests = [](const Matching& of) { return std::pair(of.runs, of.pairs); };
      const bool is_better = !best || requests(matching) < requests(best->first);
      if (is_better) best = {matching, candidate};
    }
    if (best) return best->second;
    throw Error(Code::invalid_argument,
                fmt::format("the axes cannot be cut into {} parts; choose a number that their extents allow", parts));
  });
}

// Opens a path as a partitioned file: a set by its description, QIO's part files, a lattice file, bytes.

namespace sets {
namespace {

PartitionedFile in_one_piece(const std::string& path, std::uint64_t bytes, const FileArray& array) {
  return {.path = path, .bytes = bytes, .partition = Partition(array, {}), .files = {{path, array.begin}}};
}

bool is_x_fastest(const Payload& payload) {
  int axis = 0;
  return std::ranges::all_of(payload.order, [&](int d) { return d == axis++; });
}

FileArray sites_of(const Payload& payload) {
  FileArray array{.begin = payload.origin(), .element_bytes = payload.site_bytes()};
  for (const std::int64_t extent : payload.stored.extents) array.extents.push_back(extent);
  return array;
}

// Each of QIO's part files has one block of the lattice (formats/scidac.md 4.6): part k of a partition into blocks.
PartitionedFile part_files_of(const Catalog& catalog, const Payload& payload) {
  std::vector<AxisCut> cuts;
  for (int axis = 0; axis < payload.block.size(); ++axis) {
    const std::int64_t blocks = payload.extents[axis] / payload.block[axis];
    if (blocks > 1) cuts.push_back({axis, static_cast<std::uint64_t>(blocks), 0});
  }
  FileArray array = sites_of(payload);
  array.begin = 0;
  PartitionedFile file{.path = catalog.path, .bytes = array.bytes(), .partition = Partition(array, cuts)};
  for (const Tile& tile : payload.tiles) {
    file.files.push_back({catalog.files.at(static_cast<std::size_t>(tile.file)), tile.offset});
  }
  return file;
}

bool lies_in_part_files(const Catalog& catalog, const Payload& payload) {
  if (catalog.files.empty() || payload.block.size() != payload.extents.size() || payload.arrays != 1) return false;
  for (int axis = 0; axis < payload.block.size(); ++axis) {
    if (payload.block[axis] < 1 || payload.extents[axis] % payload.block[axis] != 0) return false;
  }
  return payload.encoding.empty() && !payload.at_odd_points && payload.stored == whole(payload.extents);
}

// A field whose sites are contiguous elements, or in part files; otherwise the array must be given.
PartitionedFile of_catalog(const Catalog& catalog, std::uint64_t bytes) {
  const Payload& payload = catalog.fields.front().payload;
  if (is_x_fastest(payload) && payload.stored.extents.size() > 0) {
    if (lies_in_part_files(catalog, payload)) return part_files_of(catalog, payload);
    const bool is_here =
        catalog.files.empty() || catalog.files.at(static_cast<std::size_t>(payload.file)) == catalog.path;
    if (payload.is_in_one_piece() && is_here) return in_one_piece(catalog.path, bytes, sites_of(payload));
  }
  base::fail(Code::unsupported, catalog.path,
             "the sites of its first field are not contiguous in natural order; name the array of the file "
             "(begin, element, extents), or convert the file first");
}

std::optional<Catalog> catalog_of(storage::File& file) {
  try {
    base::CachedSource source(file);
    Catalog catalog = format::scan(source, {});
    if (!catalog.fields.empty() && catalog.fields.front().payload.extents.size() > 0) return catalog;
  } catch (const Error& error) {
    if (error.code() != Code::unknown_format && error.code() != Code::too_large) throw;
  }
  return {};
}

PartitionedFile known_parts(const std::string& path, const FileArray& array) {
  storage::Transport& transport = storage::resolve(path);
  const auto file = transport.open_read(path);
  if (auto set = storage::set_in(*file, path)) return *std::move(set);  // never appended to
  io::require_no_journal(transport, path);
  io::require_no_replacement(transport, path);
  const std::uint64_t bytes = file->size();
  if (bytes == 0 || bytes >> 62 != 0) {
    base::fail(Code::unsupported, path, "a file of {} bytes has no parts; expected 1 to 2^62", bytes);
  }
  if (!array.extents.empty()) return in_one_piece(path, bytes, array);
  if (const auto catalog = catalog_of(*file)) return of_catalog(*catalog, bytes);
  return in_one_piece(path, bytes, {.extents = {static_cast<std::int64_t>(bytes)}});
}

}  // namespace
}  // namespace sets

PartitionedFile partitioned_file(const std::string& path, const FileArray& array) {
  return comm::alone([&] { return sets::known_parts(path, array); });
}

}  // namespace lq
