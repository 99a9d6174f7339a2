// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The formats there are, as a table: nothing registers itself.
#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/text.hpp"
#include "format/format.hpp"
#include "format/ildg/ildg_format.hpp"
#include "format/lime/lime_format.hpp"
#include "format/scidac/scidac_format.hpp"
#include "format/sion/sion_format.hpp"

namespace lq::format {
namespace {

const ildg::IldgFormat ildg_format;
const scidac::ScidacFormat scidac_format;
const lime::LimeFormat lime_format;
const sion::SionFormat sion_format;
constexpr std::array<const Format*, 4> table{&ildg_format, &scidac_format, &lime_format, &sion_format};

std::string names() {
  std::string list;
  for (const Format* format : table) list += fmt::format("{}{}", list.empty() ? "" : ", ", format->name());
  return list;
}

// Suffixes that promise something else than LIME.
constexpr std::array<std::string_view, 6> foreign_suffixes{".h5", ".hdf5", ".nersc", ".milc", ".openqcd", ".sion"};

std::string_view suffix_of(std::string_view path) noexcept {
  const std::string_view file = path.substr(path.rfind('/') + 1);
  const std::size_t dot = file.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : file.substr(dot);
}

std::string first_bytes(base::ByteSource& file) {
  std::array<std::byte, 16> start{};
  const std::size_t held = file.read_at(0, start);
  if (held == 0) return "the file is empty";
  return fmt::format("it begins with \"{}\"", base::printable(base::as_text(base::Bytes(start).first(held))));
}

}  // namespace

std::vector<Stretch> Format::stretches(base::ByteSource&, const Catalog&, const Record& record) const {
  return {{record.file, record.offset, record.data_length}};
}

std::span<const Format* const> formats() { return table; }

const Format& format_named(std::string_view name) {
  const auto found = std::ranges::find(table, name, [](const Format* format) { return format->name(); });
  if (found != table.end()) return **found;
  std::vector<std::string> known;
  for (const Format* format : table) known.emplace_back(format->name());
  const auto near = base::nearest(name, known);
  throw Error(Code::invalid_argument,
              fmt::format("there is no format \"{}\"; there are {}{}", base::printable(name), names(),
                          near ? fmt::format(" (did you mean \"{}\"?)", *near) : ""),
              {.expected = names(), .found = base::printable(name)});
}

const Format& format_for(const std::string& path, const FieldSpec& spec, const Extents& extents) {
  const std::string_view suffix = suffix_of(path);
  for (const Format* format : table) {
    if (std::ranges::find(format->suffixes(), suffix) != format->suffixes().end()) return *format;
  }
  if (std::ranges::find(foreign_suffixes, suffix) != foreign_suffixes.end()) {
    throw Error(Code::unsupported,
                fmt::format("{}: this version does not write the format that the suffix {} stands for; name the file "
                            "otherwise, or ask for one of the formats {}",
                            path, suffix, names()),
                {.path = path, .expected = names(), .found = std::string(suffix)});
  }
  const bool for_ildg = spec.kind == FieldKind::gauge && extents.size() == 4;
  if (for_ildg) return ildg_format;
  return scidac_format;
}

const Format& recognise(base::ByteSource& file) {
  const Format* candidate = nullptr;
  for (const Format* format : table) {
    const Likeness likeness = format->recognise(file);
    if (likeness == Likeness::yes) return *format;
    if (likeness == Likeness::maybe && !candidate) candidate = format;
  }
  if (candidate) return *candidate;
  const std::string found = first_bytes(file);
  throw Error(Code::unknown_format,
              fmt::format("{}: {}, which is none of the formats {} (LIME files begin with the bytes 45 67 89 ab, "
                          "multifiles with \"sion\")",
                          file.path(), found, names()),
              {.path = file.path(), .offset = 0, .expected = "45 67 89 ab", .found = found});
}

}  // namespace lq::format
