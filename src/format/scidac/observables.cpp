// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// These are other people's texts: what cannot be read is not there.
#include "format/scidac/observables.hpp"

#include <limequat/error.hpp>

#include "base/text.hpp"
#include "base/xml.hpp"
#include "format/scidac/record_types.hpp"

namespace lq::format::scidac {
namespace {

// "plaquette = 0.5862": the first number behind `key` and an equals sign.
std::optional<double> number_behind(std::string_view text, std::string_view key) {
  const std::size_t at = text.find(key);
  if (at == std::string_view::npos) return {};
  text = base::trim(text.substr(at + key.size()));
  if (!text.starts_with('=')) return {};
  text = base::trim(text.substr(1));
  return base::parse_double(text.substr(0, text.find_first_of(" ,\t\r\n")));
}

std::optional<double> number_in(const base::xml::Element& root, std::string_view name) {
  const auto text = root.text_of(name);
  return text ? base::parse_double(*text) : std::nullopt;
}

struct Names {
  std::string_view type, plaquette, link_trace;
};
constexpr Names known[] = {
    {type::xlf_info, "plaquette", "link_trace"},
    {type::record_xml, "plaq", "linktr"},        // usqcdInfo
    {"grid-format", "plaquette", "link_trace"},  // FieldMetaData
};

void read_text(Observables& found, const Names& names, std::string_view text) {
  std::optional<double> plaquette, link_trace;
  if (base::trim(text).starts_with('<')) {
    try {
      const base::xml::Element root = base::xml::parse(text);
      plaquette = number_in(root, names.plaquette);
      link_trace = number_in(root, names.link_trace);
    } catch (const Error&) {
      return;
    }
  } else {
    plaquette = number_behind(text, names.plaquette);
    link_trace = number_behind(text, names.link_trace);
  }
  if (!found.plaquette) found.plaquette = plaquette;
  if (!found.link_trace) found.link_trace = link_trace;
}

}  // namespace

Observables find_observables(const Metadata& metadata) {
  Observables found;
  for (const Names& names : known) {
    for (const auto& [key, text] : metadata) {
      if (key == names.type) read_text(found, names, text);
    }
  }
  return found;
}

}  // namespace lq::format::scidac
