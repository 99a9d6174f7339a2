// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The records of lattice files: the types, and which records belong to which data record.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <limequat/catalog.hpp>

#include "format/format.hpp"
#include "format/lime/lime_format.hpp"

namespace lq::format::scidac {

// The record types that lattice files use, and their role for a reader (formats/scidac.md 2).

namespace type {
inline constexpr std::string_view private_file_xml = "scidac-private-file-xml";
inline constexpr std::string_view file_xml = "scidac-file-xml";
inline constexpr std::string_view private_record_xml = "scidac-private-record-xml";
inline constexpr std::string_view record_xml = "scidac-record-xml";
inline constexpr std::string_view binary_data = "scidac-binary-data";
inline constexpr std::string_view checksum = "scidac-checksum";
inline constexpr std::string_view sitelist = "scidac-sitelist";
inline constexpr std::string_view ildg_format = "ildg-format";
inline constexpr std::string_view ildg_data_lfn = "ildg-data-lfn";
inline constexpr std::string_view ildg_binary_data = "ildg-binary-data";
inline constexpr std::string_view propagator_type = "propagator-type";
inline constexpr std::string_view xlf_info = "xlf-info";
inline constexpr std::string_view grid_format = "grid-format";
inline constexpr std::string_view etmc_propagator_format = "etmc-propagator-format";
inline constexpr std::string_view etmc_source_format = "etmc-source-format";
inline constexpr std::string_view limequat_slices = "limequat-slices";
inline constexpr std::string_view limequat_name = "limequat-name";
inline constexpr std::string_view limequat_description = "limequat-description";
inline constexpr std::string_view limequat_site_shape = "limequat-site-shape";

inline constexpr std::array<std::string_view, 21> all{private_file_xml,
                                                      file_xml,
                                                      private_record_xml,
                                                      record_xml,
                                                      binary_data,
                                                      checksum,
                                                      sitelist,
                                                      ildg_format,
                                                      ildg_data_lfn,
                                                      ildg_binary_data,
                                                      propagator_type,
                                                      xlf_info,
                                                      grid_format,
                                                      etmc_propagator_format,
                                                      etmc_source_format,
                                                      limequat_slices,
                                                      limequat_name,
                                                      limequat_description,
                                                      limequat_site_shape,
                                                      unproven_text,
                                                      rescued_text};
}  // namespace type

enum class Role {
  file_info,    // scidac-private-file-xml
  file_text,    // scidac-file-xml
  record_info,  // scidac-private-record-xml
  lattice,      // ildg-format and tmLQCD's etmc-...-format
  data,         // sites
  checksum,
  slices,
  name,
  description,  // the sum of the texts that determine what the numbers mean
  binary,       // nothing to read: site lists, other programs' binary records
  text,         // everything else, if it turns out to be text
};
Role role_of(std::string_view name) noexcept;

// Types whose contents only the library may write; users must choose other names.
bool is_structural(std::string_view name) noexcept;

// The name of a text in metadata: its type, except that ildg-data-LFN becomes lower case.
std::string_view metadata_key(std::string_view name) noexcept;

// The section of a format page that explains a record.

lime::Meaning meaning_of(const Record& record);

// Which records belong to which data record. Programs disagree on the order inside a message and on the flags
// (formats/scidac.md 2.3), so records are grouped by their types; messages only decide about texts.

using RecordIndex = std::size_t;  // into Catalog::records

struct Group {
  RecordIndex data = 0;
  std::optional<RecordIndex> file_info;    // scidac-private-file-xml
  std::optional<RecordIndex> record_info;  // scidac-private-record-xml
  std::optional<RecordIndex> lattice;      // ildg-format, etmc-propagator-format
  std::optional<RecordIndex> checksum;
  std::optional<RecordIndex> slices;
  std::optional<RecordIndex> name;
  std::optional<RecordIndex> description;
  std::vector<RecordIndex> texts;
};

struct Groups {
  std::vector<Group> groups;
  std::vector<RecordIndex> file_infos;       // every scidac-private-file-xml
  std::vector<RecordIndex> texts;            // of the file as a whole
  std::vector<RecordIndex> spare_checksums;  // a second one for data that have one already
  std::vector<RecordIndex> strays;           // descriptions and other records of missing data
  bool waits_for_data = false;               // the last description has no data record
};

// Records that end after the end of the file are omitted.
Groups group_records(const std::vector<Record>& records, std::uint64_t file_bytes);

}  // namespace lq::format::scidac
