// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "format/raw/raw_format.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "base/error.hpp"
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

// For the numbers of a site, slowest first, as in memory.
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
  base::fail(
      Code::malformed, {.expected = natural_order(spec), .found = base::printable(order, 200)},
      "order = {}: each axis of a {} field is named once, slowest first, the lattice axes next to each other: {}",
      base::printable(order, 200), lq::name(spec.kind), natural_order(spec));
}

// An axis of the file: its extent, its stride in memory, and whether its links begin with t.
struct FileAxis {
  std::uint64_t extent, stride;
  bool from_t;
};

// The memory index of number k of the site in the file.
std::uint64_t in_memory(const std::vector<FileAxis>& laid, std::uint64_t k) {
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

void order_axes(Payload& payload, std::string_view order, int file) {
  if (payload.spec.numbers > most_site_numbers) {
    base::fail(Code::unsupported, {}, "sites of {} numbers: raw files have up to {}", payload.spec.numbers,
               most_site_numbers);
  }
  const std::vector<Axis> axes = axes_of(payload.spec);
  const std::vector<std::string_view> words = base::split_words(order);
  SiteOrder sites;
  std::vector<FileAxis> laid;
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

namespace {

constexpr std::uint64_t most_colors = 64;

// Layouts of programs (formats/raw.md 4).
struct Preset {
  std::string_view name;
  FieldKind kind;
  std::string_view order;
  ByteOrder byte_order;
  std::optional<Precision> precision;  // nothing: either
  std::string_view basis;
  std::uint64_t spins = 4;  // if the text does not state them
  bool is_text = false;
};

constexpr std::array<Preset, 5> presets{
    {{"bridge++", FieldKind::gauge, "t z y x mu row column reim", ByteOrder::big, {}, ""},
     {"bridge++-text", FieldKind::gauge, "t z y x mu row column reim", ByteOrder::big, {}, "", 4, true},
     {"kyu", FieldKind::propagator, "source_spin source_color reim sink_spin sink_color t z y x", ByteOrder::big,
      Precision::double_, "Dirac-Pauli"},
     {"xqcd", FieldKind::propagator, "source_spin source_color t z y x sink_spin sink_color reim", ByteOrder::little,
      Precision::single, "Dirac-Pauli"},
     {"xqcd-staggered", FieldKind::propagator, "source_spin source_color t z y x sink_spin sink_color reim",
      ByteOrder::little, Precision::single, "", 1}}};

std::string preset_names() {
  std::string text;
  for (const Preset& preset : presets) text += fmt::format("{}{}", text.empty() ? "" : ", ", preset.name);
  return text;
}

const Preset* preset_named(std::string_view name) {
  const auto found = std::ranges::find(presets, name, &Preset::name);
  return found == presets.end() ? nullptr : &*found;
}

[[noreturn]] void refuse_line(std::string_view key, std::string_view value, const std::string& expected) {
  base::fail(Code::malformed, {.expected = expected, .found = base::printable(value)}, "{} = {}: expected {}", key,
             base::printable(value), expected);
}

std::uint64_t whole_number(const flat::TextHeader& header, std::string_view key, std::uint64_t usual,
                           std::uint64_t least, std::uint64_t most) {
  const auto value = header.find(key);
  if (!value) return usual;
  const auto number = base::parse_u64(*value);
  if (!number || *number < least || *number > most) refuse_line(key, *value, fmt::format("{} to {}", least, most));
  return *number;
}

template <class Value, std::size_t count>
Value one_of(std::string_view key, std::string_view value,
             const std::array<std::pair<std::string_view, Value>, count>& values) {
  std::string names;
  for (const auto& [name, meaning] : values) {
    if (name == value) return meaning;
    names += fmt::format("{}{}", names.empty() ? "" : " or ", name);
  }
  refuse_line(key, value, names);
}

Precision precision_in(const flat::TextHeader& header) {
  constexpr std::array<std::pair<std::string_view, Precision>, 2> values{
      {{"single", Precision::single}, {"double", Precision::double_}}};
  return one_of("precision", header.require("precision"), values);
}

ByteOrder byte_order_in(const flat::TextHeader& header) {
  constexpr std::array<std::pair<std::string_view, ByteOrder>, 2> values{
      {{"big", ByteOrder::big}, {"little", ByteOrder::little}}};
  return one_of("byte_order", header.require("byte_order"), values);
}

bool is_text_in(const flat::TextHeader& header) {
  constexpr std::array<std::pair<std::string_view, bool>, 2> values{{{"text", true}, {"bytes", false}}};
  return one_of("numbers", header.find("numbers").value_or("bytes"), values);
}

FieldSpec spec_in(const flat::TextHeader& header, FieldKind kind, Precision precision, std::uint64_t usual_spins = 4) {
  const auto colors = static_cast<int>(whole_number(header, "colors", 3, 2, most_colors));
  const auto spins = static_cast<int>(whole_number(header, "spins", usual_spins, 1, most_colors));
  const auto n = static_cast<std::uint64_t>(colors), s = static_cast<std::uint64_t>(spins);
  FieldSpec spec;
  switch (kind) {
    case FieldKind::gauge:
      spec = gauge_spec(precision, colors, 4);
      spec.numbers = 8 * n * n;
      return spec;
    case FieldKind::spinor:
      spec = spinor_spec(precision, colors, spins);
      spec.numbers = 2 * s * n;
      return spec;
    case FieldKind::propagator:
      spec = propagator_spec(precision, colors, spins);
      spec.numbers = 2 * s * s * n * n;
      return spec;
    case FieldKind::generic:
      break;
  }
  constexpr std::array<std::pair<std::string_view, bool>, 2> values{{{"yes", true}, {"no", false}}};
  const bool is_complex = one_of("complex", header.find("complex").value_or("no"), values);
  const std::uint64_t numbers = whole_number(header, "components", 1, 1, most_site_numbers / 2) * (is_complex ? 2 : 1);
  return generic_spec(precision, numbers, is_complex);
}

FieldKind kind_in(const flat::TextHeader& header) {
  constexpr std::array<std::pair<std::string_view, FieldKind>, 4> values{{{"gauge", FieldKind::gauge},
                                                                          {"spinor", FieldKind::spinor},
                                                                          {"propagator", FieldKind::propagator},
                                                                          {"generic", FieldKind::generic}}};
  return one_of("kind", header.require("kind"), values);
}

Extents lattice_in(const flat::TextHeader& header) {
  const std::string_view value = header.require("lattice");
  Extents extents;
  try {
    extents = parse_extents(value);
  } catch (const Error&) {
    refuse_line("lattice", value, "extents x, y, z, t such as 16x16x16x32");
  }
  if (extents.size() != 4) refuse_line("lattice", value, "four extents, x, y, z, t, such as 16x16x16x32");
  return extents;
}

void require_known_lines(const flat::TextHeader& header) {
  static const std::vector<std::string> known{"data",       "lattice",  "kind",      "colors",     "spins",
                                              "components", "complex",  "precision", "layout",     "order",
                                              "offset",     "checksum", "basis",     "byte_order", "numbers"};
  for (const flat::HeaderLine& line : header.lines) {
    if (line.key.empty() || std::ranges::find(known, line.key) != known.end()) continue;
    const auto near = base::nearest(line.key, known);
    base::fail(Code::malformed, {}, "unknown line \"{}\" in the description{}", base::printable(line.key),
               near ? fmt::format("; did you mean \"{}\"?", *near) : "");
  }
}

}  // namespace

Description understand(const flat::TextHeader& header) {
  require_known_lines(header);
  Description description{.data = std::string(header.find("data").value_or("")), .payload = {}};
  Payload& payload = description.payload;
  payload.extents = lattice_in(header);
  payload.offset = whole_number(header, "offset", 0, 0, std::uint64_t{1} << 62);
  std::string order;
  if (const auto layout = header.find("layout")) {
    const Preset* const preset = preset_named(*layout);
    if (preset == nullptr) refuse_line("layout", *layout, preset_names());
    order = preset->order;
    payload.spec =
        spec_in(header, preset->kind, preset->precision ? *preset->precision : precision_in(header), preset->spins);
    payload.byte_order = preset->byte_order;
    description.is_text = preset->is_text;
    description.basis = preset->basis;
  } else {
    payload.spec = spec_in(header, kind_in(header), precision_in(header));
    description.is_text = is_text_in(header);
    if (!description.is_text) payload.byte_order = byte_order_in(header);
    order = header.find("order").value_or("");
    if (order.empty()) order = natural_order(payload.spec);
  }
  if (const auto basis = header.find("basis")) description.basis = *basis;
  order_axes(payload, order, 1);
  return description;
}

Ordering ordering_of(std::string_view layout, const FieldSpec& spec) {
  if (layout.empty()) return {natural_order(spec)};
  if (const Preset* const preset = preset_named(layout)) {
    if (preset->kind != spec.kind) {
      base::fail(Code::unsupported, {}, "the layout {} is one of {} fields, not of a {} field", layout,
                 lq::name(preset->kind), lq::name(spec.kind));
    }
    if (preset->precision && *preset->precision != spec.precision) {
      base::fail(Code::unsupported, {}, "the layout {} has numbers in {} precision; set options.precision = {}", layout,
                 lq::name(*preset->precision), lq::name(*preset->precision));
    }
    return {std::string(preset->order), preset->byte_order, preset->is_text};
  }
  const std::vector<std::string_view> words = base::split_words(layout);
  const std::string_view first = words.empty() ? "" : words.front();
  const bool names_numbers = first == "little" || first == "big" || first == "text";
  std::string order;
  for (std::size_t w = names_numbers ? 1 : 0; w < words.size(); ++w) {
    order += fmt::format("{}{}", order.empty() ? "" : " ", words[w]);
  }
  if (order.empty()) order = natural_order(spec);
  return {order, first == "little" ? ByteOrder::little : ByteOrder::big, first == "text"};
}

}  // namespace lq::format::raw
