// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "format/raw/description.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/text.hpp"
#include "format/raw/axes.hpp"

namespace lq::format::raw {
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
  std::uint64_t spins = 4;  // where the text does not say them
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
  throw Error(Code::malformed, fmt::format("{} = {}: expected {}", key, base::printable(value), expected),
              {.expected = expected, .found = base::printable(value)});
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
    throw Error(Code::malformed, fmt::format("there is no line \"{}\" in descriptions{}", base::printable(line.key),
                                             near ? fmt::format("; did you mean \"{}\"?", *near) : ""));
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
  lay(payload, order, 1);
  return description;
}

Ordering ordering_of(std::string_view layout, const FieldSpec& spec) {
  if (layout.empty()) return {natural_order(spec)};
  if (const Preset* const preset = preset_named(layout)) {
    if (preset->kind != spec.kind) {
      throw Error(Code::unsupported, fmt::format("the layout {} is one of {} fields, not of a {} field", layout,
                                                 lq::name(preset->kind), lq::name(spec.kind)));
    }
    if (preset->precision && *preset->precision != spec.precision) {
      throw Error(Code::unsupported,
                  fmt::format("the layout {} has numbers in {} precision; ask for it (option `precision`)", layout,
                              lq::name(*preset->precision)));
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
