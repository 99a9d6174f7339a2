// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Partitions, as values and as texts: "t=block:4,x=cyclic:2:8", "whole".
#include <array>
#include <utility>

#include <fmt/format.h>
#include <limequat/partition.hpp>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "lattice/region_text.hpp"
#include "lattice/runs.hpp"
#include "storage/subfiles.hpp"

namespace lq {

namespace {

constexpr std::uint64_t most_parts = std::uint64_t{1} << 20;

lattice::Index extents_of_array(const FileArray& array) {
  lattice::Index extents;
  if (array.extents.empty() || array.extents.size() > static_cast<std::size_t>(lattice::max_axes)) {
    base::fail(Code::invalid_argument, {}, "an array of a file has {} axes, expected 1 to {}", array.extents.size(),
               lattice::max_axes);
  }
  extents = lattice::Index::filled(static_cast<int>(array.extents.size()), 1);
  for (int axis = 0; axis < extents.size(); ++axis) extents[axis] = array.extents[static_cast<std::size_t>(axis)];
  return extents;
}

lattice::Index coordinates_of(std::uint64_t element, const FileArray& array) {
  auto x = lattice::Index::filled(static_cast<int>(array.extents.size()), 0);
  for (int axis = 0; axis < x.size(); ++axis) {
    const auto extent = static_cast<std::uint64_t>(array.extents[static_cast<std::size_t>(axis)]);
    x[axis] = static_cast<std::int64_t>(element % extent);
    element /= extent;
  }
  return x;
}

// The last division, or an earlier one, which is then the last of a shorter partition.
[[noreturn]] void refuse_last_cut(const Partition& partition, const Error& error) {
  std::vector<AxisCut> before = partition.cuts();
  if (before.empty()) throw error;
  before.pop_back();
  const std::string text = partition.text();
  const std::size_t begin = before.empty() ? 0 : Partition(partition.array(), before).text().size() + 1;
  base::fail(error.code(), {},
             "partition \"{}\": the division \"{}\" does not fit the previous ones ({}). Give it a unit that divides, "
             "or is a multiple of, the units of its axis; the same holds for the unit times the parts",
             text, text.substr(begin), error.what());
}

}  // namespace

std::uint64_t FileArray::elements() const {
  std::uint64_t elements = 1;
  for (const std::int64_t extent : extents) {
    elements = base::multiply_or_throw(elements, static_cast<std::uint64_t>(extent), "the elements of a file");
  }
  return elements;
}

namespace storage {

lattice::Distribution distribution_of(const FileArray& array, const std::vector<AxisCut>& cuts) {
  lattice::Distribution distribution(extents_of_array(array));
  for (const AxisCut& cut : cuts) {
    if (cut.unit == 0) {
      distribution.cut_into_blocks(cut.axis, cut.parts);
    } else {
      distribution.cut_cyclically(cut.axis, cut.unit, cut.parts);
    }
  }
  for (int axis = 0; axis < distribution.axes(); ++axis) distribution.append_axis(axis);
  return distribution;
}

lattice::Part whole_of(const FileArray& array) { return distribution_of(array, {}).part(0); }

}  // namespace storage

Partition::Partition(FileArray array, std::vector<AxisCut> cuts) : array_(std::move(array)), cuts_(std::move(cuts)) {
  const lattice::Distribution distribution = storage::distribution_of(array_, cuts_);
  const std::uint64_t bytes = base::multiply_or_throw(array_.elements(), array_.element_bytes, "the bytes of an array");
  const std::uint64_t end = base::add_or_throw(array_.begin, bytes, "the end of an array");
  if (array_.element_bytes == 0) throw Error(Code::invalid_argument, "elements of 0 bytes, expected at least 1");
  if (end >> 63 != 0) throw Error(Code::too_large, "an array that ends beyond 2^63 bytes");
  parts_ = distribution.parts();
  if (parts_ > most_parts) {
    base::fail(Code::too_large, {}, "a partition of {} parts; at most {} are possible", parts_, most_parts);
  }
  // Whether units fit depends on where the blocks of a part begin.
  try {
    for (std::uint64_t part = 0; part < parts_; ++part) (void)distribution.part(part);
  } catch (const Error& error) {
    refuse_last_cut(*this, error);
  }
}

std::uint64_t Partition::elements(std::uint64_t part) const {
  return storage::distribution_of(array_, cuts_).positions(part);
}

PartPlace Partition::place_of(std::uint64_t element) const {
  if (element >= array_.elements()) {
    base::fail(Code::invalid_argument, {}, "element {} does not exist; there are {}", element, array_.elements());
  }
  const lattice::Place place = storage::distribution_of(array_, cuts_).place_of(coordinates_of(element, array_));
  return {place.part, static_cast<std::uint64_t>(place.position)};
}

std::uint64_t Partition::element_at(const PartPlace& place) const {
  const std::uint64_t there = elements(place.part);
  if (place.position >= there) {
    base::fail(Code::invalid_argument, {}, "part {} has no element {}; it has {}", place.part, place.position, there);
  }
  const lattice::Part part = storage::distribution_of(array_, cuts_).part(place.part);
  const lattice::Part whole = storage::whole_of(array_);
  const std::array<const lattice::Part*, 2> both{&part, &whole};
  lattice::Runs runs(both, lattice::Runs::Lead::contiguous);
  const auto position = static_cast<std::int64_t>(place.position);
  runs.seek(position);
  lattice::SpacedRun run;
  runs.next(run);
  return static_cast<std::uint64_t>(run.position[1] + (position - run.position[0]) * run.stride[1]);
}

// Partitions as texts: "t=block:4,x=cyclic:2:8", "whole".

namespace {

using lattice::axis_of;
using lattice::take_until;

constexpr std::string_view whole_text = "whole", axis_letters = "xyzt";

[[noreturn]] void refuse_cut(std::string_view cut) {
  base::fail(Code::invalid_argument, {},
             "partition: \"{}\" is not a division; expected AXIS=block:PARTS or AXIS=cyclic:PARTS[:UNIT] with AXIS one "
             "of x, y, z, t or a number from 0, as in \"t=block:4,x=cyclic:2\", or \"whole\"",
             base::printable(cut));
}

AxisCut cut_of(std::string_view text) {
  std::string_view rest = text;
  const std::string_view axis_name = take_until(rest, '=');
  const std::string_view kind = take_until(rest, ':');
  const auto axis = axis_of(axis_name);
  const bool has_unit = rest.find(':') != std::string_view::npos;
  const auto parts = base::parse_u64(take_until(rest, ':'));
  const auto unit = has_unit ? base::parse_u64(rest) : 1;
  const bool is_block = kind == "block";
  if (!axis || !parts || !unit || *parts == 0 || *unit == 0 || (is_block ? has_unit : kind != "cyclic"))
    refuse_cut(text);
  return {*axis, *parts, is_block ? 0 : *unit};
}

}  // namespace

std::vector<AxisCut> storage::cuts_of(std::string_view text) {
  std::vector<AxisCut> cuts;
  if (text.empty() || text.back() == ',') refuse_cut(text);
  if (text != whole_text) {
    for (std::string_view rest = text; !rest.empty();) cuts.push_back(cut_of(take_until(rest, ',')));
  }
  return cuts;
}

Partition Partition::parse(FileArray array, std::string_view text) {
  return Partition(std::move(array), storage::cuts_of(text));
}

std::string Partition::text() const {
  std::string text;
  for (const AxisCut& cut : cuts_) {
    if (!text.empty()) text += ',';
    const auto axis = static_cast<std::size_t>(cut.axis);
    text += axis < axis_letters.size() ? std::string(1, axis_letters[axis]) : fmt::format("{}", axis);
    text += fmt::format("={}:{}", cut.unit == 0 ? "block" : "cyclic", cut.parts);
    if (cut.unit > 1) text += fmt::format(":{}", cut.unit);
  }
  return text.empty() ? std::string(whole_text) : text;
}

}  // namespace lq
