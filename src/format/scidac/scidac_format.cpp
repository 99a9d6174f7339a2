// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// SciDAC files as QIO writes them: any field, any number of dimensions, several fields in a file.

#include <array>

#include <fmt/format.h>
#include <limequat/catalog.hpp>

#include "format/findings.hpp"
#include "format/formats.hpp"
#include "format/lime/walk.hpp"
#include "format/scidac/plan.hpp"
#include "format/scidac/records.hpp"
#include "format/scidac/scidac_base.hpp"

namespace lq::format::scidac {
namespace {

// Rules of SciDAC files that reading does not depend on (formats/scidac.md 8).

// QIO needs the two records of the file at the beginning, in a separate message.
void check_file_message(const Catalog& catalog, Findings& findings) {
  if (catalog.records.empty()) return;
  const Record& first = catalog.records.front();
  if (first.type == type::sitelist) return;  // one of several files; another one has the descriptions
  if (first.type != type::private_file_xml) {
    findings.warning("scidac-file-message", first,
                     fmt::format("the file does not begin with {}, so QIO does not recognise it as a SciDAC file",
                                 type::private_file_xml),
                     std::string(type::private_file_xml), first.type);
    return;
  }
  // A list of sites is between them if the field is in several files.
  const bool has_list = catalog.records.size() > 1 && catalog.records[1].type == type::sitelist;
  const std::size_t text = has_list ? 2 : 1;
  const bool follows = catalog.records.size() > text && catalog.records[text].type == type::file_xml &&
                       catalog.records[text].me_flag && catalog.records[text].message == first.message;
  if (!follows) {
    findings.warning(
        "scidac-file-message", first,
        fmt::format("{} is not followed by {} that ends the message", type::private_file_xml, type::file_xml));
  }
}

void check_checksum(const Group& group, const Catalog& catalog, Findings& findings) {
  const Record& data = catalog.records[group.data];
  if (!group.checksum) {
    findings.note("scidac-checksum-missing", data, "no scidac-checksum belongs to these data; they cannot be verified");
  } else if (*group.checksum != group.data + 1) {
    findings.warning("scidac-record-order", data, "scidac-checksum does not follow the data directly, as QIO requires");
  }
}

void check_description(const Group& group, const Catalog& catalog, Findings& findings) {
  const Record& data = catalog.records[group.data];
  if (!group.record_info) {
    findings.warning("scidac-private-record-missing", data,
                     fmt::format("no {} describes these data", type::private_record_xml));
    return;
  }
  const Record& info = catalog.records[*group.record_info];
  if (!info.mb_flag || *group.record_info > group.data || info.message != data.message) {
    findings.warning("scidac-record-order", data,
                     fmt::format("{} does not begin the message of its data", type::private_record_xml));
  }
  const std::size_t next = *group.record_info + 1;
  if (next >= catalog.records.size() || catalog.records[next].type != type::record_xml) {
    findings.warning("scidac-record-order", info,
                     fmt::format("{} is not followed by {}", type::private_record_xml, type::record_xml));
  }
}

void check_records(const Catalog& catalog, Findings& findings) {
  check_file_message(catalog, findings);
  for (const Group& group : group_records(catalog.records, catalog.file_bytes).groups) {
    check_description(group, catalog, findings);
    check_checksum(group, catalog, findings);
  }
}

constexpr std::string_view scidac_name = "scidac";

class Scidac final : public ScidacFormat {
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
    return record == type::sitelist || role == Role::file_info || role == Role::record_info || role == Role::lattice ||
           role == Role::data;
  };
  return lime::has_record(file, speaks_of_lattices) ? Likeness::yes : Likeness::no;
}

}  // namespace

}  // namespace lq::format::scidac

const lq::format::Format& lq::format::scidac_format() {
  using namespace scidac;
  static const Scidac scidac;
  static constexpr std::array<std::string_view, 3> suffixes{".scidac", ".qio", ".lime"};
  static const Format row{.info = {scidac_name, "fields of any kind on lattices of 1 to 8 dimensions", lime::beginning,
                                   suffixes, Contents::fields},
                          .container = &scidac,
                          .records = &scidac,
                          .fields = &scidac,
                          .repairer = &scidac,
                          .examiner = &scidac,
                          .record_types = type::all};
  return row;
}
