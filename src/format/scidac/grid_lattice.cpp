// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "format/scidac/grid_lattice.hpp"

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/checked.hpp"
#include "base/text.hpp"
#include "base/xml.hpp"
#include "format/xml_fields.hpp"

namespace lq::format::scidac {

Extents decode_grid_lattice(std::string_view document) {
  const base::xml::Element root = parse_document(document, "FieldMetaData");
  const base::xml::Element* dimension = root.child("dimension");
  if (!dimension) throw Error(Code::malformed, "there is no <dimension>", {.expected = "<dimension>"});
  Extents extents;
  if (dimension->children.size() > max_dimensions) {
    throw Error(Code::malformed, fmt::format("<dimension> has {} elements", dimension->children.size()));
  }
  extents = Extents::filled(static_cast<int>(dimension->children.size()), 0);
  for (int d = 0; d < extents.size(); ++d) {
    const auto extent = base::parse_u64(dimension->children[static_cast<std::size_t>(d)].text);
    constexpr std::uint64_t limit = 1ULL << 62;
    if (extent && *extent < limit) extents[d] = static_cast<std::int64_t>(*extent);
  }
  check_extents(extents, "dimension");
  return extents;
}

int x_of(const Extents& extents) noexcept { return extents.size() == 5 ? 1 : 0; }

GridLattice stored_lattice(const Extents& all, const RecordInfo& info, std::uint64_t bytes) {
  const int x = x_of(all);
  const auto site = base::checked_multiply(info.typesize, info.datacount);
  const auto whole_bytes = site ? base::checked_multiply(*site, volume(all)) : std::nullopt;
  GridLattice lattice{all};
  if (!whole_bytes || all[x] % 2 != 0 || *whole_bytes % 2 != 0 || *whole_bytes / 2 != bytes) return lattice;
  lattice.extents[x] /= 2;
  lattice.is_of_one_parity = true;
  return lattice;
}

}  // namespace lq::format::scidac
