// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The transfer engine of lq::write moves the sites.
#include "sets/checkpoint/fields_writer.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/error.hpp"
#include "comm/agree.hpp"
#include "format/format.hpp"
#include "io/transfer.hpp"
#include "sets/checkpoint/closing.hpp"

namespace lq::sets {

FieldsWriter::FieldsWriter(storage::Transport& transport, const Communicator& communicator,
                           const Generation& generation, Sync sync, Start start)
    : transport_(transport),
      communicator_(communicator),
      generation_(generation),
      sync_(sync),
      name_(std::move(start.name)),
      at_(std::move(start.at)),
      end_(start.end),
      names_(std::move(start.names)) {}

void FieldsWriter::require_writable(const std::string& name, const Grid& grid, const WriteOptions& options) const {
  const auto refuse = [&](Code code, const std::string& what) {
    base::fail(code, {.path = name_, .record = name}, "field \"{}\": {}", name, what);
  };
  require_field_name(name_, name);
  if (names_.contains(name)) refuse(Code::exists, "the set has a field of this name already; choose another");
  if (grid.size() != communicator_.size()) {
    refuse(Code::invalid_argument, fmt::format("its grid has {} ranks, the set has {}; create the grid on all of them",
                                               grid.size(), communicator_.size()));
  }
  if (options.verify == Verify::none) {
    refuse(Code::invalid_argument, "fields of a set are recovered by their checksums; leave verify unchanged");
  }
  if (std::ranges::count(options.metadata, note_type, &Metadata::value_type::first) > 0) {
    refuse(Code::invalid_argument, fmt::format("only the library writes records \"{}\"", note_type));
  }
}

Report FieldsWriter::write(const std::string& name, const Grid& grid, const Field& field, const WriteOptions& options) {
  if (has_failed_) cut_off_what_failed();
  WriteOptions how;
  std::set<std::string> added;
  std::unique_ptr<io::FieldWriter> writer;
  comm::require_same(communicator_.engine(), [&] {
    require_writable(name, grid, options);
    const FieldNote note{generation_, grid.extents(), grid.processes(),
                         options.precision.value_or(field.spec.precision), name};
    how = options;
    how.format = "scidac";
    how.name = name;
    how.sync = sync_;
    how.overwrite = false;
    how.metadata.emplace_back(note_type, encode(note));
    writer = std::make_unique<io::FieldWriter>(transport_, communicator_, name_, how,
                                               io::FieldWriter::Continuation{at_, end_, lattice_ != grid.extents()});
    added.insert(name);
    return std::vector<comm::StatedArgument>{{"the name of the field", name}};
  });
  has_failed_ = true;
  Report report = io::append_field(*writer, transport_, grid, name_, name, field, how.metadata, how);
  writer->complete(report);
  has_failed_ = false;
  end_ = writer->end();
  lattice_ = grid.extents();
  names_.merge(added);
  return report;
}

// The file ends with a complete field, whatever happened to the next one.
void FieldsWriter::cut_off_what_failed() {
  comm::agree_at_root(communicator_.engine(), [&] {
    const auto file = transport_.open_write(at_);
    file->resize(end_);
    if (sync_ != Sync::none) file->sync();
  });
  lattice_ = {};
  has_failed_ = false;
}

void FieldsWriter::finish() {
  if (has_failed_) cut_off_what_failed();
}

FieldsWriter::Start create_fields(storage::Transport& transport, const std::string& path, const Generation& generation,
                                  bool overwrite) {
  const std::string name = fields_name(path), part = part_name(name, generation);
  require_fields_target(transport, path, overwrite);
  if (transport.kind(part) == storage::PathKind::file) transport.remove(part);  // left by a failed attempt
  create_part(transport, path, part)->close();
  return {name, part, 0, {}};
}

FieldsWriter::Start behind_fields(storage::Transport& transport, const std::string& path, const Generation& generation,
                                  std::uint64_t fields) {
  const std::string name = fields_name(path);
  const auto file = transport.open_read(name);
  const SetFields there = sort_fields(format::format_named("scidac").container->scan(*file, {}), generation);
  FieldsWriter::Start start{name, name, file->size(), {}};
  for (const SetField& field : there.intact) start.names.insert(field.note.name);
  const bool is_whole =
      there.broken.empty() && there.intact.size() == fields && there.intact.back().message.end == start.end;
  if (is_whole) return start;
  base::fail(Code::malformed, name,
             "its fields differ from the {} fields of the set; \"lq verify\" shows what is wrong. Restore the "
             "file that was written with the set",
             fields);
}

namespace {

constexpr std::uint64_t copied_bytes = 1 << 20;

std::uint64_t length(const ByteInterval& bytes) noexcept { return bytes.end - bytes.begin; }

}  // namespace

std::uint64_t copy_bytes(base::ByteSource& source, const ByteInterval& from, storage::File& to, std::uint64_t offset,
                         const BytesCopied& copied) {
  std::vector<std::byte> buffer(static_cast<std::size_t>(std::min(copied_bytes, length(from))));
  for (std::uint64_t at = from.begin; at < from.end; at += buffer.size(), offset += buffer.size()) {
    buffer.resize(static_cast<std::size_t>(std::min(copied_bytes, from.end - at)));
    if (source.read_at(at, buffer) < buffer.size()) {
      base::fail(Code::truncated, {.path = source.path(), .offset = at},
                 "became shorter while being copied; try again");
    }
    base::require_same_again(source, at, buffer);  // the copied bytes must equal the compared ones
    to.write_at(offset, buffer);
    copied(buffer.size());
  }
  return offset;
}

CopiedFields::CopiedFields(storage::Transport& transport, const FoundSet& found, FieldData data) {
  if (!found.has_records()) return;
  if (found.fields_problem && cannot_be_read(*found.fields_problem)) throw Error(*found.fields_problem);
  checked_ = check_fields(transport, found, data);
  if (checked_.unreadable) throw Error(*checked_.unreadable);
  for (std::size_t i = 0; i < checked_.is_sound.size(); ++i) {
    if (checked_.is_sound[i]) sound_.push_back(i);
  }
  if (!sound_.empty()) file_ = transport.open_read(found.fields_path);
}

CopiedFields CopiedFields::examine_twice(storage::Transport& transport, const FoundSet& found, FieldData data) {
  CopiedFields first(transport, found, data);
  return first.damage().empty() ? first : CopiedFields(transport, found, data);
}

std::optional<std::size_t> CopiedFields::find(std::string_view name) const noexcept {
  for (std::size_t i = 0; i < count(); ++i) {
    if (this->name(i) == name) return i;
  }
  return std::nullopt;
}

std::uint64_t CopiedFields::bytes() const noexcept {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < count(); ++i) sum += bytes(i);
  return sum;
}

