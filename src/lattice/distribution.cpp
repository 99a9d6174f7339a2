// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "lattice/distribution.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/checked.hpp"
#include "lattice/decomposition.hpp"

namespace lq::lattice {
namespace {

[[noreturn]] void refuse(const std::string& what) { throw Error(Code::invalid_argument, "distribution: " + what); }

// How many of the coordinates 0 .. extent-1 have this value of (x / unit) mod count.
std::uint64_t dealt_extent(std::uint64_t extent, std::uint64_t unit, std::uint64_t count, std::uint64_t value) {
  const std::uint64_t rounds = extent / (unit * count), rest = extent % (unit * count);
  return rounds * unit + std::min(rest > value * unit ? rest - value * unit : 0, unit);
}

}  // namespace

Distribution::Distribution(const Index& extents) : extents_(extents) {
  std::uint64_t volume = 1;
  for (int axis = 0; axis < extents.size(); ++axis) {
    if (extents[axis] < 1) refuse(fmt::format("axis {} has extent {}, expected 1 or more", axis, extents[axis]));
    volume = base::multiply_or_throw(volume, static_cast<std::uint64_t>(extents[axis]), "the numbers of a field");
  }
  if (volume >> 63 != 0) throw Error(Code::too_large, "distribution: more than 2^63 numbers");
}

Distribution& Distribution::cut(const PartDigit& digit) {
  if (digit.axis < 0 || digit.axis >= axes()) refuse(fmt::format("there is no axis {} to cut", digit.axis));
  if (digit.unit == 0 || digit.count == 0) refuse(fmt::format("axis {} cannot be cut into nothing", digit.axis));
  for (const PartDigit& other : part_digits_) {
    if (other.axis == digit.axis) refuse(fmt::format("axis {} is cut twice; cut it once", digit.axis));
  }
  parts_ = base::multiply_or_throw(parts_, digit.count, "the parts of a distribution");
  part_digits_.push_back(digit);
  return *this;
}

Distribution& Distribution::cut_into_blocks(int axis, std::uint64_t blocks) {
  return cut({Cut::blocks, axis, 1, blocks});
}

Distribution& Distribution::cut_into_tiles(int axis, std::uint64_t extent) {
  if (axis < 0 || axis >= axes() || extent == 0) refuse(fmt::format("axis {} in tiles of {}", axis, extent));
  const auto all = static_cast<std::uint64_t>(extents_[axis]);
  return cut({Cut::tiles, axis, extent, (all - 1) / extent + 1});
}

Distribution& Distribution::deal(int axis, std::uint64_t unit, std::uint64_t parts) {
  return cut({Cut::dealt, axis, unit, parts});
}

Distribution& Distribution::keep_parity(int parity) {
  kept_parity_ = parity;
  return *this;
}

Distribution& Distribution::split_parities() {
  if (!parities_apart_) parts_ = base::multiply_or_throw(parts_, 2, "the parts of a distribution");
  parities_apart_ = true;
  return *this;
}

Distribution& Distribution::lay(int axis) {
  position_digits_.push_back({.laid = Laid::axis, .axis = axis});
  return *this;
}

Distribution& Distribution::lay_digit(int axis, std::uint64_t unit, std::uint64_t radix) {
  if (unit == 0) refuse(fmt::format("a digit of axis {} with unit 0", axis));
  position_digits_.push_back({.laid = Laid::digit, .axis = axis, .unit = unit, .radix = radix});
  return *this;
}

Distribution& Distribution::lay_padded(int axis, std::uint64_t before, std::uint64_t behind) {
  position_digits_.push_back({.laid = Laid::padded, .axis = axis, .before = before, .behind = behind});
  return *this;
}

Distribution& Distribution::lay_even_odd(std::vector<int> axes) {
  checkered_ = std::move(axes);
  position_digits_.push_back({.laid = Laid::even_odd});
  return *this;
}

Distribution& Distribution::lay_parity() {
  position_digits_.push_back({.laid = Laid::parity});
  return *this;
}

// Lays one part: digits with their strides, in the order asked for.
class Distribution::Layer {
 public:
  Layer(const Distribution& whole, Part& part) : whole_(whole), part_(part), cuts_(max_axes), laid_(max_axes) {
    for (int axis = 0; axis < whole.axes(); ++axis) local_[axis] = part.extents[axis];
  }

