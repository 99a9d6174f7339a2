// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "format/scidac/texts.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <limequat/error.hpp>
#include <limequat/version.hpp>

#include "base/text.hpp"
#include "base/xml.hpp"
#include "format/lime/header.hpp"
#include "format/lime/near_types.hpp"
#include "format/scidac/record_types.hpp"
#include "format/xml_fields.hpp"

namespace lq::format::scidac {
namespace {

using base::xml::element;

constexpr std::array<std::string_view, 3> pseudo_names{"plaquette", "link_trace", "date"};
constexpr std::array<std::string_view, 4> standard_names{type::file_xml, type::record_xml, type::ildg_data_lfn,
                                                         type::xlf_info};

// Grid's records that hold checksums and norms of the numbers as they are stored.
constexpr std::array<std::string_view, 2> names_of_numbers{"grid-format", "FieldNormMetaData"};

template <std::size_t N>
bool is_in(const std::array<std::string_view, N>& names, std::string_view name) noexcept {
  return std::ranges::find(names, name) != names.end();
}

[[noreturn]] void refuse(std::string_view name, const std::string& why) {
  const std::string shown = base::printable(name);
  throw Error(Code::invalid_argument, fmt::format("record \"{}\": {}", shown, why), {.record = shown});
}

std::string creator() { return fmt::format("limequat {}", version()); }

// The number under a pseudo name, or nothing.
std::optional<double> number_of(const Metadata& metadata, std::string_view name) {
  const std::string* text = find_text(metadata, name);
  if (!text) return {};
  const auto number = base::parse_double(base::trim(*text));
  if (!number) refuse(name, fmt::format("\"{}\" is no number", base::printable(*text)));
  return number;
}

std::string usqcd_info(const Metadata& metadata) {
  std::string text = fmt::format("{}<usqcdInfo><version>1.0</version>", xml_declaration);
  if (const auto plaquette = number_of(metadata, "plaquette")) text += fmt::format("<plaq>{:.12f}</plaq>", *plaquette);
  if (const auto trace = number_of(metadata, "link_trace")) text += fmt::format("<linktr>{:.12f}</linktr>", *trace);
  return text + element("info", creator()) + "</usqcdInfo>";
}

std::string title(std::string_view what) { return fmt::format("{}{}", xml_declaration, element("title", what)); }

}  // namespace

const std::string* find_text(const Metadata& metadata, std::string_view name) noexcept {
  for (const auto& [key, text] : metadata) {
    if (metadata_key(key) == name) return &text;
  }
  return nullptr;
}

void check_user_type(std::string_view name) {
  lime::check_type(name);
  if (is_structural(name)) refuse(name, "only the library writes records of this type; choose another name");
  lime::require_own_type(name);
}

void check_metadata(const Metadata& metadata) {
  for (const auto& [name, text] : metadata) {
    check_user_type(name);
    const std::string_view key = metadata_key(name);
    const auto same = [&](const auto& other) { return metadata_key(other.first) == key; };
    const bool single = is_in(pseudo_names, key) || is_in(standard_names, key);
    if (single && std::ranges::count_if(metadata, same) > 1) refuse(name, "given more than once; a field has one");
  }
  number_of(metadata, "plaquette");
  number_of(metadata, "link_trace");
}

Metadata carried_texts(const Metadata& texts, bool precision_changes) {
  Metadata carried;
  for (const auto& [name, text] : texts) {
    const std::string_view key = metadata_key(name);
    const bool second = is_in(standard_names, key) && find_text(carried, key) != nullptr;
    const bool outdated = precision_changes && is_in(names_of_numbers, key);
    const bool ours = is_structural(name) || is_in(pseudo_names, key);
    if (lime::is_type(name) && !ours && !second && !outdated) carried.emplace_back(name, text);
  }
  return carried;
}

std::string file_xml_text(const Metadata& metadata) {
  const std::string* given = find_text(metadata, type::file_xml);
  return with_nul(given ? *given : title("lattice field file"));
}

std::string record_xml_text(const Metadata& metadata, const FieldSpec& spec, std::string_view field_name) {
  const std::string* given = find_text(metadata, type::record_xml);
  if (given) return with_nul(*given);
  return with_nul(spec.kind == FieldKind::gauge ? usqcd_info(metadata) : title(field_name));
}

std::string xlf_info_text(const Metadata& metadata) {
  if (const std::string* given = find_text(metadata, type::xlf_info)) return *given;
  const auto plaquette = number_of(metadata, "plaquette");
  if (!plaquette) return fmt::format("creator = {}\n", creator());
  return fmt::format("plaquette = {:14.12f}\n creator = {}\n", *plaquette, creator());
}

std::string with_nul(std::string text) {
  while (!text.empty() && text.back() == '\0') text.pop_back();
  return text + '\0';
}

std::vector<lime::Piece> user_records(const Metadata& metadata, std::string_view except) {
  std::vector<lime::Piece> pieces;
  for (const auto& [name, text] : metadata) {
    const std::string_view key = metadata_key(name);
    const bool placed_elsewhere = key == type::file_xml || key == type::record_xml || key == type::xlf_info;
    if (is_in(pseudo_names, key) || placed_elsewhere || key == except) continue;
    pieces.push_back({name, text, {}});
  }
  return pieces;
}

}  // namespace lq::format::scidac
