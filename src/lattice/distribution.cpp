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

// Sites of a box are computed in unsigned numbers: even the last of nearly 2^63 has a successor.
std::uint64_t digit_of(std::int64_t x, std::int64_t origin, std::uint64_t unit, std::uint64_t radix) noexcept {
  const std::uint64_t value = (static_cast<std::uint64_t>(x) - static_cast<std::uint64_t>(origin)) / unit;
  return radix == 0 ? value : value % radix;
}

std::uint64_t sum_of(const Index& x, const std::vector<int>& axes) noexcept {
  std::uint64_t sum = 0;
  for (const int axis : axes) sum += static_cast<std::uint64_t>(x[axis]);
  return sum;
}

}  // namespace

Part Part::of_box(const Index& lower, const Index& extents, const std::vector<int>& order) {
  Part part{.lower = lower, .extents = extents, .origin = lower};
  part.digits.reserve(order.size());
  std::uint64_t stride = 1;
  for (const int axis : order) {
    part.digits.push_back({axis, 1, 0, static_cast<std::int64_t>(stride)});
    stride *= static_cast<std::uint64_t>(extents[axis]);
  }
  return part;
}

bool Part::holds(const Index& x) const noexcept {
  for (int axis = 0; axis < x.size(); ++axis) {
    const std::uint64_t inside = static_cast<std::uint64_t>(x[axis]) - static_cast<std::uint64_t>(lower[axis]);
    if (inside >= static_cast<std::uint64_t>(extents[axis])) return false;
  }
  const bool right_digits = std::ranges::all_of(fixed, [&](const FixedDigit& digit) {
    return digit_of(x[digit.axis], origin[digit.axis], digit.unit, digit.radix) == digit.value;
  });
  return right_digits && (!parity || sum_of(x, checkerboard->axes) % 2 == static_cast<std::uint64_t>(*parity));
}

std::int64_t Part::position(const Index& x) const noexcept {
  auto position = static_cast<std::uint64_t>(offset);
  for (const Digit& digit : digits) {
    position +=
        digit_of(x[digit.axis], origin[digit.axis], digit.unit, digit.radix) * static_cast<std::uint64_t>(digit.stride);
  }
  if (checkerboard) {
    std::uint64_t number = 0, stride = 1;
    for (const int axis : checkerboard->axes) {
      number += digit_of(x[axis], origin[axis], 1, 0) * stride;
      stride *= static_cast<std::uint64_t>(extents[axis]);
    }
    position += number / 2 * static_cast<std::uint64_t>(checkerboard->pair_stride);
    position += sum_of(x, checkerboard->axes) % 2 * static_cast<std::uint64_t>(checkerboard->parity_stride);
  }
  return static_cast<std::int64_t>(position);
}

namespace {

[[noreturn]] void refuse(const std::string& what) { throw Error(Code::invalid_argument, "distribution: " + what); }

// The number of coordinates in 0 .. extent-1 with this value of (x / unit) mod count.
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
  if (digit.axis < 0 || digit.axis >= axes())
    refuse(fmt::format("axis {} does not exist and cannot be divided", digit.axis));
  if (digit.unit == 0 || digit.count == 0) refuse(fmt::format("axis {} cannot be divided into 0 parts", digit.axis));
  base::multiply_or_throw(digit.unit, digit.count, "a round of the distributed coordinates");
  parts_ = base::multiply_or_throw(parts_, digit.count, "the parts of a distribution");
  part_digits_.push_back(digit);
  return *this;
}

Distribution& Distribution::cut_into_blocks(int axis, std::uint64_t blocks) {
  return cut({Cut::blocks, axis, 1, blocks});
}

Distribution& Distribution::cut_cyclically(int axis, std::uint64_t unit, std::uint64_t parts) {
  return cut({Cut::dealt, axis, unit, parts});
}

Distribution& Distribution::keep_parity(int parity) {
  kept_parity_ = parity;
  return *this;
}

Distribution& Distribution::append_axis(int axis) {
  position_digits_.push_back({.laid = Laid::axis, .axis = axis});
  return *this;
}

