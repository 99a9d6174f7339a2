// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A field as SciDAC messages, in the order that every known reader accepts (formats/scidac.md 2.2). ILDG files
// are the same with two more records and another name for the data.
#pragma once

#include <string>
#include <vector>

#include "format/format.hpp"
#include "format/lime/place.hpp"
#include "format/scidac/private_xml.hpp"

namespace lq::format::scidac {

struct PlanStyle {
  std::string data_type;                  // of the record that holds the sites
  std::vector<lime::Piece> descriptions;  // directly behind scidac-record-xml
  std::string_view settled;               // metadata that `descriptions` hold already
};

// Throws invalid_argument for what is wrong with the request, too_large for sizes past 2^63.
Layout plan_field(const FieldRequest& request, const PlanStyle& style);

// What scidac-private-record-xml says about a field.
RecordInfo record_info_of(const FieldSpec& spec);

Literal literal_at(std::uint64_t offset, const std::string& text);

// Only the sites of a box are stored.
void set_box(RecordInfo& info, const Box& stored);

}  // namespace lq::format::scidac
