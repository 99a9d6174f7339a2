// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The texts of a file of ours: the user's where there are some, useful ones where not (formats/scidac.md 5).
// Metadata names are record types, except three that become part of texts: plaquette, link_trace, date.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <limequat/field.hpp>
#include <limequat/metadata.hpp>

#include "format/lime/place.hpp"

namespace lq::format::scidac {

// invalid_argument: a name that is no record type, that only the library may write, or that is given twice
// where a file has one; a plaquette or link trace that is no number.
void check_metadata(const Metadata& metadata);
// invalid_argument: no record type, or one that only the library may write.
void check_user_type(std::string_view type);

// The texts of another file that can stand beside a field here; see Format::carried.
Metadata carried_texts(const Metadata& texts, bool precision_changes);

// The first text of that name, or nullptr.
const std::string* find_text(const Metadata& metadata, std::string_view name) noexcept;

std::string file_xml_text(const Metadata& metadata);
std::string record_xml_text(const Metadata& metadata, const FieldSpec& spec, std::string_view field_name);
std::string xlf_info_text(const Metadata& metadata);

// `text` with one NUL at its end, as QIO writes it.
std::string with_nul(std::string text);

// The user's own records, in the order given.
std::vector<lime::Piece> user_records(const Metadata& metadata, std::string_view except = {});

}  // namespace lq::format::scidac