Distribution& Distribution::append_digit(int axis, std::uint64_t unit, std::uint64_t radix) {
  if (unit == 0) refuse(fmt::format("a digit of axis {} with unit 0", axis));
  position_digits_.push_back({.laid = Laid::digit, .axis = axis, .unit = unit, .radix = radix});
  return *this;
}

Distribution& Distribution::append_padded(int axis, std::uint64_t before, std::uint64_t behind) {
  position_digits_.push_back({.laid = Laid::padded, .axis = axis, .before = before, .behind = behind});
  return *this;
}

Distribution& Distribution::append_even_odd(std::vector<int> axes) {
  checkered_ = std::move(axes);
  position_digits_.push_back({.laid = Laid::even_odd});
  return *this;
}

Distribution& Distribution::append_parity() {
  position_digits_.push_back({.laid = Laid::parity});
  return *this;
}

// Builds one part: digits with their strides, in the requested order.
class Distribution::Layer {
 public:
  Layer(const Distribution& whole, Part& part)
      : whole_(whole), part_(part), written_(static_cast<std::size_t>(whole.axes())), laid_(max_axes) {
    for (int axis = 0; axis < whole.axes(); ++axis) local_[axis] = part.extents[axis];
  }

  // The part has a single value of this digit of the coordinates left by previous cuts.
  void restrict_to(const PartDigit& digit, std::uint64_t value) {
    if (digit.cut == Cut::dealt) {
      if (digit.count > 1) take_dealt(digit, value);
      return;
    }
    const auto blocks = static_cast<std::int64_t>(digit.count);
    take_block(digit.axis, block_of(local_[digit.axis], blocks, static_cast<std::int64_t>(value)));
  }

  void append_axis(const PositionDigit& digit) {
    switch (digit.laid) {
      case Laid::axis:
        return append_digit(digit.axis, 1, 0);
      case Laid::digit:
        return append_digit(digit.axis, digit.unit, digit.radix);
      case Laid::padded: {
        const std::uint64_t inner = stride_;
        append_digit(digit.axis, 1, 0);
        part_.offset += static_cast<std::int64_t>(digit.before * inner);
        stride_ = inner * (digit.before + extent(digit.axis) + digit.behind);
        return;
      }
      case Laid::even_odd:
        return append_even_odd();
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
      refuse("sites in even-odd order need lay_parity() or keep_parity()");
    }
    if (!part_.checkerboard && part_.parity) refuse("a parity needs the axes of lay_even_odd()");
  }

  std::uint64_t positions() const noexcept { return stride_; }
  bool is_empty() const noexcept {
    for (int axis = 0; axis < whole_.axes(); ++axis) {
      if (local_[axis] == 0) return true;
    }
    return false;
  }

 private:
  std::uint64_t extent(int axis) const noexcept { return static_cast<std::uint64_t>(local_[axis]); }

  // How the coordinate within the part is computed from digits of the lattice coordinate, from the fastest on, minus an
  // offset. The last digit has no radix.
  struct Written {
    struct Step {
      std::uint64_t unit = 1, radix = 0;
    };
    std::vector<Step> steps{Step{}};
    std::uint64_t skipped = 0;
    bool is_dealt = false;
  };

  Written& written(int axis) noexcept { return written_[static_cast<std::size_t>(axis)]; }

  // The index of the step that begins at this number of coordinates within the part; a step is split if necessary.
  std::size_t step_at(int axis, std::uint64_t coordinates) {
    std::vector<Written::Step>& steps = written(axis).steps;
    std::uint64_t reached = 1;
    for (std::size_t k = 0;; ++k) {
      if (reached == coordinates) return k;
      const Written::Step step = steps[k];
      const std::uint64_t within = coordinates / reached;
      if (step.radix != 0 && within >= step.radix && coordinates % (reached * step.radix) == 0) {
        reached *= step.radix;
        continue;
      }
      if (coordinates % reached != 0 || step.radix % within != 0) {
        refuse(fmt::format("digits of {} and {} on axis {} do not divide each other", coordinates,
                           reached * std::max<std::uint64_t>(step.radix, 1), axis));
      }
      const std::uint64_t unit = base::multiply_or_throw(step.unit, within, "a digit of a coordinate");
      steps[k].radix = within;
      steps.insert(steps.begin() + static_cast<std::ptrdiff_t>(k) + 1,
                   {unit, step.radix == 0 ? 0 : step.radix / within});
      return k + 1;
    }
  }

