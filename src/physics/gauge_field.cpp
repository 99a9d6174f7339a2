// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/gauge_field.hpp"

#include <vector>

#include <fmt/format.h>

#include "base/error.hpp"
#include "comm/agree.hpp"
#include "lattice/local_field.hpp"

namespace lq::physics {
namespace {

std::string describe(const FieldSpec& spec) {
  return fmt::format("{} field, {} colors, {} links, {} numbers per site, {} precision", name(spec.kind), spec.colors,
                     spec.links, spec.numbers, name(spec.precision));
}

void require_gauge(const Grid& grid, const FieldSpec& spec, std::string_view verb) {
  const int dimensions = grid.extents().size();
  const bool one_link_per_dimension = spec.links == 0 || spec.links == dimensions;
  if (spec.kind == FieldKind::gauge && spec.colors >= 2 && one_link_per_dimension && dimensions >= 2) return;
  base::fail(Code::invalid_argument,
             {.expected = fmt::format("gauge field with {} links", dimensions),
              .found = fmt::format("{} field with {} links", name(spec.kind), spec.links)},
             "cannot {} a {} field of {} colors with {} links per site on the lattice {}; expected a gauge field of "
             "SU(2) or larger with one link for each of 2 or more dimensions",
             verb, name(spec.kind), spec.colors, spec.links, to_string(grid.extents()));
}

enum class Wanted { any, gauge };

Field resolve(const Grid& grid, const Field& field, std::string_view verb, Wanted wanted) {
  Field resolved;
  comm::require_same(ranks_of(grid), [&] {
    if (wanted == Wanted::gauge) require_gauge(grid, field.spec, verb);
    resolved = lattice::resolve_field(grid, field);
    return std::vector<comm::Stated>{{fmt::format("the field to {}", verb), describe(resolved.spec)}};
  });
  return resolved;
}

}  // namespace

comm::Comm& ranks_of(const Grid& grid) { return grid.communicator().engine(); }

Field resolve_any(const Grid& grid, const Field& field, std::string_view verb) {
  return resolve(grid, field, verb, Wanted::any);
}

Field resolve_gauge(const Grid& grid, const Field& field, std::string_view verb) {
  return resolve(grid, field, verb, Wanted::gauge);
}

}  // namespace lq::physics
