// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A field as SciDAC messages: Limequat's texts and order of records, and the records that Grid writes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <limequat/field.hpp>
#include <limequat/metadata.hpp>

#include "format/format.hpp"
#include "format/lime/header.hpp"
#include "format/lime/lime_format.hpp"
#include "format/scidac/documents.hpp"

namespace lq::format::scidac {

// The texts of a file written by Limequat: the user's if given, otherwise useful defaults (formats/scidac.md 5).
// Metadata names are record types, except three that become part of texts: plaquette, link_trace, date.

// invalid_argument: a name that is not a record type, that only the library may write, or that is given twice
// although a file has one; a plaquette or link trace that is not a number.
void check_metadata(const Metadata& metadata);
// invalid_argument: not a record type, or one that only the library may write.
void check_user_type(std::string_view type);

// The texts of another file that can be stored with a field here; see FieldFormat::carried.
Metadata carried_texts(const Metadata& texts, bool precision_changes);

// The first text of that name, or nullptr.
const std::string* find_text(const Metadata& metadata, std::string_view name) noexcept;

std::string file_xml_text(const Metadata& metadata);
std::string record_xml_text(const Metadata& metadata, const FieldSpec& spec, std::string_view field_name);
std::string xlf_info_text(const Metadata& metadata);

// `text` with one NUL at its end, as QIO writes it.
std::string with_nul(std::string text);

// The user's own records, in the given order.
std::vector<lime::Piece> user_records(const Metadata& metadata, std::string_view except = {});

struct PlanStyle {
  std::string data_type;                  // of the record with the sites
  std::vector<lime::Piece> descriptions;  // directly after scidac-record-xml
  std::string_view settled;               // metadata that `descriptions` already contain
};

// Throws invalid_argument for errors in the request, too_large for sizes past 2^63.
Layout plan_field(const FieldRequest& request, const PlanStyle& style);

// The contents of scidac-private-record-xml for a field.
RecordInfo record_info_of(const FieldSpec& spec);

Literal literal_at(std::uint64_t offset, const std::string& text);

// Only the sites of a box are stored.
void set_box(RecordInfo& info, const Box& stored);

// A field in the records that Grid writes and reads (formats/vectors.md 4.1), in Grid's order.

inline constexpr std::string_view grid_layout = "grid";

// Grid's header for a field on such a lattice.
std::string grid_header(const Extents& lattice, Precision precision);

// The text scidac-file-xml precedes the first field, if there is one; a given grid-format replaces the generated
// one. invalid_argument: another layout was requested.
Layout plan_for_grid(const FieldRequest& request);

}  // namespace lq::format::scidac