  void take_dealt(const PartDigit& digit, std::uint64_t value) {
    Written& axis = written(digit.axis);
    if (axis.skipped % digit.unit != 0) {
      refuse(fmt::format("axis {}: units of {} are distributed from a block that begins within a unit", digit.axis,
                         digit.unit));
    }
    const std::uint64_t dealt = (value + axis.skipped / digit.unit) % digit.count;
    const std::size_t first = step_at(digit.axis, digit.unit), last = step_at(digit.axis, digit.unit * digit.count);
    std::uint64_t rest = dealt;
    for (std::size_t k = first; k < last; ++k) {
      part_.fixed.push_back({digit.axis, axis.steps[k].unit, axis.steps[k].radix, rest % axis.steps[k].radix});
      rest /= axis.steps[k].radix;
    }
    axis.steps.erase(axis.steps.begin() + static_cast<std::ptrdiff_t>(first),
                     axis.steps.begin() + static_cast<std::ptrdiff_t>(last));
    axis.skipped = dealt_extent(axis.skipped, digit.unit, digit.count, dealt);
    axis.is_dealt = true;
    local_[digit.axis] = static_cast<std::int64_t>(dealt_extent(extent(digit.axis), digit.unit, digit.count, value));
  }

  void take_block(int axis, const Block& block) {
    local_[axis] = block.extent;
    if (!written(axis).is_dealt) {
      part_.lower[axis] += block.lower;
      part_.origin[axis] = part_.lower[axis];
      part_.extents[axis] = block.extent;
      return;
    }
    written(axis).skipped += static_cast<std::uint64_t>(block.lower);
    part_.extents[axis] = 0;
    if (block.extent == 0) return;
    part_.lower[axis] = coordinate(axis, 0);
    part_.extents[axis] = coordinate(axis, extent(axis) - 1) - part_.lower[axis] + 1;
  }

  // The lattice coordinate of coordinate `local` within the part.
  std::int64_t coordinate(int axis, std::uint64_t local) noexcept {
    auto x = static_cast<std::uint64_t>(part_.origin[axis]);
    for (const FixedDigit& digit : part_.fixed) x += digit.axis == axis ? digit.value * digit.unit : 0;
    std::uint64_t rest = written(axis).skipped + local;
    for (const Written::Step& step : written(axis).steps) {
      x += (step.radix == 0 ? rest : rest % step.radix) * step.unit;
      rest /= std::max<std::uint64_t>(step.radix, 1);
    }
    return static_cast<std::int64_t>(x);
  }

  // Digit (y / unit) mod radix of the coordinate y within the part.
  void append_digit(int axis, std::uint64_t unit, std::uint64_t radix) {
    if (axis < 0 || axis >= whole_.axes()) refuse(fmt::format("axis {} does not exist and cannot be placed", axis));
    const std::uint64_t all = extent(axis);
    if (all % (unit * std::max<std::uint64_t>(radix, 1)) != 0) {
      refuse(fmt::format("the {} coordinates of a part on axis {} are not a multiple of {}", all, axis,
                         unit * std::max<std::uint64_t>(radix, 1)));
    }
    const std::uint64_t values = radix == 0 ? all / unit : radix;
    laid_[static_cast<std::size_t>(axis)].emplace_back(unit, values);
    const Written& as = written(axis);
    if (as.skipped != 0 && (unit != 1 || values != all)) {
      refuse(fmt::format("axis {}: a block of distributed coordinates can only be placed as a whole", axis));
    }
    const bool is_highest = unit * values == all;  // it needs no bound
    const std::size_t first = step_at(axis, unit);
    const std::size_t last = is_highest ? as.steps.size() : step_at(axis, unit * values);
    std::uint64_t stride = stride_;
    for (std::size_t k = first; k < last; ++k) {
      add(axis, as.steps[k].unit, as.steps[k].radix, stride);
      stride *= as.steps[k].radix;
    }
    part_.offset -= static_cast<std::int64_t>(as.skipped * stride_);
    stride_ *= values;
  }

