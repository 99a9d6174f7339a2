// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How well partitions match, and which one fits an access.
#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <limequat/error.hpp>
#include <limequat/partition.hpp>

#include "storage/part_bytes.hpp"

namespace lq {

namespace {

// Adds what two parts have in common.
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

// All ways to make `parts` parts by cutting each axis at most once, in blocks or as the access cuts it first.
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
  Matching matching;
  for (std::uint64_t part = 0; part < one.parts(); ++part) add_part(matching, one, part, other);
  return matching;
}

Partition propose_partition(const Partition& access, std::uint64_t parts) {
  // The first process stands for all: regular distributions treat them alike.
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
              fmt::format("no cuts of the axes make {} parts; choose a number that their extents allow", parts));
}

}  // namespace lq