  // The part has one value of this digit.
  void restrict_to(const PartDigit& digit, std::uint64_t value) {
    const int axis = digit.axis;
    const std::int64_t all = whole_.extents_[axis];
    if (digit.cut == Cut::dealt) {
      part_.fixed.push_back({axis, digit.unit, digit.count, value});
      local_[axis] =
          static_cast<std::int64_t>(dealt_extent(static_cast<std::uint64_t>(all), digit.unit, digit.count, value));
      cuts_[static_cast<std::size_t>(axis)] = digit;
      return;
    }
    Block block{static_cast<std::int64_t>(value * digit.unit), static_cast<std::int64_t>(digit.unit)};
    if (digit.cut == Cut::blocks) {
      block = block_of(all, static_cast<std::int64_t>(digit.count), static_cast<std::int64_t>(value));
    }
    part_.lower[axis] = part_.origin[axis] = block.lower;
    part_.extents[axis] = local_[axis] = std::min(block.extent, all - block.lower);
  }

  void lay(const PositionDigit& digit) {
    switch (digit.laid) {
      case Laid::axis:
        return lay_digit(digit.axis, 1, 0);
      case Laid::digit:
        return lay_digit(digit.axis, digit.unit, digit.radix);
      case Laid::padded: {
        const std::uint64_t inner = stride_;
        lay_digit(digit.axis, 1, 0);
        part_.offset += static_cast<std::int64_t>(digit.before * inner);
        stride_ = inner * (digit.before + extent(digit.axis) + digit.behind);
        return;
      }
      case Laid::even_odd:
        return lay_even_odd();
      case Laid::parity:
        if (!part_.checkerboard) refuse("lay_parity() needs lay_even_odd() before it");
        part_.checkerboard->parity_stride = static_cast<std::int64_t>(stride_);
        stride_ *= 2;
        parity_is_laid_ = true;
        return;
    }
  }

  void require_complete() const {
    for (int axis = 0; axis < whole_.axes(); ++axis) {
      std::vector<std::pair<std::uint64_t, std::uint64_t>> digits = laid_[static_cast<std::size_t>(axis)];
      std::ranges::sort(digits);
      std::uint64_t reached = 1;
      for (const auto& [unit, radix] : digits) {
        if (unit != reached) break;
        reached *= radix;
      }
      std::uint64_t laid = 1;
      for (const auto& [unit, radix] : digits) laid *= radix;
      if (reached != extent(axis) || laid != reached) {
        refuse(
            fmt::format("axis {} of extent {} is not laid just once; its digits reach {}", axis, extent(axis), laid));
      }
    }
    if (part_.checkerboard && !part_.parity && !parity_is_laid_) {
      refuse("sites in even-odd order need lay_parity(), keep_parity() or split_parities()");
    }
    if (!part_.checkerboard && part_.parity) refuse("a parity needs the axes of lay_even_odd()");
  }

  std::uint64_t positions() const noexcept { return stride_; }

 private:
  std::uint64_t extent(int axis) const noexcept { return static_cast<std::uint64_t>(local_[axis]); }

  // Digit (y / unit) mod radix of the coordinate y within the part.
  void lay_digit(int axis, std::uint64_t unit, std::uint64_t radix) {
    if (axis < 0 || axis >= whole_.axes()) refuse(fmt::format("there is no axis {} to lay", axis));
    const std::uint64_t all = extent(axis);
    if (all % (unit * std::max<std::uint64_t>(radix, 1)) != 0) {
      refuse(fmt::format("the {} coordinates of a part on axis {} are no multiple of {}", all, axis,
                         unit * std::max<std::uint64_t>(radix, 1)));
    }
    const std::uint64_t values = radix == 0 ? all / unit : radix;
    laid_[static_cast<std::size_t>(axis)].emplace_back(unit, values);
    // The highest digit needs no bound.
    const std::uint64_t bound = unit * values == all ? 0 : values;
    if (const PartDigit& cut = cuts_[static_cast<std::size_t>(axis)]; cut.cut == Cut::dealt) {
      lay_dealt(axis, unit, bound, cut);
    } else {
      add(axis, unit, bound, stride_);
    }
    stride_ *= values;
  }

