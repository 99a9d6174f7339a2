// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "sets/checkpoint/publishing.hpp"

#include <vector>

#include <limequat/error.hpp>

#include "base/random_number.hpp"
#include "base/temporary_name.hpp"
#include "format/sion/head.hpp"
#include "format/sion/names.hpp"
#include "io/new_file.hpp"
#include "io/replacement.hpp"
#include "sets/checkpoint/field_note.hpp"
#include "sets/checkpoint/set_fields.hpp"

namespace lq::sets {

namespace sion = format::sion;

namespace {

// The fields of an older set if the new one has none itself, and its further files. What cannot be removed stays.
void remove_older(storage::Transport& transport, const std::string& path, const Publishing& set) {
  const std::string fields = fields_name(path);
  if (!set.has_fields && fields_generation_at(transport, fields)) remove_quietly(transport, fields);
  for (std::int32_t number = set.files; number < set.older_files; ++number) {
    const std::string name = sion::file_name(path, number);
    if (is_physical_file(transport, name, number)) remove_quietly(transport, name);
  }
}

}  // namespace

bool is_physical_file(storage::Transport& transport, const std::string& name, std::int32_t number) {
  try {
    return sion::read_head(*transport.open_read(name)).file_number == number;
  } catch (const Error&) {
    return false;  // it is not there, or is something else
  }
}

std::unique_ptr<storage::File> create_part(storage::Transport& transport, const std::string& path,
                                           const std::string& part) {
  return transport.create(part, {.is_private = transport.kind(path) == storage::PathKind::file});
}

std::unique_ptr<storage::File> create_part(storage::Transport& transport, const std::string& path,
                                           const std::string& part, const StripeRequest& request, std::uint64_t bytes) {
  const std::string spare = base::temporary_name(path, base::random_number());
  auto file = create_part(transport, path, part);
  try {
    // It may be another file now.
    if (transport.set_stripes(part, spare, bytes, request).stripes.is_set()) file = transport.open_write(part);
  } catch (...) {
    file.reset();
    remove_quietly(transport, part);
    throw;
  }
  return file;
}

void give_name(storage::Transport& transport, const std::string& path, const std::string& part, const std::string& name,
               bool overwrite) {
  const bool replaces = overwrite && transport.kind(name) == storage::PathKind::file;
  if (replaces || transport.kind(path) == storage::PathKind::file) {
    transport.copy_permissions(replaces ? name : path, part);
  }
  replaces ? transport.rename(part, name) : transport.publish(part, name);
}

namespace {

void replace_plain(storage::Transport& transport, const std::string& path, std::span<const NewName> names,
                   const Publishing& set) {
  std::vector<io::Renaming> files;
  for (const NewName& one : names) {
    if (one.part != one.name) files.insert(files.begin(), {one.part, one.name});
  }
  if (!files.empty()) {
    io::replace_together(
        transport, files, set.overwrite, set.syncs ? Sync::full : Sync::data, [] {}, io::files_of_set);
  }
  if (set.overwrite) remove_older(transport, path, set);
}

}  // namespace

void publish_set(storage::Transport& transport, const std::string& path, std::span<const NewName> names,
                 const Publishing& set) {
  if (!set.has_generation && names.size() > 1) return replace_plain(transport, path, names, set);
  for (const NewName& one : names) {
    const bool is_last = &one == &names.back();
    if (is_last && set.syncs && (set.files > 1 || set.has_fields)) transport.sync_directory(path);
    if (one.part != one.name) give_name(transport, path, one.part, one.name, set.overwrite);
  }
  if (set.overwrite) remove_older(transport, path, set);
  if (set.syncs) transport.sync_directory(path);
}

std::int32_t files_of(storage::Transport& transport, const std::string& path) {
  if (transport.kind(path) != storage::PathKind::file) return 0;
  try {
    const auto file = transport.open_read(path);
    return sion::read_head(*file).files;
  } catch (const Error& error) {
    // What is replaced may be no multifile: then there is nothing next to it to be removed.
    if (cannot_be_read(error)) throw;
  }
  return 0;
}

void require_fields_target(storage::Transport& transport, const std::string& path, bool overwrite) {
  const std::string name = fields_name(path);
  // A file of that name that is not of a set is nothing that the user asked to have replaced.
  io::require_target(transport, name, overwrite && fields_generation_at(transport, name));
}

void remove_quietly(storage::Transport& transport, const std::string& path) noexcept {
  try {
    transport.remove(path);
  } catch (...) {
    // Nothing more can be done here.
  }
}

namespace {

std::uint32_t number_of(const Generation& generation) { return base::load_be<std::uint32_t>(generation.bytes.data()); }

}  // namespace

std::string part_name(const std::string& path, const Generation& generation) {
  return base::temporary_name(path, number_of(generation));
}

std::array<std::string, 2> part_names(const std::string& path, const Generation& generation) {
  return base::temporary_names(path, number_of(generation));
}

std::string found_part(storage::Transport& transport, const std::string& path, const Generation& generation) {
  const auto [name, older] = part_names(path, generation);
  return transport.kind(older) == storage::PathKind::file ? older : name;
}

std::optional<std::string> final_name(std::string_view path) {
  const auto found = base::parse_temporary_name(path);
  return found ? std::optional(found->name) : std::nullopt;
}

}  // namespace lq::sets
