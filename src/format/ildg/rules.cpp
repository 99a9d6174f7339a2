// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "format/ildg/rules.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <limequat/error.hpp>
#include <limequat/options.hpp>

#include "base/xml.hpp"
#include "format/scidac/lattice_xml.hpp"
#include "format/scidac/record_types.hpp"
#include "format/text_reader.hpp"

namespace lq::format::ildg {
namespace {

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
    findings.warning("ildg-record-order", anchor, "ildg-format stands behind ildg-binary-data");
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
      findings.warning("ildg-format-schema", format, "the schema version is not that of the specification", "1.0",
                       version);
    }
    const std::string field(root.text_of("field").value_or(""));
    if (scidac::gauge_colors(field) == 0) {
      findings.warning("ildg-format-schema", format, "the field is no gauge field", "su3gauge", field);
    }
  } catch (const Error&) {
    return;  // the scan has reported it
  }
}

}  // namespace

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

}  // namespace lq::format::ildg
