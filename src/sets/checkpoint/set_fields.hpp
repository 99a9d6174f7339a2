// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The file with the fields of a set: what each field says of itself, and the file looked through. Local unless said
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

// What each field of a set says of itself, in a record of text next to its data: which set it belongs to, its name, and
// how it was dealt out when it was written (formats/sion-records.md 8).

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

// The file with the fields of a set, looked through: which of them are there, whose they are, what is wrong with
// others. Local unless said otherwise.

// Bytes of the file.
struct Stretch {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;  // after the last
};

// One field of the set, complete in form; whether its data agree with their checksum is another question.
struct SetField {
  FieldNote note;
  std::size_t entry = 0;          // of the catalog's fields
  Stretch message;                // that holds it
  Stretch lattice;                // the message before it that states its lattice
  std::uint64_t note_offset = 0;  // of the text of the note
};

// What should be one, and is not.
struct BrokenField {
  std::string name;  // as far as known
  std::uint64_t offset = 0;
  std::string what;
};

struct SetFields {
  std::vector<SetField> intact;
  std::vector<BrokenField> broken;
};

// `file`, where it is given, tells the names of fields that are broken.
SetFields sort_fields(const Catalog& catalog, const Generation& generation, base::ByteSource* file = nullptr);
// The generation that the first field in the file belongs to; nothing where there is no file, or none with a note.
std::optional<Generation> fields_generation_at(storage::Transport& transport, const std::string& path);
// The same; throws where it cannot be read: io, no_permission.
std::optional<Generation> read_fields_generation(storage::Transport& transport, const std::string& path);
bool cannot_be_read(const Error& error) noexcept;  // which says nothing of the contents
// For users.
MultifileField describe(const Catalog& catalog, const SetField& field);
// Reads the data in bounded memory; throws what reading throws, checksum_mismatch above all.
void require_sound_data(storage::Transport& transport, const Catalog& catalog, const FieldEntry& entry);

// The fields of a set of that generation, looked through.
struct CheckedFields {
  Catalog catalog;
  SetFields fields;
  std::vector<bool> is_sound;  // of the intact ones: the data, too
  std::vector<ChunkDamage> damage;
  std::optional<Error> unreadable;  // the first of this damage that another attempt may not find
};
enum class FieldData { compared, left_out };  // left out: all are taken to be sound
CheckedFields check_fields(storage::Transport& transport, const std::string& path, const Generation& generation,
                           FieldData data = FieldData::compared);
// How many can be recovered, and what is lost.
struct RecoveredFields {
  std::uint64_t fields = 0;
  std::vector<ChunkDamage> damage;
};
// Of an interrupted set: what is after the last field that is whole and sound is cut off the file.
RecoveredFields recover_fields(storage::Transport& transport, const std::string& path, const Generation& generation,
                               bool dry_run);

}  // namespace lq::sets