std::uint64_t CopiedFields::bytes(std::size_t index) const noexcept {
  return length(field(index).lattice) + length(field(index).message);
}

void CopiedFields::write(storage::File& to, const Generation& generation, const BytesCopied& copied) const {
  std::uint64_t end = 0, stated = 0;
  for (std::size_t i = 0; i < count(); ++i) {
    const SetField& one = field(i);
    // The message with the lattice of several fields precedes the first of them.
    if (i == 0 || one.lattice.begin != stated) end = copy_bytes(*file_, one.lattice, to, end, copied);
    stated = one.lattice.begin;
    const std::uint64_t note = end + (one.note_offset - one.message.begin) + note_generation_offset;
    end = copy_bytes(*file_, one.message, to, end, copied);
    to.write_at(note, base::as_bytes(generation.text()));
  }
}

void CopiedFields::require_sound(std::size_t index, storage::Transport& transport) const {
  require_sound_data(transport, checked_.catalog, checked_.catalog.fields[field(index).entry]);
}

void CopiedFields::write_one(std::size_t index, storage::File& to) const {
  const BytesCopied nobody = [](std::uint64_t) {};
  const std::uint64_t end = copy_bytes(*file_, field(index).lattice, to, 0, nobody);
  copy_bytes(*file_, field(index).message, to, end, nobody);
}

}  // namespace lq::sets
