// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/stated_observables.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "base/text.hpp"
#include "base/text_facts.hpp"
#include "io/nature.hpp"

namespace lq::io {
namespace {

using Names = std::span<const std::string_view>;

// As spelt without case, spaces and punctuation. Short names with other meanings, such as t0 and Q, are none of them.
constexpr std::string_view polyakov_names[] = {"polyakovloop", "polyakov", "ploop", "polyakovlinetrace"};
constexpr std::string_view charge_names[] = {"topologicalcharge", "topcharge", "qtop"};
constexpr std::string_view t0_names[] = {"flowt0", "t0overa2", "t0a2", "wilsonflowt0", "gradientflowt0"};
constexpr std::string_view w0_names[] = {"floww0", "w0overa", "w0a", "wilsonfloww0", "gradientfloww0"};
constexpr std::string_view anisotropy_names[] = {
    "anisotropy", "xi", "xi0", "baregaugeanisotropy", "bareanisotropy", "anisotropyfactor", "xig", "xir"};

std::string bare_name(std::string_view name) {
  std::string bare;
  for (const char c : name) {
    if (c >= 'A' && c <= 'Z') bare += static_cast<char>(c - 'A' + 'a');
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) bare += c;
  }
  return bare;
}

const base::Property* find_property(const std::vector<base::Property>& properties, Names names) {
  const auto is_named = [&](const base::Property& property) {
    return std::ranges::find(names, bare_name(property.key)) != names.end();
  };
  const auto found = std::ranges::find_if(properties, is_named);
  return found == properties.end() ? nullptr : &*found;
}

// "0.1", "(0.1, 0.2)", "0.1 0.2": one or two numbers; nothing where there is anything else.
std::vector<double> numbers_in(std::string_view text) {
  std::vector<double> numbers;
  constexpr std::string_view separators = " \t,;()";
  while (true) {
    const std::size_t begin = text.find_first_not_of(separators);
    if (begin == std::string_view::npos) return numbers;
    text.remove_prefix(begin);
    const std::size_t end = std::min(text.find_first_of(separators), text.size());
    const auto number = base::parse_double(text.substr(0, end));
    if (!number || !std::isfinite(*number) || numbers.size() == 2) return {};
    numbers.push_back(*number);
    text.remove_prefix(end);
  }
}

std::string shown(const base::Property& property) {
  return fmt::format("{} = {}", base::printable(property.key), base::printable(property.value));
}

// The sum of colours in place of their average, and the other way round.
std::string normalisation(double stated, double measured, int colors, double tolerance) {
  for (const double factor : {static_cast<double>(colors), 1.0 / colors}) {
    if (std::abs(measured) > 10 * tolerance && std::abs(stated - factor * measured) <= factor * tolerance) {
      return "in another normalisation";
    }
  }
  return {};
}

ComparedObservable compare_polyakov(const base::Property& property, std::span<const double> stated,
                                    const std::complex<double>& measured, const FieldSpec& spec) {
  const double tolerance = tolerance_of(stated.front(), spec.precision);
  ComparedObservable result{"Polyakov loop", shown(property),
                            fmt::format("{:.12g} {:+.12g} i", measured.real(), measured.imag())};
  // Programs differ in the direction of links, which changes the sign of the imaginary part.
  const bool has_imaginary = stated.size() > 1;
  const bool is_real = std::abs(stated.front() - measured.real()) <= tolerance;
  const bool is_imaginary = !has_imaginary || std::abs(std::abs(stated[1]) - std::abs(measured.imag())) <=
                                                  tolerance_of(stated[1], spec.precision);
  const bool is_size = !has_imaginary && std::abs(stated.front() - std::abs(measured)) <= tolerance;
  result.agrees = (is_real && is_imaginary) || is_size;
  if (!result.agrees) result.remark = normalisation(stated.front(), measured.real(), spec.colors, tolerance);
  return result;
}

// At which flow time it was measured is not said.
ComparedObservable compare_charge(const base::Property& property, double stated, const Observables& measured) {
  const FlowPoint& last = measured.flow.back();
  ComparedObservable result{"topological charge", shown(property),
                            measured.flow.size() == 1
                                ? fmt::format("{:.12g} without flow", *last.charge)
                                : fmt::format("{:.12g} without flow and {:.12g} at flow time {:g}", *measured.charge(),
                                              *last.charge, last.time)};
  const double tolerance = std::max(tolerance_of(stated, Precision::double_), 1e-8 * std::abs(stated));
  constexpr double near_integer = 0.3;  // discretisation effects of smooth fields
  const bool is_rounded =
      stated == std::round(stated) && measured.flow.size() > 1 && std::abs(*last.charge - stated) < near_integer;
  result.agrees = is_rounded || std::ranges::any_of(measured.flow, [&](const FlowPoint& point) {
                    return std::abs(*point.charge - stated) <= tolerance;
                  });
  if (!result.agrees) result.remark = "it may be that of another flow time, or of other smearing";
  return result;
}

// Of two definitions of the energy either.
ComparedObservable compare_scale(std::string name, const base::Property& property, double stated,
                                 const std::optional<double>& clover, const std::optional<double>& plaquette) {
  constexpr double relative = 2e-3;  // of the interpolation of other programs
  const auto is_near = [&](const std::optional<double>& value) {
    return value && std::abs(*value - stated) <= relative * std::abs(stated);
  };
  ComparedObservable result{std::move(name), shown(property), {}};
  if (clover) result.measured = fmt::format("{:.8g} of the clover", *clover);
  if (plaquette) {
    result.measured += fmt::format("{}{:.8g} of the plaquette", clover ? ", " : "", *plaquette);
  }
  result.agrees = is_near(clover) || is_near(plaquette);
  if (!result.agrees) result.remark = "it may be of another flow, or in other units";
  return result;
}

}  // namespace

