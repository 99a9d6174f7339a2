// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "sets/checkpoint/copied_fields.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/read_twice.hpp"

namespace lq::sets {
namespace {

constexpr std::uint64_t copied_bytes = 1 << 20;

std::uint64_t length(const Stretch& stretch) noexcept { return stretch.end - stretch.begin; }

}  // namespace

std::uint64_t copy_stretch(base::ByteSource& source, const Stretch& from, storage::File& to, std::uint64_t offset,
                           const BytesCopied& copied) {
  std::vector<std::byte> buffer(static_cast<std::size_t>(std::min(copied_bytes, length(from))));
  for (std::uint64_t at = from.begin; at < from.end; at += buffer.size(), offset += buffer.size()) {
    buffer.resize(static_cast<std::size_t>(std::min(copied_bytes, from.end - at)));
    if (source.read_at(at, buffer) < buffer.size()) {
      throw Error(Code::truncated, fmt::format("{}: became shorter while it was copied; try again", source.path()),
                  {.path = source.path(), .offset = at});
    }
    base::require_same_again(source, at, buffer);  // what was compared is what came then
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

CopiedFields CopiedFields::looked_at_twice(storage::Transport& transport, const FoundSet& found, FieldData data) {
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
    // The message that states the lattice of several fields goes before the first of them.
    if (i == 0 || one.lattice.begin != stated) end = copy_stretch(*file_, one.lattice, to, end, copied);
    stated = one.lattice.begin;
    const std::uint64_t note = end + (one.note_offset - one.message.begin) + note_generation_offset;
    end = copy_stretch(*file_, one.message, to, end, copied);
    to.write_at(note, base::as_bytes(generation.text()));
  }
}

void CopiedFields::require_sound(std::size_t index, storage::Transport& transport) const {
  require_sound_data(transport, checked_.catalog, checked_.catalog.fields[field(index).entry]);
}

void CopiedFields::write_one(std::size_t index, storage::File& to) const {
  const BytesCopied nobody = [](std::uint64_t) {};
  const std::uint64_t end = copy_stretch(*file_, field(index).lattice, to, 0, nobody);
  copy_stretch(*file_, field(index).message, to, end, nobody);
}

}  // namespace lq::sets
