// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// See scidac_format.hpp.
#include "format/scidac/scidac_format.hpp"

#include <array>

#include "format/lime/header.hpp"
#include "format/lime/place.hpp"
#include "format/lime/rules.hpp"
#include "format/lime/types.hpp"
#include "format/scidac/meaning.hpp"
#include "format/scidac/mend.hpp"
#include "format/scidac/plan.hpp"
#include "format/scidac/record_types.hpp"
#include "format/scidac/rules.hpp"
#include "format/scidac/scan.hpp"
#include "format/scidac/texts.hpp"

namespace lq::format::scidac {

namespace {

class Scidac final : public Container, public FieldFormat, public Mender {
 public:
  Likeness recognise(base::ByteSource& file) const override;
  Catalog scan(base::ByteSource& file, const Limits& limits) const override {
    return scidac::scan(file, limits, "scidac");
  }
  std::vector<Finding> validate(base::ByteSource& file, const Catalog& catalog) const override;
  std::vector<Annotation> explain(base::ByteSource& file, const Catalog& catalog) const override;

  bool is_for(const FieldSpec&, const Extents&) const override { return true; }
  Layout plan(const FieldRequest& request) const override;
  Layout plan_record(std::string_view type, std::string_view contents, std::uint64_t offset, bool first) const override;
  Metadata carried(const Metadata& texts, bool precision_changes) const override;
  void store_sums(base::EditedSource& file, const Catalog& catalog, const FieldEntry& entry,
                  const Digest& sums) const override {
    scidac::store_sums(file, catalog, entry, sums);
  }

  std::optional<std::uint64_t> mend(base::EditedSource& file, const Limits& limits, Findings& done) const override {
    return scidac::mend(file, limits, {}, done);
  }
};

Likeness Scidac::recognise(base::ByteSource& file) const {
  const auto speaks_of_lattices = [](std::string_view record) {
    const Role role = role_of(record);
    return role == Role::file_info || role == Role::record_info || role == Role::lattice || role == Role::data;
  };
  return lime::has_record(file, speaks_of_lattices) ? Likeness::yes : Likeness::no;
}

Layout Scidac::plan(const FieldRequest& request) const {
  return plan_field(request, {std::string(type::binary_data), {}, {}});
}

Layout Scidac::plan_record(std::string_view record, std::string_view contents, std::uint64_t offset, bool) const {
  check_user_type(record);
  return lime::plan_record(record, contents, offset);
}

Metadata Scidac::carried(const Metadata& texts, bool precision_changes) const {
  return carried_texts(texts, precision_changes);
}

std::vector<Finding> Scidac::validate(base::ByteSource& file, const Catalog& catalog) const {
  Findings findings;
  for (const Finding& finding : catalog.findings) findings.add(finding);
  lime::check_headers(file, catalog, findings);
  check_records(catalog, findings);
  return findings.take();
}

std::vector<Annotation> Scidac::explain(base::ByteSource& file, const Catalog& catalog) const {
  return lime::explain(file, catalog, meaning_of);
}

}  // namespace

const Format& format() {
  static const Scidac scidac;
  static constexpr std::array<std::string_view, 3> suffixes{".scidac", ".qio", ".lime"};
  static const Format row{.info = {.name = "scidac",
                                   .holds = "fields of any kind on lattices of 1 to 8 dimensions",
                                   .begins = lime::beginning,
                                   .suffixes = suffixes,
                                   .contents = Contents::fields},
                          .container = &scidac,
                          .records = &scidac,
                          .fields = &scidac,
                          .mender = &scidac};
  return row;
}

}  // namespace lq::format::scidac
