// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Which records belong to which data record. Programs disagree on the order inside a message and on the flags
// (formats/scidac.md 2.3), so records are brought together by what they are; messages only decide about texts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <limequat/catalog.hpp>

namespace lq::format::scidac {

using RecordIndex = std::size_t;  // into Catalog::records

struct Group {
  RecordIndex data = 0;
  std::optional<RecordIndex> file_info;    // scidac-private-file-xml
  std::optional<RecordIndex> record_info;  // scidac-private-record-xml
  std::optional<RecordIndex> lattice;      // ildg-format, etmc-propagator-format
  std::optional<RecordIndex> checksum;
  std::optional<RecordIndex> slices;
  std::optional<RecordIndex> name;
  std::vector<RecordIndex> texts;
};

struct Groups {
  std::vector<Group> groups;
  std::vector<RecordIndex> file_infos;       // every scidac-private-file-xml
  std::vector<RecordIndex> texts;            // of the file as a whole
  std::vector<RecordIndex> spare_checksums;  // a second one for data that have one already
  std::vector<RecordIndex> strays;           // descriptions and what belongs to data, of which there are none
  bool waits_for_data = false;               // the last description has no data record
};

// Records that reach beyond the end of the file are left out.
Groups group_records(const std::vector<Record>& records, std::uint64_t file_bytes);

}  // namespace lq::format::scidac
