// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The file with the fields of a set: the note of each field, and a check of the file. Local unless stated
// otherwise.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <limequat/catalog.hpp>
#include <limequat/error.hpp>
#include <limequat/field.hpp>
#include <limequat/multifile.hpp>

#include "base/byte_source.hpp"
#include "base/inner.hpp"
#include "sets/checkpoint/record.hpp"
#include "storage/transport.hpp"

namespace lq::sets {

// The note of each field of a set, a text record next to its data: its set, its name, and
// its distribution when it was written (formats/sion-records.md 8).

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
// Empty unless the text is such a note, and complete.
std::optional<FieldNote> decode_note(std::string_view text);

// Local. invalid_argument: not a valid name of a field.
void require_field_name(const std::string& path, const std::string& name);

// The file with the fields of the set NAME: NAME.fields.
LQ_INNER std::string fields_name(const std::string& path);
// The NAME of NAME.fields; empty for other names.
std::optional<std::string> set_of_fields(std::string_view path);

// A check of the file with the fields of a set: the existing fields, their set, and what is wrong with
// others. Local unless stated otherwise.

// A byte range of the file.
struct ByteInterval {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;  // after the last
};

// One field of the set, structurally complete; its data may still differ from their checksum.
struct SetField {
  FieldNote note;
  std::size_t entry = 0;          // of the catalog's fields
  ByteInterval message;           // containing it
  ByteInterval lattice;           // the preceding message with its lattice
  std::uint64_t note_offset = 0;  // of the text of the note
};

// An invalid field.
struct BrokenField {
  std::string name;  // as far as known
  std::uint64_t offset = 0;
  std::string what;
};

struct SetFields {
  std::vector<SetField> intact;
  std::vector<BrokenField> broken;
};

// `file`, if given, provides the names of broken fields.
SetFields sort_fields(const Catalog& catalog, const Generation& generation, base::ByteSource* file = nullptr);
// The generation of the first field in the file; empty if there is no file, or no note.
std::optional<Generation> fields_generation_at(storage::Transport& transport, const std::string& path);
// The same; throws if it cannot be read: io, no_permission.
std::optional<Generation> read_fields_generation(storage::Transport& transport, const std::string& path);
bool cannot_be_read(const Error& error) noexcept;  // true if the error does not concern the contents
// For users.
MultifileField describe(const Catalog& catalog, const SetField& field);
// Reads the data in bounded memory; throws the errors of reading, mainly checksum_mismatch.
void require_sound_data(storage::Transport& transport, const Catalog& catalog, const FieldEntry& entry);

// The result of checking the fields of a set of that generation.
struct CheckedFields {
  Catalog catalog;
  SetFields fields;
  std::vector<bool> is_sound;  // of the intact ones: also the data
  std::vector<ChunkDamage> damage;
  std::optional<Error> unreadable;  // the first damage that another attempt may not find
};
enum class FieldData { compared, left_out };  // left_out: all data are assumed to be intact
CheckedFields check_fields(storage::Transport& transport, const std::string& path, const Generation& generation,
                           FieldData data = FieldData::compared);
// The number of recoverable fields, and the losses.
struct RecoveredFields {
  std::uint64_t fields = 0;
  std::vector<ChunkDamage> damage;
};
// For an interrupted set: everything after the last complete and intact field is cut off the file.
RecoveredFields recover_fields(storage::Transport& transport, const std::string& path, const Generation& generation,
                               bool dry_run);

}  // namespace lq::sets
