// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What each field of a set says of itself, in a record of text next to its data: which set it belongs to, its name, and
// how it was dealt out when it was written (formats/sion-records.md 8).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <limequat/field.hpp>

#include "base/inner.hpp"
#include "sets/checkpoint/record.hpp"

namespace lq::sets {

inline constexpr std::string_view note_type = "limequat-checkpoint";
inline constexpr std::size_t longest_note = 4096;

struct FieldNote {
  Generation generation;
  Extents lattice;
  Extents processes;  // process grid of the writer
  Precision precision = Precision::double_;
  std::string name;
  friend bool operator==(const FieldNote&, const FieldNote&) = default;
};

// Where the digits of the generation begin in a note.
inline constexpr std::size_t note_generation_offset = std::string_view("version = 1\ngeneration = ").size();

std::string encode(const FieldNote& note);
// Nothing unless the text is such a note, and a whole one.
std::optional<FieldNote> decode_note(std::string_view text);

// Local. invalid_argument: no name that a field can have.
void require_field_name(const std::string& path, const std::string& name);

// The file with the fields of the set NAME: NAME.fields.
LQ_INNER std::string fields_name(const std::string& path);
// The NAME of NAME.fields; nothing for other names.
std::optional<std::string> set_of_fields(std::string_view path);

}  // namespace lq::sets
