// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The distribution of the elements of a file over parts: over the subfiles of a set (a physical partition) or over
// processes (a logical one), in blocks, cyclically or block-cyclically, dimension by dimension, and again within each
// part. The better two partitions match, the faster one is accessed through the other.
#pragma once

#include <limequat/language.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <limequat/version.hpp>

namespace lq {

// Contiguous elements of one size in a file, as an array whose first axis is the fastest: the sites of a lattice in
// natural order have the axes x, y, z, t.
struct FileArray {
  std::uint64_t begin = 0;  // byte of the first element
  std::uint64_t element_bytes = 1;
  std::vector<std::int64_t> extents = {};  // 1 to 16 axes, each at least 1

  LQ_API std::uint64_t elements() const;
  std::uint64_t bytes() const { return elements() * element_bytes; }
  std::uint64_t end() const { return begin + bytes(); }
  friend bool operator==(const FileArray&, const FileArray&) = default;
};

// One axis, distributed over `parts` parts.
struct AxisCut {
  int axis = 0;
  std::uint64_t parts = 1;
  // Number of consecutive coordinates assigned round-robin: 1 is cyclic, more block-cyclic. 0: blocks, as even as
  // possible, larger ones first.
  std::uint64_t unit = 0;
  friend bool operator==(const AxisCut&, const AxisCut&) = default;
};

// The place of an element. (The first byte of element e is at begin + e * element_bytes.)
struct PartPlace {
  std::uint64_t part = 0;
  std::uint64_t position = 0;  // number of the element within the part
  friend bool operator==(const PartPlace&, const PartPlace&) = default;
};

class LQ_API Partition {
 public:
  // A single part.
  Partition() : Partition(FileArray{.extents = {1}}, {}) {}
  // Local. Cuts apply in sequence: another cut of the same axis divides the coordinates within each existing part
  // (nested partitions). The number of a part is the number in the first cut, plus the parts of the first cut times the
  // number in the second one, and so on. The elements of a part keep their order. invalid_argument: an axis that does
  // not exist, no parts, units that do not fit an earlier cut of the axis. too_large: more than 2^63 bytes or 2^20
  // parts.
  Partition(FileArray array, std::vector<AxisCut> cuts);
  // Local. The same from a text: cuts "AXIS=block:PARTS", "AXIS=cyclic:PARTS" and "AXIS=cyclic:PARTS:UNIT" separated by
  // commas, where AXIS is x, y, z, t or a number from 0; or "whole". Example: "t=block:4,x=cyclic:2".
  static Partition parse(FileArray array, std::string_view text);

  const FileArray& array() const noexcept { return array_; }
  const std::vector<AxisCut>& cuts() const noexcept { return cuts_; }
  std::string text() const;  // of the cuts, as parse() accepts it

  std::uint64_t parts() const noexcept { return parts_; }
  std::uint64_t elements(std::uint64_t part) const;  // number in a part; invalid_argument: there is no such part
  // Each element has one place, and each place one element. invalid_argument: there is no such element or place.
  PartPlace place_of(std::uint64_t element) const;
  std::uint64_t element_at(const PartPlace& place) const;

  friend bool operator==(const Partition&, const Partition&) = default;

 private:
  FileArray array_;
  std::vector<AxisCut> cuts_;
  std::uint64_t parts_ = 1;
};

// What two partitions of one file have in common, over all pairs of their parts.
struct Matching {
  std::uint64_t bytes = 0;  // that are in both
  std::uint64_t pairs = 0;  // of parts that have bytes in common: the minimum number of requests
  std::uint64_t runs = 0;   // of bytes that are contiguous in both parts: the number of requests without rearranging
  double mean_run_bytes() const noexcept {
    return runs == 0 ? 0 : static_cast<double>(bytes) / static_cast<double>(runs);
  }
  // pairs / runs: 1 if each pair of parts has one run in common, near 0 if it has many.
  double degree() const noexcept { return runs == 0 ? 1 : static_cast<double>(pairs) / static_cast<double>(runs); }
};
// Local. The time is proportional to the number of runs.
LQ_API Matching match(const Partition& one, const Partition& other);

// Local. Proposes the partition into `parts` parts that best fits an access by processes, each of which has one part of
// `access`: the elements of each process form the fewest runs in the fewest parts. Its cuts are those of the access, or
// blocks of its axes; invalid_argument: no cuts of these extents give that number of parts.
LQ_API Partition propose_partition(const Partition& access, std::uint64_t parts);

// A file that is one file or a set of subfiles, described in the same way.
struct PartitionedFile {
  std::string path;
  std::uint64_t bytes = 0;   // of the whole file
  Partition partition = {};  // of its array over the subfiles
  // Bytes before and after the array are in the first subfile, before and after its elements.
  struct Subfile {
    std::string path;
    std::uint64_t offset = 0;  // of its first element
    friend bool operator==(const Subfile&, const Subfile&) = default;
  };
  std::vector<Subfile> files = {};
  bool is_set = false;  // `path` is a description of a set (docs/formats/partitions.md)
};

// Local. Describes a file: a set by its description; a lattice file by its first field, whose sites are the elements,
// also if QIO has distributed them over part files; and any other file as bytes. With `array`, that array is used
// instead. not_found, malformed, unsupported (sites that are not contiguous in natural order: give the array),
// wrong_state (it has a journal).
LQ_API PartitionedFile partitioned_file(const std::string& path, const FileArray& array = {});

}  // namespace lq
