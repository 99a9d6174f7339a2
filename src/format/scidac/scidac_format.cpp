// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "format/scidac/scidac_format.hpp"

#include <array>

#include "format/lime/types.hpp"
#include "format/scidac/family.hpp"
#include "format/scidac/grid_plan.hpp"
#include "format/scidac/record_types.hpp"
#include "format/scidac/rules.hpp"

namespace lq::format::scidac {

namespace {

constexpr std::string_view scidac_name = "scidac";

class Scidac final : public Family {
 public:
  Likeness recognise(base::ByteSource& file) const override;
  bool is_for(const FieldSpec&, const Extents&) const override { return true; }
  Layout plan(const FieldRequest& request) const override {
    if (!request.choices.layout.empty()) return plan_for_grid(request);
    return plan_field(request, {std::string(type::binary_data), {}, {}});
  }
  std::span<const std::string_view> known_choices() const override {
    static constexpr std::array<std::string_view, 2> names{"layout", "parts"};
    return names;
  }
  std::optional<std::uint64_t> mend(base::EditedSource& file, const Limits& limits, Findings& done) const override {
    return scidac::mend(file, limits, {}, done);
  }

 private:
  std::string_view name() const override { return scidac_name; }
  void check(base::ByteSource&, const Catalog& catalog, Findings& findings) const override {
    check_records(catalog, findings);
  }
};

Likeness Scidac::recognise(base::ByteSource& file) const {
  const auto speaks_of_lattices = [](std::string_view record) {
    const Role role = role_of(record);
    return role == Role::file_info || role == Role::record_info || role == Role::lattice || role == Role::data;
  };
  return lime::has_record(file, speaks_of_lattices) ? Likeness::yes : Likeness::no;
}

}  // namespace

const Format& format() {
  static const Scidac scidac;
  static constexpr std::array<std::string_view, 3> suffixes{".scidac", ".qio", ".lime"};
  static const Format row{.info = {.name = scidac_name,
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
