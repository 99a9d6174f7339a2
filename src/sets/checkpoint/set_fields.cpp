// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "sets/checkpoint/set_fields.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include <limequat/grid.hpp>

#include "base/error.hpp"
#include "base/text.hpp"
#include "format/format.hpp"
#include "io/transfer.hpp"
#include "storage/pinned_transport.hpp"

namespace lq::sets {
namespace {

constexpr std::string_view ending = ".fields";
constexpr std::size_t longest_name = 255;

// Removes the line "key = value" from the front of `text`.
std::optional<std::string_view> take_line(std::string_view& text, std::string_view key) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  std::string_view line = text.substr(0, end);
  if (!line.starts_with(key) || !line.substr(key.size()).starts_with(" = ")) return std::nullopt;
  text.remove_prefix(end + 1);
  return line.substr(key.size() + 3);
}

std::optional<Extents> extents_in(std::string_view text) {
  try {
    return parse_extents(text);
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::optional<Precision> precision_in(std::string_view text) noexcept {
  for (const Precision one : {Precision::single, Precision::double_}) {
    if (text == name(one)) return one;
  }
  return std::nullopt;
}

// Why it is not a valid name; empty if it is.
std::string objection(std::string_view name) {
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (name.empty()) return "it is empty";
  if (name.size() > longest_name) return fmt::format("it has {} bytes, the limit is {}", name.size(), longest_name);
  if (std::ranges::any_of(name, is_control)) return "it holds control characters";
  if (base::trim(name).size() != name.size()) return "it begins or ends with white space";
  for (std::string_view rest = name; !rest.empty(); rest.remove_prefix(base::utf8_length(rest))) {
    if (base::utf8_length(rest) == 0) return "it is not UTF-8";
  }
  return {};
}

}  // namespace

std::string encode(const FieldNote& note) {
  return fmt::format("version = 1\ngeneration = {}\nlattice = {}\nprocesses = {}\nprecision = {}\nname = {}\n",
                     note.generation.text(), to_string(note.lattice), to_string(note.processes), name(note.precision),
                     note.name);
}

std::optional<FieldNote> decode_note(std::string_view text) {
  const auto version = take_line(text, "version");
  const auto generation_text = take_line(text, "generation");
  const auto lattice_text = take_line(text, "lattice");
  const auto processes_text = take_line(text, "processes");
  const auto precision_text = take_line(text, "precision");
  const auto name = take_line(text, "name");
  if (version != "1" || !generation_text || !lattice_text || !processes_text || !precision_text || !name) {
    return std::nullopt;
  }
  const auto generation = parse_generation(*generation_text);
  const auto lattice = extents_in(*lattice_text), processes = extents_in(*processes_text);
  const auto precision = precision_in(*precision_text);
  if (!generation || !lattice || !processes || !precision || !objection(*name).empty()) return std::nullopt;
  return FieldNote{*generation, *lattice, *processes, *precision, std::string(*name)};
}

void require_field_name(const std::string& path, const std::string& name) {
  const std::string why = objection(name);
  if (why.empty()) return;
  base::fail(Code::invalid_argument, path, "a field cannot be called \"{}\": {}", base::printable(name), why);
}

std::string fields_name(const std::string& path) { return path + std::string(ending); }

std::optional<std::string> set_of_fields(std::string_view path) {
  if (path.size() <= ending.size() || !path.ends_with(ending)) return std::nullopt;
  return std::string(path.substr(0, path.size() - ending.size()));
}

namespace {

constexpr std::string_view lattice_type = "scidac-private-file-xml";

// A message of the file that holds a field or its note, or the lattice of the following fields.
struct Message {
  std::optional<std::size_t> note, entry;  // of the catalog's records; of its fields
  bool states_lattice = false;
  ByteInterval place;
};

std::uint64_t padded_end(const Record& record) noexcept {
  return record.offset + record.data_length + (8 - record.data_length % 8) % 8;
}

// By number; other messages are omitted.
std::map<std::uint64_t, Message> messages_of(const Catalog& catalog) {
  std::map<std::uint64_t, Message> messages;
  for (std::size_t i = 0; i < catalog.records.size(); ++i) {
    const Record& record = catalog.records[i];
    if (record.type == lattice_type) messages[record.message].states_lattice = true;
    if (record.type != note_type) continue;
    std::optional<std::size_t>& note = messages[record.message].note;
    if (!note) note = i;
  }
  for (std::size_t i = 0; i < catalog.fields.size(); ++i) {
    messages[catalog.records[catalog.fields[i].record].message].entry = i;
  }
  for (const Record& record : catalog.records) {
    const auto found = messages.find(record.message);
    if (found == messages.end()) continue;
    if (record.number == 1) found->second.place.begin = record.header_offset;
    found->second.place.end = padded_end(record);
  }
  return messages;
}

std::optional<FieldNote> read_note(base::ByteSource& file, const Record& record) {
  std::string text(static_cast<std::size_t>(std::min<std::uint64_t>(record.data_length, longest_note)), '\0');
  text.resize(file.read_at(record.offset, std::as_writable_bytes(std::span(text))));
  return decode_note(text);
}

std::optional<FieldNote> note_of(const FieldEntry& entry) {
  const auto text = std::ranges::find(entry.metadata, note_type, &Metadata::value_type::first);
  return text == entry.metadata.end() ? std::nullopt : decode_note(text->second);
}

// Why the field of a note is unavailable, or empty.
std::string objection(const FieldNote& note, const FieldEntry* entry, const Generation& generation) {
  if (note.generation != generation) {
    return fmt::format("its generation ({}) is not the set's ({})", note.generation.text(), generation.text());
  }
  if (entry == nullptr || !entry->sums.checksum()) return "it is incomplete, or its records are damaged";
  const bool agrees = entry->name == note.name && entry->payload.extents == note.lattice &&
                      entry->payload.stored == whole(note.lattice) && entry->payload.spec.precision == note.precision;
  return agrees ? "" : "its records contradict each other";
}

ChunkDamage damage_of(const std::string& path, const BrokenField& broken) {
  return {.path = path,
          .task = -1,
          .offset = broken.offset,
          .what = fmt::format("{}: field \"{}\": {}", path, broken.name, broken.what),
          .field = broken.name};
}

}  // namespace

SetFields sort_fields(const Catalog& catalog, const Generation& generation, base::ByteSource* file) {
  SetFields sorted;
  std::set<std::string> names;
  ByteInterval lattice;
  for (const auto& [number, message] : messages_of(catalog)) {
    if (message.states_lattice) lattice = message.place;
    if (!message.note && !message.entry) continue;
    const FieldEntry* entry = message.entry ? &catalog.fields[*message.entry] : nullptr;
    std::optional<FieldNote> note = entry != nullptr ? note_of(*entry) : std::nullopt;
    if (!note && message.note && file != nullptr) note = read_note(*file, catalog.records[*message.note]);
    std::string why =
        note && message.note ? objection(*note, entry, generation) : "the record that states its owner is damaged";
    if (why.empty() && !names.insert(note->name).second) why = "another one of this name precedes it";
    if (why.empty()) {
      sorted.intact.push_back(
          {std::move(*note), *message.entry, message.place, lattice, catalog.records[*message.note].offset});
    } else {
      const std::string name = note ? note->name : entry != nullptr ? entry->name : fmt::format("message {}", number);
      sorted.broken.push_back({name, message.place.begin, std::move(why)});
    }
  }
  return sorted;
}

std::optional<Generation> read_fields_generation(storage::Transport& transport, const std::string& path) {
  try {
    if (transport.kind(path) != storage::PathKind::file) return std::nullopt;
    const auto file = transport.open_read(path);
    const Catalog catalog = format::format_named("scidac").container->scan(*file, {});
    for (const Record& record : catalog.records) {
      if (record.type != note_type) continue;
      if (const auto note = read_note(*file, record)) return note->generation;
    }
  } catch (const Error& error) {
    if (cannot_be_read(error)) throw;
    // Whatever else is wrong with it, it has no fields of a set.
  }
  return std::nullopt;
}

std::optional<Generation> fields_generation_at(storage::Transport& transport, const std::string& path) {
  try {
    return read_fields_generation(transport, path);
  } catch (const Error&) {
    return std::nullopt;
  }
}

bool cannot_be_read(const Error& error) noexcept {
  return error.code() == Code::io || error.code() == Code::no_permission;
}

MultifileField describe(const Catalog& catalog, const SetField& field) {
  const FieldEntry& entry = catalog.fields[field.entry];
  MultifileField described{.name = field.note.name,
                           .spec = entry.payload.spec,
                           .extents = entry.payload.extents,
                           .processes = field.note.processes,
                           .bytes = entry.payload.length,
                           .checksum = entry.sums.checksum(),
                           .metadata = {}};
  for (const auto& text : entry.metadata) {
    if (text.first != note_type) described.metadata.push_back(text);
  }
  return described;
}

void require_sound_data(storage::Transport& transport, const Catalog& catalog, const FieldEntry& entry) {
  MutableField nowhere;
  nowhere.spec = entry.payload.spec;
  nowhere.store = [](const Coord&, const void*) {};
  io::read_entry(transport, catalog, entry, Grid(entry.payload.extents), nowhere, {});
}

CheckedFields check_fields(storage::Transport& transport, const std::string& path, const Generation& generation,
                           FieldData data) {
  CheckedFields checked;
  storage::PinnedTransport files(transport);
  const auto file = files.open_read(path);
  checked.catalog = format::format_named("scidac").container->scan(*file, {});
  checked.fields = sort_fields(checked.catalog, generation, file.get());
  for (const BrokenField& broken : checked.fields.broken) checked.damage.push_back(damage_of(path, broken));
  checked.is_sound.assign(checked.fields.intact.size(), true);
  if (data == FieldData::left_out) return checked;
  for (std::size_t i = 0; i < checked.is_sound.size(); ++i) {
    const SetField& field = checked.fields.intact[i];
    const FieldEntry& entry = checked.catalog.fields[field.entry];
    try {
      require_sound_data(files, checked.catalog, entry);
    } catch (const Error& error) {
      if (error.code() == Code::out_of_memory) throw;
      if (cannot_be_read(error) && !checked.unreadable) checked.unreadable = error;
      checked.is_sound[i] = false;
      checked.damage.push_back(damage_of(path, {field.note.name, entry.payload.offset, error.what()}));
      checked.damage.back().bytes = entry.payload.length;
    }
  }
  return checked;
}

RecoveredFields recover_fields(storage::Transport& transport, const std::string& path, const Generation& generation,
                               bool dry_run) {
  CheckedFields checked = check_fields(transport, path, generation);
  std::size_t kept = checked.is_sound.size();
  // Data that another attempt may find intact are not cut off.
  while (!checked.unreadable && kept > 0 && !checked.is_sound[kept - 1]) --kept;
  const std::uint64_t end = kept > 0 ? checked.fields.intact[kept - 1].message.end : 0;
  if (checked.catalog.file_bytes > end) {
    const auto is_behind = [&](const ChunkDamage& damage) { return damage.offset >= end; };
    if (std::ranges::none_of(checked.damage, is_behind)) {
      checked.damage.push_back(damage_of(path, {"", end, "the data that follow were not written completely"}));
    }
    if (kept > 0 && !dry_run) {
      const auto file = transport.open_write(path);
      file->resize(end);
      file->sync();
    }
  }
  return {kept, std::move(checked.damage)};
}

}  // namespace lq::sets
