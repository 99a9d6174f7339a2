// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "format/scidac/rules.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "format/scidac/group.hpp"
#include "format/scidac/record_types.hpp"

namespace lq::format::scidac {
namespace {

// QIO needs the two records of the file in front, in a message of their own.
void check_file_message(const Catalog& catalog, Findings& findings) {
  if (catalog.records.empty()) return;
  const Record& first = catalog.records.front();
  if (first.type == type::sitelist) return;  // one of several files, of which another has the descriptions
  if (first.type != type::private_file_xml) {
    findings.warning("scidac-file-message", first,
                     fmt::format("the file does not begin with {}, so that QIO does not take it for a SciDAC file",
                                 type::private_file_xml),
                     std::string(type::private_file_xml), first.type);
    return;
  }
  // Between them stands a list of sites where these are in several files.
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
    findings.warning("scidac-record-order", data, "scidac-checksum does not follow the data directly, as QIO needs it");
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

}  // namespace

void check_records(const Catalog& catalog, Findings& findings) {
  check_file_message(catalog, findings);
  for (const Group& group : group_records(catalog.records, catalog.file_bytes).groups) {
    check_description(group, catalog, findings);
    check_checksum(group, catalog, findings);
  }
}

}  // namespace lq::format::scidac
