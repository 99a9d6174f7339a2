// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Each axis is cut at the boundaries of the digits of all parts, and sites in even-odd order by the parity of each
// coordinate; the results are nested loops with fixed strides. The nest that is lowest in the leading part advances.
#include "lattice/runs.hpp"

#include <algorithm>

#include <limequat/error.hpp>

namespace lq::lattice {

// An interval of one axis, cut at the boundaries of the digits of several parts: pieces that are nested loops over
// coordinates, in each of which every digit advances evenly.

// Blocks of `unit` coordinates, one of which begins at `origin`. Only begin .. end-1 of each block is wanted.
struct Cut {
  std::uint64_t unit = 1;
  std::int64_t origin = 0;
  std::uint64_t begin = 0, end = 0;
};

struct CoordinateLoop {
  std::uint64_t count = 1;
  std::int64_t step = 1;  // of the coordinate
};

struct AxisPiece {
  static constexpr std::size_t max_loops =
      8;  // a coordinate of 64 bits halved at every cut, and its digits in practice
  std::int64_t first = 0;
  std::array<CoordinateLoop, max_loops> loops{};  // slowest first
  std::size_t size = 0;
};

namespace {

std::int64_t signed_of(std::uint64_t value) noexcept { return static_cast<std::int64_t>(value); }

// The distance of x from the beginning of its block.
std::uint64_t behind_boundary(std::int64_t x, const Cut& cut) noexcept {
  if (x >= cut.origin) return (static_cast<std::uint64_t>(x) - static_cast<std::uint64_t>(cut.origin)) % cut.unit;
  const std::uint64_t before = (static_cast<std::uint64_t>(cut.origin) - static_cast<std::uint64_t>(x)) % cut.unit;
  return before == 0 ? 0 : cut.unit - before;
}

// True if all blocks of `larger` are cut in the same way.
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

