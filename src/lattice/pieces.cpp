// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The largest blocks are cut first: what is left of the first and the last one, and a loop over the whole ones between.
#include "lattice/pieces.hpp"

#include <algorithm>
#include <span>

#include <limequat/error.hpp>

namespace lq::lattice {
namespace {

std::int64_t signed_of(std::uint64_t value) noexcept { return static_cast<std::int64_t>(value); }

// How far x lies behind the beginning of its block.
std::uint64_t behind_boundary(std::int64_t x, const Cut& cut) noexcept {
  if (x >= cut.origin) return (static_cast<std::uint64_t>(x) - static_cast<std::uint64_t>(cut.origin)) % cut.unit;
  const std::uint64_t before = (static_cast<std::uint64_t>(cut.origin) - static_cast<std::uint64_t>(x)) % cut.unit;
  return before == 0 ? 0 : cut.unit - before;
}

// Whether all blocks of `larger` are cut alike.
bool divide(std::span<const Cut> smaller, const Cut& larger) noexcept {
  return std::ranges::all_of(smaller, [&](const Cut& cut) { return larger.unit % cut.unit == 0; });
}

class Cutter {
 public:
  explicit Cutter(std::vector<AxisPiece>& pieces) : pieces_(pieces) {}

  void cut(std::int64_t lower, std::int64_t upper, std::span<const Cut> cuts, const AxisPiece& around) {
    if (lower >= upper) return;
    if (cuts.empty()) {
      AxisPiece piece = around;
      piece.first = lower;
      add(piece, static_cast<std::uint64_t>(upper) - static_cast<std::uint64_t>(lower), 1);
      pieces_.push_back(piece);
      return;
    }
    const Cut& largest = cuts.front();
    const std::uint64_t behind = behind_boundary(lower, largest);
    const std::uint64_t sites = static_cast<std::uint64_t>(upper) - static_cast<std::uint64_t>(lower);
    if (sites <= largest.unit - behind) return cut_block(lower, upper, cuts, around);
    std::int64_t begin = lower;
    if (behind > 0) {
      begin += signed_of(largest.unit - behind);
      cut_block(lower, begin, cuts, around);
    }
    const std::uint64_t whole = (static_cast<std::uint64_t>(upper) - static_cast<std::uint64_t>(begin)) / largest.unit;
    cut_blocks(begin, whole, cuts, around);
    begin += signed_of(whole * largest.unit);
    cut_block(begin, upper, cuts, around);
  }

 private:
  static void add(AxisPiece& piece, std::uint64_t count, std::int64_t step) {
    if (count == 1) return;
    if (piece.size == AxisPiece::max_loops) {
      throw Error(Code::unsupported, "an axis is cut into more than eight digits; use fewer");
    }
    piece.loops[piece.size++] = {count, step};
  }

  // Part of one block.
  void cut_block(std::int64_t lower, std::int64_t upper, std::span<const Cut> cuts, const AxisPiece& around) {
    if (lower >= upper) return;
    const Cut& block = cuts.front();
    const std::int64_t begin = lower - signed_of(behind_boundary(lower, block));
    cut(std::max(lower, begin + signed_of(block.begin)), std::min(upper, begin + signed_of(block.end)), cuts.subspan(1),
        around);
  }

  void cut_blocks(std::int64_t begin, std::uint64_t count, std::span<const Cut> cuts, const AxisPiece& around) {
    const std::int64_t unit = signed_of(cuts.front().unit);
    if (count > 0 && divide(cuts.subspan(1), cuts.front())) {
      AxisPiece inside = around;
      add(inside, count, unit);
      return cut_block(begin, begin + unit, cuts, inside);
    }
    for (; count > 0; --count, begin += unit) cut_block(begin, begin + unit, cuts, around);
  }

  std::vector<AxisPiece>& pieces_;
};

}  // namespace

std::vector<AxisPiece> pieces_of(std::int64_t lower, std::int64_t upper, std::vector<Cut> cuts) {
  std::ranges::stable_sort(cuts, [](const Cut& a, const Cut& b) { return a.unit > b.unit; });
  std::vector<AxisPiece> pieces;
  Cutter(pieces).cut(lower, upper, cuts, {});
  return pieces;
}

}  // namespace lq::lattice
