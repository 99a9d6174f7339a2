// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "format/scidac/meaning.hpp"

#include <algorithm>
#include <string_view>

#include "format/scidac/record_types.hpp"

namespace lq::format::scidac {
namespace {

struct Row {
  std::string_view type, name, section;
};
constexpr Row meanings[] = {
    {type::private_file_xml, "private XML of the file", "formats/scidac.md 3.1"},
    {type::file_xml, "user's text on the file", "formats/scidac.md 2.1"},
    {type::private_record_xml, "private XML of the field", "formats/scidac.md 3.2"},
    {type::record_xml, "user's text on the field", "formats/scidac.md 2.1"},
    {type::checksum, "checksum", "formats/scidac.md 4.4"},
    {type::binary_data, "sites", "formats/scidac.md 4.1"},
    {type::sitelist, "site list", "formats/scidac.md 4.6"},
    {type::ildg_format, "description of the field", "formats/ildg.md 3"},
    {type::ildg_data_lfn, "logical file name", "formats/ildg.md 5"},
    {type::ildg_binary_data, "sites", "formats/ildg.md 4"},
    {type::etmc_propagator_format, "description of the field", "formats/scidac.md 6.1"},
    {type::etmc_source_format, "description of the field", "formats/scidac.md 6.1"},
    {type::limequat_slices, "checksums of slices", "formats/scidac.md 5.1"},
    {type::limequat_name, "name of the field", "formats/scidac.md 5.2"},
    {type::xlf_info, "text", "formats/scidac.md 6.2"},
};

}  // namespace

lime::Meaning meaning_of(const Record& record) {
  const auto row = std::ranges::find(meanings, metadata_key(record.type), &Row::type);
  if (row == std::end(meanings)) return {"payload", "formats/lime.md 4"};
  return {std::string(row->name), std::string(row->section)};
}

}  // namespace lq::format::scidac