  // Cuts a part of one block.
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

// The wanted coordinates of lower .. upper-1. If cuts divide each other, there are at most two pieces per cut and one;
// if not, one for each boundary.
std::vector<AxisPiece> pieces_of(std::int64_t lower, std::int64_t upper, std::vector<Cut> cuts) {
  std::ranges::stable_sort(cuts, [](const Cut& a, const Cut& b) { return a.unit > b.unit; });
  std::vector<AxisPiece> pieces;
  Cutter(pieces).cut(lower, upper, cuts, {});
  return pieces;
}

namespace {

// One step past the last of nearly 2^63 numbers exceeds a signed integer.
std::int64_t plus(std::int64_t a, std::int64_t b) noexcept {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
std::int64_t minus(std::int64_t a, std::int64_t b) noexcept {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}
std::int64_t times(std::int64_t a, std::uint64_t b) noexcept {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * b);
}

using PartList = std::span<const Part* const>;

struct Interval {
  std::int64_t lower = 0, upper = 0;
};

// The intersection of all parts on one axis, as a bounding interval.
Interval common(PartList parts, int axis) noexcept {
  Interval common{parts.front()->lower[axis], plus(parts.front()->lower[axis], parts.front()->extents[axis])};
  for (const Part* part : parts) {
    common.lower = std::max(common.lower, part->lower[axis]);
    common.upper = std::min(common.upper, plus(part->lower[axis], part->extents[axis]));
  }
  return common;
}

bool is_cut(PartList parts) noexcept {
  return std::ranges::any_of(parts, [](const Part* part) {
    return part->checkerboard || !part->fixed.empty() ||
           std::ranges::any_of(part->digits, [](const Digit& digit) { return digit.unit != 1 || digit.radix != 0; });
  });
}

void add_cuts(const Part& part, int axis, std::vector<Cut>& cuts) {
  const std::int64_t origin = part.origin[axis];
  for (const Digit& digit : part.digits) {
    if (digit.axis != axis) continue;
    if (digit.unit > 1) cuts.push_back({digit.unit, origin, 0, digit.unit});
    if (const std::uint64_t block = digit.unit * digit.radix; block > 0) cuts.push_back({block, origin, 0, block});
  }
  for (const FixedDigit& digit : part.fixed) {
    if (digit.axis != axis) continue;
    const std::uint64_t begin = digit.value * digit.unit;
    cuts.push_back({digit.unit * digit.radix, origin, begin, begin + digit.unit});
  }
}

// The axes on whose parity the positions of some part depend.
std::vector<int> parity_axes(PartList parts) {
  std::vector<int> axes;
  for (const Part* part : parts) {
    if (part->checkerboard) axes.insert(axes.end(), part->checkerboard->axes.begin(), part->checkerboard->axes.end());
  }
  std::ranges::sort(axes);
  axes.erase(std::unique(axes.begin(), axes.end()), axes.end());
  return axes;
}

// Bit k of `parities` is the parity of the coordinate on axis number k.
std::uint32_t bit_of(std::uint32_t parities, int axis) noexcept { return parities >> axis & 1U; }

bool holds_parities(const Part& part, std::uint32_t parities) noexcept {
  if (!part.parity) return true;
  std::uint32_t sum = 0;
  for (const int axis : part.checkerboard->axes) sum += bit_of(parities, axis);
  return sum % 2 == static_cast<std::uint32_t>(*part.parity);
}

// All combinations of one entry of each list; `work` receives the indices of the entries.
template <class Work>
void for_each_combination(const std::vector<std::vector<AxisPiece>>& lists, Work&& work) {
  if (std::ranges::any_of(lists, [](const auto& list) { return list.empty(); })) return;
  std::vector<std::size_t> chosen(lists.size(), 0);
  for (;;) {
    work(chosen);
    std::size_t axis = 0;
    while (axis < lists.size() && ++chosen[axis] == lists[axis].size()) chosen[axis++] = 0;
    if (axis == lists.size()) return;
  }
}

}  // namespace

void Runs::LoopNest::arrange(std::size_t parts, Lead lead) noexcept {
  std::stable_sort(loops_.begin(), loops_.begin() + static_cast<std::ptrdiff_t>(size_),
                   [](const Loop& a, const Loop& b) { return a.stride[0] < b.stride[0]; });
  std::size_t kept = 0;
  for (std::size_t k = 0; k < size_; ++k) {
    const Loop loop = loops_[k];
    const bool continues = kept > 0 && [&] {
      const Loop& before = loops_[kept - 1];
      for (std::size_t p = 0; p < parts; ++p) {
        if (loop.stride[p] != times(before.stride[p], before.count)) return false;
      }
      return true;
    }();
    if (continues) {
      loops_[kept - 1].count *= loop.count;
    } else {
      loops_[kept++] = loop;
    }
  }
  size_ = kept;
  // Single numbers are runs if no loop can be one.
  if (size_ == 0 || (lead == Lead::contiguous && loops_[0].stride[0] != 1)) {
    std::move_backward(loops_.begin(), loops_.begin() + static_cast<std::ptrdiff_t>(size_),
                       loops_.begin() + static_cast<std::ptrdiff_t>(size_) + 1);
    loops_[0] = {};
    loops_[0].stride.fill(1);
    ++size_;
  }
}

void Runs::LoopNest::restart() noexcept {
  now_ = first_;
  for (std::size_t k = 0; k < size_; ++k) loops_[k].value = 0;
  done_ = false;
}

void Runs::LoopNest::step() noexcept {
  for (std::size_t k = 1; k < size_; ++k) {
    Loop& loop = loops_[k];
    const bool wraps = ++loop.value == loop.count;
    for (std::size_t p = 0; p < max_parts; ++p) {
      now_[p] = wraps ? minus(now_[p], times(loop.stride[p], loop.count - 1)) : plus(now_[p], loop.stride[p]);
    }
    if (!wraps) return;
    loop.value = 0;
  }
  done_ = true;
}

SpacedRun Runs::LoopNest::take() noexcept {
  const SpacedRun run{loops_[0].count, now_, loops_[0].stride};
  step();
  return run;
}

// Loops are nested in the leading part: the faster ones span less than one step of the next.
void Runs::LoopNest::seek(std::int64_t position) noexcept {
  restart();
  if (position <= first_[0]) return;
  std::uint64_t rest = static_cast<std::uint64_t>(position) - static_cast<std::uint64_t>(first_[0]);
  for (std::size_t k = size_; k-- > 1;) {
    Loop& loop = loops_[k];
    loop.value = std::min(rest / static_cast<std::uint64_t>(loop.stride[0]), loop.count - 1);
    rest -= loop.value * static_cast<std::uint64_t>(loop.stride[0]);
    for (std::size_t p = 0; p < max_parts; ++p) now_[p] = plus(now_[p], times(loop.stride[p], loop.value));
  }
  if (rest > (loops_[0].count - 1) * static_cast<std::uint64_t>(loops_[0].stride[0])) step();
}

std::uint64_t Runs::LoopNest::runs() const noexcept {
  std::uint64_t runs = 1;
  for (std::size_t k = 1; k < size_; ++k) runs *= loops_[k].count;
  return runs;
}

Runs::Runs(PartList parts, Lead lead) : parts_(parts.size()), lead_(lead) {
  const int axes = parts.front()->lower.size();
  const auto positions_at = [&](const Index& x) {
    Positions positions{};
    for (std::size_t p = 0; p < parts.size(); ++p) positions[p] = parts[p]->position(x);
    return positions;
  };
  // Tests if a loop along an axis fits, and adds its effect on the positions.
  const auto add_loop = [&](LoopNest& nest, const Index& first, const Positions& start, int axis,
                            CoordinateLoop along) {
    Index next = first;
    next[axis] = plus(next[axis], along.step);
    Loop loop{along.count, positions_at(next)};
    for (std::size_t p = 0; p < parts.size(); ++p) loop.stride[p] = minus(loop.stride[p], start[p]);
    nest.add(loop);
  };
  Index first = parts.front()->lower;
  if (!is_cut(parts)) {
    std::array<std::uint64_t, max_axes> extents{};
    for (int axis = 0; axis < axes; ++axis) {
      const Interval interval = common(parts, axis);
      if (interval.lower >= interval.upper) return;
      first[axis] = interval.lower;
      extents[static_cast<std::size_t>(axis)] =
          static_cast<std::uint64_t>(interval.upper) - static_cast<std::uint64_t>(interval.lower);
    }
    const Positions start = positions_at(first);
    only_ = LoopNest(start);
    for (int axis = 0; axis < axes; ++axis) {
      const std::uint64_t count = extents[static_cast<std::size_t>(axis)];
      if (count > 1) add_loop(only_, first, start, axis, {count, 1});
    }
    only_.arrange(parts_, lead_);
    any_ = true;
    return;
  }
  const std::vector<int> checkered = parity_axes(parts);
  for (std::uint32_t choice = 0; choice < 1U << checkered.size(); ++choice) {
    std::uint32_t parities = 0;
    for (std::size_t k = 0; k < checkered.size(); ++k) parities |= (choice >> k & 1U) << checkered[k];
    if (!std::ranges::all_of(parts, [&](const Part* part) { return holds_parities(*part, parities); })) continue;
    std::vector<std::vector<AxisPiece>> pieces;
    for (int axis = 0; axis < axes; ++axis) {
      std::vector<Cut> cuts;
      for (const Part* part : parts) add_cuts(*part, axis, cuts);
      if (std::ranges::binary_search(checkered, axis)) {
        cuts.push_back({2, 0, bit_of(parities, axis), bit_of(parities, axis) + 1});
      }
      const Interval interval = common(parts, axis);
      pieces.push_back(pieces_of(interval.lower, interval.upper, std::move(cuts)));
    }
    for_each_combination(pieces, [&](const std::vector<std::size_t>& chosen) {
      std::size_t loops = 0;
      for (int axis = 0; axis < axes; ++axis) {
        const AxisPiece& piece = pieces[static_cast<std::size_t>(axis)][chosen[static_cast<std::size_t>(axis)]];
        first[axis] = piece.first;
        loops += piece.size;
      }
      // One loop is reserved for the run of a single number.
      if (loops >= max_loops) throw Error(Code::unsupported, "parts with more than 31 digits in all; use fewer");
      const Positions start = positions_at(first);
      LoopNest nest(start);
      for (int axis = 0; axis < axes; ++axis) {
        const AxisPiece& piece = pieces[static_cast<std::size_t>(axis)][chosen[static_cast<std::size_t>(axis)]];
        for (std::size_t k = 0; k < piece.size; ++k) add_loop(nest, first, start, axis, piece.loops[k]);
      }
      nest.arrange(parts_, lead_);
      nests_.push_back(nest);
    });
  }
  any_ = !nests_.empty();
}

Runs::LoopNest* Runs::lowest() noexcept {
  if (!any_) return nullptr;
  if (nests_.empty()) return only_.is_done() ? nullptr : &only_;
  LoopNest* lowest = nullptr;
  for (LoopNest& nest : nests_) {
    if (!nest.is_done() && (lowest == nullptr || nest.leading() < lowest->leading())) lowest = &nest;
  }
  return lowest;
}

bool Runs::join(SpacedRun& run, const SpacedRun& next, std::size_t parts, Lead lead) noexcept {
  Positions step{};
  for (std::size_t p = 0; p < parts; ++p) {
    step[p] = run.count > 1 ? run.stride[p] : minus(next.position[p], run.position[p]);
    if (next.position[p] != plus(run.position[p], times(step[p], run.count))) return false;
    if (next.count > 1 && next.stride[p] != step[p]) return false;
  }
  if (lead == Lead::contiguous && step[0] != 1) return false;
  run.count += next.count;
  run.stride = step;
  return true;
}

bool Runs::next(SpacedRun& run) {
  if (ahead_) {
    run = *ahead_;
    ahead_.reset();
  } else {
    LoopNest* const nest = lowest();
    if (nest == nullptr) return false;
    run = nest->take();
  }
  if (nests_.empty()) return true;  // its runs are not contiguous
  while (LoopNest* const nest = lowest()) {
    const SpacedRun following = nest->take();
    if (!join(run, following, parts_, lead_)) {
      ahead_ = following;
      break;
    }
  }
  return true;
}

void Runs::restart() noexcept {
  only_.restart();
  for (LoopNest& nest : nests_) nest.restart();
  ahead_.reset();
}

void Runs::seek(std::int64_t position) noexcept {
  only_.seek(position);
  for (LoopNest& nest : nests_) nest.seek(position);
  ahead_.reset();
}

std::uint64_t Runs::count() const noexcept {
  if (!any_) return 0;
  if (nests_.empty()) return only_.runs();
  std::uint64_t runs = 0;
  for (const LoopNest& nest : nests_) runs += nest.runs();
  return runs;
}

}  // namespace lq::lattice
