// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "format/modes/set.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <type_traits>

#include <fmt/format.h>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "base/xml.hpp"
#include "format/format.hpp"
#include "format/record_texts.hpp"

namespace lq {
namespace modes {

std::string_view name(Storage storage) noexcept {
  return storage == Storage::fixed16 ? "fixed16" : storage == Storage::single ? "single" : "double";
}

std::string_view name(Parity parity) noexcept {
  return parity == Parity::both ? "both" : parity == Parity::even ? "even" : "odd";
}

Storage parse_storage(std::string_view text) {
  for (const Storage storage : {Storage::double_, Storage::single, Storage::fixed16}) {
    if (text == name(storage)) return storage;
  }
  base::fail(Code::invalid_argument, {.expected = "double, single, fixed16", .found = base::printable(text)},
             "\"{}\" is not a number format of modes; choose double, single or fixed16", base::printable(text));
}

Extents Description::sites() const {
  Extents extents = lattice;
  if (parity != Parity::both && extents.size() > 0) extents[0] /= 2;
  return extents;
}

FieldSpec Description::field() const {
  FieldSpec spec = site;
  spec.precision = storage == Storage::double_ ? Precision::double_ : Precision::single;
  if (ls > 1) {
    spec = generic_spec(spec.precision,
                        base::multiply_or_throw(site.numbers, static_cast<std::uint64_t>(ls), "the numbers of a site"),
                        site.is_complex);
  }
  return spec;
}

Extents Description::blocks() const {
  Extents extents = sites();
  for (int d = 0; d < extents.size() && d < coherence.block.size(); ++d) {
    extents[d] /= std::max<std::int64_t>(coherence.block[d], 1);
  }
  return extents;
}

FieldSpec Description::coefficients() const {
  return generic_spec(field().precision, base::multiply_or_throw(coherence.basis, 2, "the coefficients of a block"),
                      true);
}

}  // namespace modes

namespace format::modes {

namespace {

using base::xml::Element;
using lq::modes::Parameter;
using lq::modes::Parity;
using lq::modes::Storage;
using lq::modes::Value;

constexpr std::string_view root_name = "limequatModes";
constexpr std::array<std::string_view, 4> type_names{"integer", "real", "complex", "text"};
constexpr std::string_view eigenvalue_name = "eigenvalue", residual_name = "residual", error_name = "error";
constexpr std::uint64_t largest_site = std::uint64_t{1} << 32;  // numbers
constexpr std::string_view sum_element = "<fnv1a>";

[[noreturn]] void refuse(const std::string& what) { throw Error(Code::invalid_argument, "a set of modes: " + what); }

[[noreturn]] void fail(std::string_view name, std::string_view found, const std::string& expected) {
  const std::string shown = base::printable(found);
  base::fail(Code::malformed, {.expected = expected, .found = shown}, "<{}> is \"{}\", expected {}", name, shown,
             expected);
}

void require_text(std::string_view text, std::string_view what) {
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  const bool is_trimmed = base::trim(text) == text;
  if (std::ranges::none_of(text, is_control) && is_trimmed) return;
  refuse(fmt::format("{} \"{}\" has control characters, or blanks at an end", what, base::printable(text)));
}

// The shortest text that reads back as the same number.
std::string real_text(double number) { return fmt::format("{}", number); }
std::string complex_text(std::complex<double> number) { return fmt::format("{} {}", number.real(), number.imag()); }

std::optional<std::complex<double>> parse_complex(std::string_view text) {
  const auto words = base::split_words(text);
  if (words.empty() || words.size() > 2) return std::nullopt;
  const auto re = base::parse_double(words[0]), im = words.size() == 2 ? base::parse_double(words[1]) : 0.0;
  if (!re || !im) return std::nullopt;
  return std::complex<double>(*re, *im);
}

std::string text_of(const Value& value) {
  return std::visit(
      [](const auto& held) -> std::string {
        using Held = std::remove_cvref_t<decltype(held)>;
        if constexpr (std::is_same_v<Held, std::string>) {
          return held;
        } else if constexpr (std::is_same_v<Held, double>) {
          return real_text(held);
        } else if constexpr (std::is_same_v<Held, std::complex<double>>) {
          return complex_text(held);
        } else {
          return fmt::format("{}", held);
        }
      },
      value);
}

Value decode_value(std::string_view type, std::string_view text) {
  if (type == "text") return std::string(text);
  if (type == "integer") {
    std::int64_t number = 0;
    const auto end = std::from_chars(text.data(), text.data() + text.size(), number);
    if (end.ec != std::errc() || end.ptr != text.data() + text.size()) fail("value", text, "an integer");
    return number;
  }
  if (type == "real") {
    const auto number = base::parse_double(text);
    if (!number) fail("value", text, "a number");
    return *number;
  }
  if (type != "complex") fail("type", type, "integer, real, complex or text");
  const auto number = parse_complex(text);
  if (!number) fail("value", text, "two numbers");
  return *number;
}

std::string_view required_text(const Element& parent, std::string_view name) {
  const auto text = parent.text_of(name);
  if (!text) base::fail(Code::malformed, {}, "<{}> is missing in <{}>", name, base::printable(parent.name));
  return *text;
}

int required_int(const Element& parent, std::string_view name) {
  const std::uint64_t number = required_number(parent, name);
  if (number > 1'000'000) fail(name, fmt::format("{}", number), "less than a million");
  return static_cast<int>(number);
}

template <class Kind>
Kind required_name(const Element& parent, std::string_view element, std::initializer_list<Kind> kinds) {
  const std::string_view found = required_text(parent, element);
  std::string known;
  for (const Kind kind : kinds) {
    const std::string_view one = name(kind);
    if (one == found) return kind;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", one);
  }
  fail(element, found, known);
}

// If colours and spins determine it; 0: any number.
std::uint64_t numbers_of(const FieldSpec& site) {
  const auto colors = static_cast<std::uint64_t>(std::max(site.colors, 0));
  const std::uint64_t components = colors * static_cast<std::uint64_t>(std::max(site.spins, 0));
  if (site.kind == FieldKind::spinor) return 2 * components;
  return site.kind == FieldKind::propagator ? 2 * components * components : 0;
}

void check_coherence(const Description& description) {
  const auto& [basis, block, tolerance] = description.coherence;
  const Extents sites = description.sites();
  constexpr std::uint64_t most = 1 << 20;
  if (basis > most) refuse(fmt::format("a basis of {} modes, expected at most {}", basis, most));
  if (!description.site.is_complex) refuse("coefficients are complex, and so must be the vectors");
  if (!(tolerance >= 0 && tolerance < 1))
    refuse(fmt::format("the tolerance is {}, expected at least 0 and less than 1", tolerance));
  bool divides = block.size() == sites.size();
  for (int d = 0; divides && d < sites.size(); ++d) divides = block[d] >= 1 && sites[d] % block[d] == 0;
  if (divides) return;
  refuse(fmt::format("blocks of {} sites do not divide the lattice {} of the vectors",
                     block.size() == 0 ? "no" : to_string(block), to_string(sites)));
}

// Ends a document: the sum of everything before it (formats/modes.md 3.2).
std::string end_for(std::string_view before) {
  return fmt::format("{}{:016x}</fnv1a></{}>", sum_element, fnv1a(base::as_bytes(before)), root_name);
}

// What comes before such an end.
std::string_view summed(std::string_view document) {
  static const std::size_t end_bytes = end_for({}).size();
  return document.substr(0, document.size() - std::min(document.size(), end_bytes));
}

void require_sum(std::string_view document, std::string_view version) {
  const bool may_lack_it = version == "1.0" || version == "2.0";
  if (may_lack_it && !has_sum(document)) return;
  const std::string_view before = summed(document), end = document.substr(before.size());
  const std::string right = end_for(before);
  if (end == right) return;
  base::fail(Code::malformed, {.expected = right, .found = base::printable(end)},
             "the description is damaged: it ends with \"{}\", but its sum requires \"{}\"", base::printable(end),
             right);
}

}  // namespace

bool has_sum(std::string_view document) noexcept { return document.find(sum_element) != std::string_view::npos; }

std::optional<std::string> corrected(std::string_view document) {
  const std::string_view before = summed(document), end = document.substr(before.size());
  std::string right(before);
  const std::string of_these = end_for(before);
  std::size_t differ = 0;
  for (std::size_t i = 0; i < end.size() && end.size() == of_these.size(); ++i) differ += end[i] != of_these[i] ? 1 : 0;
  if (differ == 0) return std::nullopt;
  if (differ > 1) {
    std::uint64_t stated = 0;
    const std::string_view digits = end.substr(std::min(end.size(), sum_element.size()), 16);
    std::from_chars(digits.data(), digits.data() + digits.size(), stated, 16);
    const auto found = base::byte_for(base::as_bytes(before), stated);
    if (!found) return std::nullopt;
    right[found->at] = static_cast<char>(found->value);
    if (end != end_for(right)) return std::nullopt;
  }
  right += end_for(right);
  try {
    decode_description(right);
  } catch (const Error&) {
    return std::nullopt;
  }
  return right;
}

void check(const Description& description) {
  const Extents& lattice = description.lattice;
  if (lattice.size() < 1) refuse("the lattice has no dimensions");
  for (const std::int64_t extent : lattice) {
    if (extent < 1) refuse(fmt::format("the lattice {} has an extent below 1", to_string(lattice)));
  }
  if (description.parity != Parity::both && lattice[0] % 2 != 0) {
    refuse(fmt::format("the lattice {} has an odd extent in x, so its {} sites cannot be counted in pairs",
                       to_string(lattice), lq::modes::name(description.parity)));
  }
  if (description.ls < 1) refuse(fmt::format("Ls is {}, expected 1 or more", description.ls));
  if (description.site.numbers < 1 || description.site.numbers > largest_site) {
    refuse(fmt::format("{} numbers per site, expected 1 to {}", description.site.numbers, largest_site));
  }
  if (description.site.kind == FieldKind::gauge) refuse("links are not a vector; use spinor, propagator or generic");
  if (description.site.is_complex && description.site.numbers % 2 != 0) {
    refuse(fmt::format("{} real numbers per site cannot be complex numbers", description.site.numbers));
  }
  const std::uint64_t numbers = numbers_of(description.site);
  if (description.site.kind != FieldKind::generic &&
      (numbers != description.site.numbers || !description.site.is_complex)) {
    refuse(fmt::format("a {} of {} colors and {} spins has {} numbers per site, not {}", name(description.site.kind),
                       description.site.colors, description.site.spins, numbers, description.site.numbers));
  }
  constexpr std::size_t most_parameters = 1000;
  if (description.parameters.size() > most_parameters) {
    refuse(fmt::format("{} parameters, expected at most {}", description.parameters.size(), most_parameters));
  }
  if (description.room < 1 || description.room > (1U << 24)) {
    refuse(fmt::format("index capacity of {} modes, expected 1 to 16777216", description.room));
  }
  require_text(description.operator_name, "the name of the operator");
  for (const Parameter& parameter : description.parameters) {
    require_text(parameter.name, "the name of the parameter");
    if (parameter.name.empty()) refuse("a parameter has no name");
    if (const auto* text = std::get_if<std::string>(&parameter.value)) require_text(*text, "the text of a parameter");
  }
  base::multiply_or_throw(volume(description.sites()), payload_at(description, 0).site_bytes(), "the size of a vector");
  if (description.coherence.basis > 0) check_coherence(description);
}

std::string encode(const Description& description, bool sums) {
  using base::xml::element;
  const FieldSpec& site = description.site;
  std::string extents;
  for (const std::int64_t extent : description.lattice) extents += fmt::format("{} ", extent);
  std::string text = fmt::format("{}<{}>", xml_declaration, root_name);
  const lq::modes::Coherence& coherence = description.coherence;
  text +=
      element("version", fmt::format("{}.{}", coherence.basis > 0 ? 2 : 1, sums ? 1 : 0)) + element("lattice", extents);
  text += element("parity", lq::modes::name(description.parity)) + element("ls", fmt::format("{}", description.ls));
  text += element("kind", lq::name(site.kind)) + element("colors", fmt::format("{}", site.colors));
  text += element("spins", fmt::format("{}", site.spins)) + element("numbers", fmt::format("{}", site.numbers));
  text += element("complex", site.is_complex ? "1" : "0");
  text += element("storage", lq::modes::name(description.storage));
  text += element("operator", description.operator_name);
  if (coherence.basis > 0) {
    std::string block;
    for (const std::int64_t extent : coherence.block) block += fmt::format("{} ", extent);
    text += element("basis", fmt::format("{}", coherence.basis)) + element("block", block) +
            element("tolerance", real_text(coherence.tolerance));
  }
  for (const Parameter& parameter : description.parameters) {
    text += "<parameter>" + element("name", parameter.name) + element("type", type_names[parameter.value.index()]) +
            element("value", text_of(parameter.value)) + "</parameter>";
  }
  return text + (sums ? end_for(text) : fmt::format("</{}>", root_name));
}

Description decode_description(std::string_view document) {
  const Element root = parse_document(document, root_name);
  const std::string_view version = required_text(root, "version");
  if (!version.starts_with("1.") && !version.starts_with("2.")) fail("version", version, "1.x or 2.x");
  require_sum(document, version);
  Description description;
  description.lattice = required_coord(root, "lattice");
  check_extents(description.lattice, "lattice");
  description.parity = required_name(root, "parity", {Parity::both, Parity::even, Parity::odd});
  description.ls = required_int(root, "ls");
  FieldSpec& site = description.site;
  site.kind = required_name(root, "kind", {FieldKind::spinor, FieldKind::propagator, FieldKind::generic});
  site.colors = required_int(root, "colors");
  site.spins = required_int(root, "spins");
  site.numbers = required_number(root, "numbers");
  const std::uint64_t complex = required_number(root, "complex");
  if (complex > 1) fail("complex", fmt::format("{}", complex), "0 or 1");
  site.is_complex = complex == 1;
  description.storage = required_name(root, "storage", {Storage::double_, Storage::single, Storage::fixed16});
  site.precision = description.storage == Storage::double_ ? Precision::double_ : Precision::single;
  description.operator_name = root.text_of("operator").value_or("");
  if (version.starts_with("2.")) {
    description.coherence.basis = required_number(root, "basis");
    if (description.coherence.basis == 0) fail("basis", "0", "1 or more");
    description.coherence.block = required_coord(root, "block");
    const std::string_view tolerance = required_text(root, "tolerance");
    const auto number = base::parse_double(tolerance);
    if (!number) fail("tolerance", tolerance, "a number");
    description.coherence.tolerance = *number;
  }
  for (const Element& child : root.children) {
    if (child.name != "parameter") continue;
    description.parameters.push_back({std::string(required_text(child, "name")),
                                      decode_value(required_text(child, "type"), required_text(child, "value"))});
  }
  try {
    check(description);
  } catch (const Error& error) {
    throw Error(Code::malformed, error.what());
  }
  return description;
}

std::vector<std::string> unproven_texts(std::string_view document) {
  std::vector<std::string> texts;
  for (const Element& child : parse_document(document, root_name).children) {
    if (child.name == unproven_text) texts.emplace_back(child.text);
  }
  return texts;
}

std::string with_unproven(std::string_view document, std::string_view text) {
  const std::string_view end = has_sum(document) ? sum_element : "</limequatModes";
  const std::string marked =
      std::string(document.substr(0, document.rfind(end))) + base::xml::element(unproven_text, text);
  return marked + (has_sum(document) ? end_for(marked) : fmt::format("</{}>", root_name));
}

Payload payload_at(const Description& description, std::uint64_t offset, bool is_whole) {
  Payload payload;
  payload.spec = is_whole ? description.field() : description.coefficients();
  payload.extents = is_whole ? description.sites() : description.blocks();
  payload.stored = whole(payload.extents);
  payload.offset = offset;
  payload.codec.fixed16 = is_whole && description.storage == Storage::fixed16;
  payload.length = base::multiply_or_throw(volume(payload.extents), payload.site_bytes(), "the size of a vector");
  return payload;
}

std::uint64_t slices_of(const Description& description, bool is_whole) {
  const Extents sites = is_whole ? description.sites() : description.blocks();
  return static_cast<std::uint64_t>(sites[sites.size() - 1]);
}

Metadata texts_of(const Mode& mode) {
  const bool is_real = mode.eigenvalue.imag() == 0 && !std::signbit(mode.eigenvalue.imag());
  Metadata texts{
      {std::string(eigenvalue_name), is_real ? real_text(mode.eigenvalue.real()) : complex_text(mode.eigenvalue)}};
  if (mode.residual) texts.emplace_back(residual_name, real_text(*mode.residual));
  if (mode.error) texts.emplace_back(error_name, real_text(*mode.error));
  return texts;
}

Mode mode_of(const Metadata& texts) {
  Mode mode;
  for (const auto& [name, text] : texts) {
    const bool is_real = name == residual_name || name == error_name;
    if (!is_real && name != eigenvalue_name) continue;
    const auto number = is_real ? base::parse_double(base::trim(text)) : parse_complex(text);
    if (!number) {
      base::fail(Code::invalid_argument, {.found = base::printable(text)},
                 "the {} of a mode is \"{}\", expected a number{}", name, base::printable(text),
                 is_real ? "" : ", or two of them");
    }
    if (!is_real) {
      mode.eigenvalue = *number;
    } else {
      (name == residual_name ? mode.residual : mode.error) = number->real();
    }
  }
  return mode;
}

}  // namespace format::modes
}  // namespace lq
