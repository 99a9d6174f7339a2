// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Arrays of lyncs.io (docs/formats/hdf5.md 7): of any shape. Those whose last dimensions are those of a site, behind
// four others, are fields; these are taken as t, z, y, x, as arrays of C have them.
#include <array>

#include "hdf5/layouts/folder.hpp"

namespace lq::hdf5 {
namespace {

constexpr std::size_t rank_of_lyncs = 4;

constexpr std::array<std::string_view, 8> of_lyncs = {"_lyncs_io", "created",       "type",  "shape",
                                                      "dtype",     "fortran_order", "descr", "nbytes"};

bool is_of_fortran(const Member& member) {
  const Value* value = find(member.attributes, "fortran_order");
  const auto text = value != nullptr ? shown(*value) : std::nullopt;
  return text && (*text == "true" || *text == "True" || *text == "1");
}

std::optional<FieldSpec> spec_of_array(const Numbers& numbers) {
  if (!numbers.is_complex || numbers.extents.size() != numbers.space_rank) return {};
  if (numbers.space_rank <= rank_of_lyncs) return {};
  const auto site = numbers.behind(rank_of_lyncs);
  switch (site.size()) {
    case 2:
      return site.front() == 4 ? spinor_site(site, numbers.precision) : matrix_site(site, numbers.precision);
    case 3:
      return site.front() == rank_of_lyncs ? gauge_site(site, numbers.precision) : std::nullopt;
    case 4:
      return site.front() == 4 ? propagator_site(site, numbers.precision) : std::nullopt;
    default:
      return {};
  }
}

}  // namespace

void find_lyncs(Folder& folder, Finds& finds) {
  for (Member& member : folder.members) {
    if (member.is_taken || find(member.attributes, "_lyncs_io") == nullptr || is_of_fortran(member)) continue;
    const auto numbers = numbers_of(member.data);
    const auto spec = numbers ? spec_of_array(*numbers) : std::nullopt;
    if (!spec) continue;
    member.is_taken = true;
    finds.note("hdf5-order-assumed", member, "lyncs.io does not state which dimension is which; t, z, y, x is assumed");
    finds.field({.path = member.path,
                 .arrays = {&member},
                 .spec = *spec,
                 .lattice = numbers->lattice(rank_of_lyncs),
                 .metadata = metadata_of(member.attributes, of_lyncs)});
  }
}

}  // namespace lq::hdf5
