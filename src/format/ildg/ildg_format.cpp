// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// ILDG files: one gauge field in four dimensions, with the SciDAC records that QIO needs.

#include <array>
#include <string>

#include <fmt/format.h>
#include <limequat/catalog.hpp>
#include <limequat/field.hpp>
#include <limequat/lattice.hpp>
#include <limequat/options.hpp>

#include "base/byte_source.hpp"
#include "base/error.hpp"
#include "base/xml.hpp"
#include "format/findings.hpp"
#include "format/formats.hpp"
#include "format/lime/walk.hpp"
#include "format/record_texts.hpp"
#include "format/scidac/program_texts.hpp"
#include "format/scidac/records.hpp"
#include "format/scidac/scidac_base.hpp"

namespace lq::format::ildg {
namespace {

// Rules of ILDG files (formats/ildg.md 2 and 3).

namespace type = scidac::type;
using Records = std::vector<const Record*>;

Records of_type(const Catalog& catalog, std::string_view wanted) {
  Records found;
  for (const Record& record : catalog.records) {
    if (scidac::metadata_key(record.type) == wanted) found.push_back(&record);
  }
  return found;
}

// Exactly one of each, in one message, the description first.
void check_required(const Catalog& catalog, const Records& formats, const Records& data, Findings& findings) {
  const Record& anchor = !data.empty() ? *data.front() : !formats.empty() ? *formats.front() : catalog.records.front();
  if (formats.size() != 1 || data.size() != 1) {
    findings.error(
        Code::malformed, "ildg-required-records", anchor,
        fmt::format("{} records ildg-format and {} records ildg-binary-data, but an ILDG file has one of each",
                    formats.size(), data.size()),
        "1 and 1", fmt::format("{} and {}", formats.size(), data.size()));
    return;
  }
  if (formats.front()->message != data.front()->message) {
    findings.warning("ildg-one-message", anchor, "ildg-format and ildg-binary-data are not in one message");
  } else if (formats.front()->offset > data.front()->offset) {
    findings.warning("ildg-record-order", anchor, "ildg-format follows ildg-binary-data");
  }
}

void check_lfn(const Catalog& catalog, const Records& data, Findings& findings) {
  const Records names = of_type(catalog, type::ildg_data_lfn);
  if (names.empty()) {
    findings.warning("ildg-lfn-missing", *data.front(),
                     "no ildg-data-lfn: the file cannot be registered on the grid, and Grid does not read it");
    return;
  }
  if (names.front()->type != type::ildg_data_lfn) {
    findings.warning("ildg-lfn-spelling", *names.front(), "the type is written with capitals",
                     std::string(type::ildg_data_lfn), names.front()->type);
  }
  if (names.front()->message != data.front()->message) {
    findings.warning("ildg-one-message", *names.front(), "ildg-data-lfn and ildg-binary-data are not in one message");
  }
}

void check_schema(base::ByteSource& file, const Record& format, Findings& findings) {
  ReadAhead window(file);
  const Limits limits;
  TextReader reader(window, limits);
  try {
    const base::xml::Element root = base::xml::parse(reader.document(format));
    for (const char* name : {"version", "field", "precision", "lx", "ly", "lz", "lt"}) {
      if (root.child(name)) continue;
      findings.warning("ildg-format-schema", format, fmt::format("ildgFormat has no element <{}>", name));
    }
    const std::string version(root.text_of("version").value_or("1.0"));
    if (version != "1" && !version.starts_with("1.")) {
      findings.warning("ildg-format-schema", format, "the schema version differs from the specification", "1.0",
                       version);
    }
    const std::string field(root.text_of("field").value_or(""));
    if (scidac::gauge_colors(field) == 0) {
      findings.warning("ildg-format-schema", format, "the field is not a gauge field", "su3gauge", field);
    }
  } catch (const Error&) {
    return;  // already reported by the scan
  }
}

void check_records(base::ByteSource& file, const Catalog& catalog, Findings& findings) {
  if (catalog.records.empty()) return;
  const Records formats = of_type(catalog, type::ildg_format);
  const Records data = of_type(catalog, type::ildg_binary_data);
  check_required(catalog, formats, data, findings);
  if (!data.empty()) check_lfn(catalog, data, findings);
  for (const Record* format : formats) check_schema(file, *format, findings);
  for (const FieldEntry& field : catalog.fields) {
    if (field.sums.checksum()) continue;
    findings.note("scidac-checksum-missing", catalog.records[field.record],
                  "no scidac-checksum belongs to these data; they cannot be verified");
  }
}

// The ildg-format document (formats/ildg.md 3), on one line as QIO writes it; scidac/program_texts.hpp reads it.

// Nothing after its end: lyncs.io passes the record to a strict parser, and QIO reads into memory that ends with zeros.
// `extents` has four dimensions.
std::string encode_format(const FieldSpec& spec, const Extents& extents) {
  constexpr const char* root =
      R"(<ildgFormat xmlns="http://www.lqcd.org/ildg" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" )"
      R"(xsi:schemaLocation="http://www.lqcd.org/ildg/filefmt.xsd">)";
  return fmt::format(
      "{}{}<version>1.0</version><field>su{}gauge</field><precision>{}</precision>"
      "<lx>{}</lx><ly>{}</ly><lz>{}</lz><lt>{}</lt></ildgFormat>",
      xml_declaration, root, spec.colors, static_cast<int>(spec.precision), extents[0], extents[1], extents[2],
      extents[3]);
}

constexpr std::string_view ildg_name = "ildg";
// formats/ildg.md 5: Grid does not read a file without a logical file name.
constexpr const char* unregistered = "lfn://unregistered/limequat";

[[noreturn]] void refuse(const std::string& why) {
  base::fail(Code::unsupported, {},
             "format \"ildg\" holds one gauge field in four dimensions, {}; use format \"scidac\"", why);
}

void check_request(const FieldRequest& request) {
  const FieldSpec& spec = request.spec;
  if (spec.kind != FieldKind::gauge) refuse(fmt::format("not a {} field", lq::name(spec.kind)));
  if (request.extents.size() != 4) refuse(fmt::format("not in {}", request.extents.size()));
  if (spec.links != 4) refuse(fmt::format("with four links per site, not {}", spec.links));
  if (spec.colors < 2) refuse(fmt::format("of SU(2) and up, not SU({})", spec.colors));
  if (!request.first) refuse("and this file has one already");
}

class Ildg final : public scidac::ScidacFormat {
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
  // Grid writes ildg-binary-data for all fields; a SciDAC record then describes them.
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

}  // namespace lq::format::ildg

const lq::format::Format& lq::format::ildg_format() {
  using namespace ildg;
  static const Ildg ildg;
  static constexpr std::array<std::string_view, 2> suffixes{".ildg", ".lime"};
  static const Format row{
      .info = {ildg_name, "one gauge field in four dimensions", lime::beginning, suffixes, Contents::fields},
      .container = &ildg,
      .records = &ildg,
      .fields = &ildg,
      .repairer = &ildg,
      .examiner = &ildg};
  return row;
}
