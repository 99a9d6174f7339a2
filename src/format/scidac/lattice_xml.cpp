// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "format/scidac/lattice_xml.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/text.hpp"
#include "base/xml.hpp"
#include "format/xml_fields.hpp"

namespace lq::format::scidac {

LatticeXml decode_lattice(std::string_view document) {
  const base::xml::Element root = base::xml::parse(document);
  if (root.name != "ildgFormat" && root.name != "etmcFormat") {
    const std::string found = fmt::format("<{}>", base::printable(root.name));
    throw Error(Code::malformed, fmt::format("the root element is {}, not <ildgFormat> or <etmcFormat>", found),
                {.expected = "<ildgFormat>", .found = found});
  }
  LatticeXml lattice;
  lattice.root = root.name;
  lattice.field = root.text_of("field").value_or("");
  lattice.flavours = optional_number(root, "flavours").value_or(0);
  lattice.precision = required_number(root, "precision");
  if (lattice.precision != 32 && lattice.precision != 64) {
    throw Error(Code::malformed, fmt::format("<precision> is {}, but only 32 and 64 are defined", lattice.precision),
                {.expected = "32 or 64", .found = fmt::format("{}", lattice.precision)});
  }
  lattice.extents = Coord::filled(4, 0);
  constexpr std::string_view names[4] = {"lx", "ly", "lz", "lt"};
  for (int d = 0; d < 4; ++d) {
    constexpr std::uint64_t limit = (1ULL << 62) - 1;
    lattice.extents[d] = static_cast<std::int64_t>(std::min(required_number(root, names[d]), limit));
  }
  check_extents(lattice.extents, "lx, ly, lz, lt");
  return lattice;
}

int gauge_colors(std::string_view field) noexcept {
  if (!field.starts_with("su") || !field.ends_with("gauge") || field.size() < 8) return 0;
  const auto colors = base::parse_u64(field.substr(2, field.size() - 7));
  return colors && *colors >= 2 && *colors <= 1000 ? static_cast<int>(*colors) : 0;
}

}  // namespace lq::format::scidac
