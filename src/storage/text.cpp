// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Partitions as texts: "t=block:4,x=cyclic:2:8", "whole".
#include <limequat/partition.hpp>

#include <optional>
#include <utility>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/text.hpp"
#include "lattice/region_text.hpp"
#include "storage/cuts.hpp"

namespace lq {

namespace {

using lattice::axis_of;
using lattice::take_until;

constexpr std::string_view whole_text = "whole", axis_letters = "xyzt";

[[noreturn]] void refuse_cut(std::string_view cut) {
  throw Error(
      Code::invalid_argument,
      fmt::format("partition: \"{}\" is not a division; expected AXIS=block:PARTS or AXIS=cyclic:PARTS[:UNIT] with "
                  "AXIS one of x, y, z, t or a number from 0, as in \"t=block:4,x=cyclic:2\", or \"whole\"",
                  base::printable(cut)));
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