  void append_even_odd() {
    std::uint64_t sites = 1;
    for (const int axis : whole_.checkered_) {
      if (axis < 0 || axis >= whole_.axes())
        refuse(fmt::format("axis {} does not exist and cannot be put in even-odd order", axis));
      if (written(axis).is_dealt) {
        refuse(fmt::format("axis {} is distributed cyclically; even-odd order needs blocks", axis));
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
  Index local_ = Index::filled(max_axes, 1);  // extents of the part, including distributed axes
  std::vector<Written> written_;              // by axis
  std::vector<std::vector<std::pair<std::uint64_t, std::uint64_t>>> laid_;  // unit and values, by axis
  std::uint64_t stride_ = 1;
  bool parity_is_laid_ = false;
};

std::pair<Part, std::uint64_t> Distribution::lay_out(std::uint64_t number) const {
  if (number >= parts_) refuse(fmt::format("part {} does not exist; there are {}", number, parts_));
  Part part{.lower = Index::filled(axes(), 0), .extents = extents_, .origin = Index::filled(axes(), 0)};
  Layer layer(*this, part);
  for (const PartDigit& digit : part_digits_) {
    layer.restrict_to(digit, number % digit.count);
    number /= digit.count;
  }
  if (kept_parity_ >= 0) part.parity = kept_parity_;
  if (layer.is_empty())
    return {Part{.lower = part.lower, .extents = Index::filled(axes(), 0), .origin = part.origin}, 0};
  for (const PositionDigit& digit : position_digits_) layer.append_axis(digit);
  layer.require_complete();
  return {part, layer.positions()};
}

Part Distribution::part(std::uint64_t number) const { return lay_out(number).first; }

std::uint64_t Distribution::positions(std::uint64_t number) const { return lay_out(number).second; }

std::uint64_t Distribution::take(const PartDigit& digit, std::uint64_t& x, std::uint64_t& extent) noexcept {
  if (digit.cut == Cut::dealt) {
    const std::uint64_t value = x / digit.unit % digit.count, round = digit.unit * digit.count;
    x = x / round * digit.unit + x % digit.unit;
    extent = dealt_extent(extent, digit.unit, digit.count, value);
    return value;
  }
  const auto all = static_cast<std::int64_t>(extent), count = static_cast<std::int64_t>(digit.count);
  const std::int64_t value = block_index(all, count, static_cast<std::int64_t>(x));
  const Block block = block_of(all, count, value);
  x -= static_cast<std::uint64_t>(block.lower);
  extent = static_cast<std::uint64_t>(block.extent);
  return static_cast<std::uint64_t>(value);
}

std::uint64_t Distribution::part_of(const Index& x) const noexcept {
  std::uint64_t part = 0, stride = 1;
  std::array<std::uint64_t, max_axes> at{}, extents{};  // within the range left by the previous cuts
  for (int axis = 0; axis < axes(); ++axis) {
    at[static_cast<std::size_t>(axis)] = static_cast<std::uint64_t>(x[axis]);
    extents[static_cast<std::size_t>(axis)] = static_cast<std::uint64_t>(extents_[axis]);
  }
  for (const PartDigit& digit : part_digits_) {
    const auto axis = static_cast<std::size_t>(digit.axis);
    part += take(digit, at[axis], extents[axis]) * stride;
    stride *= digit.count;
  }
  return part;
}

Place Distribution::place_of(const Index& x) const {
  const std::uint64_t number = part_of(x);
  return {number, part(number).position(x)};
}

}  // namespace lq::lattice
