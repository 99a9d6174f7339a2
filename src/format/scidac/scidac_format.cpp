// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// See scidac_format.hpp.
#include "format/scidac/scidac_format.hpp"

#include <array>

#include "format/lime/place.hpp"
#include "format/lime/rules.hpp"
#include "format/lime/types.hpp"
#include "format/scidac/meaning.hpp"
#include "format/scidac/plan.hpp"
#include "format/scidac/record_types.hpp"
#include "format/scidac/rules.hpp"
#include "format/scidac/scan.hpp"
#include "format/scidac/texts.hpp"

namespace lq::format::scidac {

std::span<const std::string_view> ScidacFormat::suffixes() const noexcept {
  static constexpr std::array<std::string_view, 2> list{".scidac", ".qio"};
  return list;
}

Likeness ScidacFormat::recognise(base::ByteSource& file) const {
  const auto speaks_of_lattices = [](std::string_view record) {
    const Role role = role_of(record);
    return role == Role::file_info || role == Role::record_info || role == Role::lattice || role == Role::data;
  };
  return lime::has_record(file, speaks_of_lattices) ? Likeness::yes : Likeness::no;
}

Catalog ScidacFormat::scan(base::ByteSource& file, const Limits& limits) const {
  return scidac::scan(file, limits, name());
}

Layout ScidacFormat::plan(const PlanRequest& request) const {
  return plan_field(request, {std::string(type::binary_data), {}, {}});
}

Layout ScidacFormat::plan_record(std::string_view record, std::string_view contents, std::uint64_t offset, bool) const {
  check_user_type(record);
  return lime::plan_record(record, contents, offset);
}

Metadata ScidacFormat::carried(const Metadata& texts, bool precision_changes) const {
  return carried_texts(texts, precision_changes);
}

std::vector<Finding> ScidacFormat::validate(base::ByteSource& file, const Catalog& catalog) const {
  Findings findings;
  for (const Finding& finding : catalog.findings) findings.add(finding);
  lime::check_headers(file, catalog, findings);
  check_records(catalog, findings);
  return findings.take();
}

std::vector<Annotation> ScidacFormat::explain(base::ByteSource& file, const Catalog& catalog) const {
  return lime::explain(file, catalog, meaning_of);
}

}  // namespace lq::format::scidac
