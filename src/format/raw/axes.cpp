// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "format/raw/axes.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/text.hpp"
#include "format/flat/flat.hpp"

namespace lq::format::raw {
namespace {

constexpr std::string_view site_axes = "xyzt";
constexpr std::string_view links_from_t = "mu_txyz";

struct Axis {
  std::string_view name;
  std::uint64_t extent;
};

// Of the numbers of a site, slowest first, as in memory.
std::vector<Axis> axes_of(const FieldSpec& spec) {
  const auto colors = static_cast<std::uint64_t>(spec.colors), spins = static_cast<std::uint64_t>(spec.spins);
  switch (spec.kind) {
    case FieldKind::gauge:
      return {{"mu", 4}, {"row", colors}, {"column", colors}, {"reim", 2}};
    case FieldKind::spinor:
      return {{"spin", spins}, {"color", colors}, {"reim", 2}};
    case FieldKind::propagator:
      return {
          {"sink_spin", spins}, {"source_spin", spins}, {"sink_color", colors}, {"source_color", colors}, {"reim", 2}};
    case FieldKind::generic:
      break;
  }
  if (spec.is_complex) return {{"component", spec.numbers / 2}, {"reim", 2}};
  return {{"component", spec.numbers}};
}

bool is_site_axis(std::string_view word) { return word.size() == 1 && site_axes.find(word) != std::string_view::npos; }

[[noreturn]] void refuse_order(std::string_view order, const FieldSpec& spec) {
  throw Error(
      Code::malformed,
      fmt::format(
          "order = {}: each axis of a {} field is named once, slowest first, the lattice axes next to each other: {}",
          base::printable(order, 200), lq::name(spec.kind), natural_order(spec)),
      {.expected = natural_order(spec), .found = base::printable(order, 200)});
}

// An axis of the file: its extent, its stride in memory, and whether its links begin with t.
struct Laid {
  std::uint64_t extent, stride;
  bool from_t;
};

// Number k of the site in the file is this one in memory.
std::uint64_t in_memory(const std::vector<Laid>& laid, std::uint64_t k) {
  std::uint64_t number = 0;
  for (auto axis = laid.rbegin(); axis != laid.rend(); ++axis) {
    const std::uint64_t digit = k % axis->extent;
    number += (axis->from_t ? (digit + 3) % 4 : digit) * axis->stride;
    k /= axis->extent;
  }
  return number;
}

}  // namespace

std::string natural_order(const FieldSpec& spec) {
  std::string order = "t z y x";
  for (const Axis& axis : axes_of(spec)) order += fmt::format(" {}", axis.name);
  return order;
}

void lay(Payload& payload, std::string_view order, int file) {
  if (payload.spec.numbers > most_site_numbers) {
    throw Error(Code::unsupported,
                fmt::format("sites of {} numbers: raw files have up to {}", payload.spec.numbers, most_site_numbers));
  }
  const std::vector<Axis> axes = axes_of(payload.spec);
  const std::vector<std::string_view> words = base::split_words(order);
  SiteOrder sites;
  std::vector<Laid> laid;
  std::vector<bool> is_named(axes.size());
  std::uint64_t arrays = 1, named = 0;
  for (std::size_t w = 0; w < words.size(); ++w) {
    if (is_site_axis(words[w])) {
      const bool goes_on = sites.empty() || is_site_axis(words[w - 1]);
      const int d = static_cast<int>(site_axes.find(words[w]));
      if (!goes_on || std::ranges::find(sites, d) != sites.end()) refuse_order(order, payload.spec);
      sites.insert(sites.begin(), d);
      continue;
    }
    const bool from_t = words[w] == links_from_t;
    const auto axis = std::ranges::find(axes, from_t ? "mu" : words[w], &Axis::name);
    if (axis == axes.end() || is_named[static_cast<std::size_t>(axis - axes.begin())]) {
      refuse_order(order, payload.spec);
    }
    is_named[static_cast<std::size_t>(axis - axes.begin())] = true;
    ++named;
    std::uint64_t stride = 1;
    for (auto faster = axis + 1; faster != axes.end(); ++faster) stride *= faster->extent;
    laid.push_back({axis->extent, stride, from_t});
    if (sites.empty()) arrays *= axis->extent;
  }
  if (sites.size() != site_axes.size() || named != axes.size()) refuse_order(order, payload.spec);

  payload.order = sites;
  std::vector<std::uint32_t> numbers(static_cast<std::size_t>(payload.spec.numbers));
  for (std::size_t k = 0; k < numbers.size(); ++k) numbers[k] = static_cast<std::uint32_t>(in_memory(laid, k));
  std::vector<std::uint32_t> as_in_memory(numbers.size());
  std::iota(as_in_memory.begin(), as_in_memory.end(), 0U);
  if (numbers != as_in_memory) payload.codec.order = std::move(numbers);
  flat::set_length(payload);
  payload.file = file;
  if (arrays == 1) return;
  payload.arrays = arrays;
  payload.tile_sites = payload.stored.volume();
  const std::uint64_t bytes = payload.length / arrays;
  for (std::uint64_t k = 0; k < arrays; ++k) payload.tiles.push_back({file, payload.offset + k * bytes, bytes});
}

}  // namespace lq::format::raw