  // The coordinate within the part is that of its round of dealing, times the unit dealt, and the rest.
  void lay_dealt(int axis, std::uint64_t unit, std::uint64_t radix, const PartDigit& cut) {
    if (unit % cut.unit == 0) return add(axis, unit * cut.count, radix, stride_);
    if (cut.unit % unit != 0) {
      refuse(fmt::format("digits of {} and {} on axis {} do not divide each other", unit, cut.unit, axis));
    }
    const std::uint64_t low = cut.unit / unit;  // values of the digit within the unit dealt
    if (radix != 0 && low % radix == 0) return add(axis, unit, radix, stride_);
    if (radix % low != 0)
      refuse(fmt::format("digits of {} and {} on axis {} do not divide each other", radix, low, axis));
    add(axis, unit, low, stride_);
    add(axis, cut.unit * cut.count, radix / low, stride_ * low);
  }

  void lay_even_odd() {
    std::uint64_t sites = 1;
    for (const int axis : whole_.checkered_) {
      if (axis < 0 || axis >= whole_.axes()) refuse(fmt::format("there is no axis {} to lay in even-odd order", axis));
      if (cuts_[static_cast<std::size_t>(axis)].cut == Cut::dealt) {
        refuse(fmt::format("axis {} is dealt out; even-odd order needs blocks", axis));
      }
      sites *= extent(axis);
      laid_[static_cast<std::size_t>(axis)].emplace_back(1, extent(axis));
    }
    part_.checkerboard = Checkerboard{whole_.checkered_, static_cast<std::int64_t>(stride_), 0};
    stride_ *= (sites + 1) / 2;
  }

  void add(int axis, std::uint64_t unit, std::uint64_t radix, std::uint64_t stride) {
    part_.digits.push_back({axis, unit, radix, static_cast<std::int64_t>(stride)});
  }

  const Distribution& whole_;
  Part& part_;
  Index local_ = Index::filled(max_axes, 1);  // extents of the part where it is dealt out, too
  std::vector<PartDigit> cuts_;               // by axis, where dealt
  std::vector<std::vector<std::pair<std::uint64_t, std::uint64_t>>> laid_;  // unit and values, by axis
  std::uint64_t stride_ = 1;
  bool parity_is_laid_ = false;
};

std::pair<Part, std::uint64_t> Distribution::lay_out(std::uint64_t number) const {
  if (number >= parts_) refuse(fmt::format("there is no part {}; there are {}", number, parts_));
  Part part{.lower = Index::filled(axes(), 0), .extents = extents_, .origin = Index::filled(axes(), 0)};
  Layer layer(*this, part);
  for (const PartDigit& digit : part_digits_) {
    layer.restrict_to(digit, number % digit.count);
    number /= digit.count;
  }
  if (parities_apart_) part.parity = static_cast<int>(number);
  if (kept_parity_ >= 0) part.parity = kept_parity_;
  for (int axis = 0; axis < axes(); ++axis) {
    if (part.extents[axis] == 0) return {part, 0};
  }
  for (const PositionDigit& digit : position_digits_) layer.lay(digit);
  layer.require_complete();
  return {part, layer.positions()};
}

Part Distribution::part(std::uint64_t number) const { return lay_out(number).first; }

std::uint64_t Distribution::positions(std::uint64_t number) const { return lay_out(number).second; }

std::uint64_t Distribution::value_of(const PartDigit& digit, const Index& x) const noexcept {
  const std::int64_t at = x[digit.axis];
  if (digit.cut == Cut::blocks) {
    return static_cast<std::uint64_t>(block_index(extents_[digit.axis], static_cast<std::int64_t>(digit.count), at));
  }
  return static_cast<std::uint64_t>(at) / digit.unit % digit.count;
}

std::uint64_t Distribution::part_of(const Index& x) const noexcept {
  std::uint64_t part = 0, stride = 1;
  for (const PartDigit& digit : part_digits_) {
    part += value_of(digit, x) * stride;
    stride *= digit.count;
  }
  if (!parities_apart_) return part;
  std::uint64_t sum = 0;
  for (const int axis : checkered_) sum += static_cast<std::uint64_t>(x[axis]);
  return part + sum % 2 * stride;
}

Place Distribution::place_of(const Index& x) const {
  const std::uint64_t number = part_of(x);
  return {number, part(number).position(x)};
}

}  // namespace lq::lattice