std::vector<ComparedObservable> compare_observables(const Metadata& texts, const Observables& measured,
                                                    const FieldSpec& spec) {
  const std::vector<base::Property> properties = base::properties_of(texts);
  std::vector<ComparedObservable> compared;
  // compare(property, numbers) where the texts have numbers of that name.
  const auto with = [&](Names names, const auto& compare) {
    const base::Property* const property = find_property(properties, names);
    if (property == nullptr) return;
    const std::vector<double> numbers = numbers_in(property->value);
    if (!numbers.empty()) compared.push_back(compare(*property, numbers));
  };
  if (measured.polyakov_loop) {
    with(polyakov_names, [&](const base::Property& property, const std::vector<double>& stated) {
      return compare_polyakov(property, stated, *measured.polyakov_loop, spec);
    });
  }
  if (measured.charge()) {
    with(charge_names, [&](const base::Property& property, const std::vector<double>& stated) {
      return compare_charge(property, stated.front(), measured);
    });
  }
  if (measured.t0 || measured.t0_plaquette) {
    with(t0_names, [&](const base::Property& property, const std::vector<double>& stated) {
      return compare_scale("t0", property, stated.front(), measured.t0, measured.t0_plaquette);
    });
  }
  if (measured.w0 || measured.w0_plaquette) {
    with(w0_names, [&](const base::Property& property, const std::vector<double>& stated) {
      return compare_scale("w0", property, stated.front(), measured.w0, measured.w0_plaquette);
    });
  }
  return compared;
}

std::optional<std::string> stated_anisotropy(const Metadata& texts) {
  for (const base::Property& property : base::properties_of(texts)) {
    const std::string name = bare_name(property.key);
    if (name == "anisop" && bare_name(property.value) == "true") return shown(property);
    if (std::ranges::find(anisotropy_names, name) == std::end(anisotropy_names)) continue;
    const auto number = base::parse_double(property.value);
    if (number && *number != 1) return shown(property);
  }
  return std::nullopt;
}

}  // namespace lq::io
