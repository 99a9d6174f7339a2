// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "format/ildg/ildg_format.hpp"

#include <array>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "format/ildg/ildg_xml.hpp"
#include "format/ildg/rules.hpp"
#include "format/lime/types.hpp"
#include "format/scidac/family.hpp"
#include "format/scidac/record_types.hpp"

namespace lq::format::ildg {
namespace {

namespace type = scidac::type;

constexpr std::string_view ildg_name = "ildg";
// formats/ildg.md 5: Grid does not read a file without a logical file name.
constexpr const char* unregistered = "lfn://unregistered/limequat";

[[noreturn]] void refuse(const std::string& why) {
  throw Error(Code::unsupported, fmt::format("format \"ildg\" holds one gauge field in four dimensions, {}; use format "
                                             "\"scidac\"",
                                             why));
}

void check_request(const FieldRequest& request) {
  const FieldSpec& spec = request.spec;
  if (spec.kind != FieldKind::gauge) refuse(fmt::format("not a {} field", lq::name(spec.kind)));
  if (request.extents.size() != 4) refuse(fmt::format("not in {}", request.extents.size()));
  if (spec.links != 4) refuse(fmt::format("with four links per site, not {}", spec.links));
  if (spec.colors < 2) refuse(fmt::format("of SU(2) and up, not SU({})", spec.colors));
  if (!request.first) refuse("and this file has one already");
}

class Ildg final : public scidac::Family {
 public:
  Likeness recognise(base::ByteSource& file) const override;
  bool is_for(const FieldSpec& spec, const Extents& extents) const override {
    return spec.kind == FieldKind::gauge && extents.size() == 4;
  }
  Layout plan(const FieldRequest& request) const override;
  std::optional<std::uint64_t> mend(base::EditedSource& file, const Limits& limits, Findings& done) const override {
    return scidac::mend(file, limits, encode_format, done);
  }

 private:
  std::string_view name() const override { return ildg_name; }
  void check(base::ByteSource& file, const Catalog& catalog, Findings& findings) const override {
    check_records(file, catalog, findings);
  }
};

Likeness Ildg::recognise(base::ByteSource& file) const {
  const auto is_format = [](std::string_view record) { return record == type::ildg_format; };
  if (lime::has_record(file, is_format)) return Likeness::yes;
  // Grid writes ildg-binary-data for all fields; then a SciDAC record describes them.
  const auto is_data = [](std::string_view record) { return record == type::ildg_binary_data; };
  const auto is_info = [](std::string_view record) { return record == type::private_record_xml; };
  return lime::has_record(file, is_data) && !lime::has_record(file, is_info) ? Likeness::yes : Likeness::no;
}

Layout Ildg::plan(const FieldRequest& request) const {
  check_request(request);
  const std::string* given = scidac::find_text(request.metadata, type::ildg_data_lfn);
  scidac::PlanStyle style;
  style.data_type = type::ildg_binary_data;
  style.descriptions = {
      {std::string(type::ildg_format), encode_format(request.spec, request.extents), {}},
      {std::string(type::ildg_data_lfn), scidac::with_nul(given ? *given : unregistered), {}},
  };
  style.settled = type::ildg_data_lfn;
  return scidac::plan_field(request, style);
}

}  // namespace

const Format& format() {
  static const Ildg ildg;
  static constexpr std::array<std::string_view, 2> suffixes{".ildg", ".lime"};
  static const Format row{.info = {.name = ildg_name,
                                   .holds = "one gauge field in four dimensions",
                                   .begins = lime::beginning,
                                   .suffixes = suffixes,
                                   .contents = Contents::fields},
                          .container = &ildg,
                          .records = &ildg,
                          .fields = &ildg,
                          .mender = &ildg};
  return row;
}

}  // namespace lq::format::ildg
