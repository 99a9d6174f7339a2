// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// See publishing.hpp.
#include "checkpoint/publishing.hpp"

#include <limequat/error.hpp>

#include "checkpoint/field_note.hpp"
#include "checkpoint/set_fields.hpp"
#include "format/sion/head.hpp"
#include "format/sion/names.hpp"
#include "io/new_file.hpp"

namespace lq::checkpoint {

namespace sion = format::sion;

std::unique_ptr<transport::File> create_part(transport::Transport& transport, const std::string& path,
                                             const std::string& part) {
  return transport.create(part, {.is_private = transport.kind(path) == transport::PathKind::file});
}

void give_name(transport::Transport& transport, const std::string& path, const std::string& part,
               const std::string& name, bool overwrite) {
  const bool replaces = overwrite && transport.kind(name) == transport::PathKind::file;
  if (replaces || transport.kind(path) == transport::PathKind::file) {
    transport.copy_permissions(replaces ? name : path, part);
  }
  replaces ? transport.rename(part, name) : transport.publish(part, name);
}

std::int32_t files_of(transport::Transport& transport, const std::string& path) {
  if (transport.kind(path) != transport::PathKind::file) return 0;
  try {
    const auto file = transport.open_read(path);
    return sion::read_head(*file).files;
  } catch (const Error& error) {
    // What is replaced may be no multifile: then there is nothing beside it to be removed.
    if (cannot_be_read(error)) throw;
  }
  return 0;
}

void require_fields_target(transport::Transport& transport, const std::string& path, bool overwrite) {
  const std::string name = fields_name(path);
  // A file of that name that is not of a set is nothing that the user asked to have replaced.
  io::require_target(transport, name, overwrite && fields_generation_at(transport, name));
}

void remove_older(transport::Transport& transport, const std::string& path, std::int32_t files,
                  std::int32_t older_files, bool has_fields) {
  const std::string fields = fields_name(path);
  if (!has_fields && fields_generation_at(transport, fields)) remove_quietly(transport, fields);
  for (std::int32_t number = files; number < older_files; ++number) {
    try {
      const std::string name = sion::file_name(path, number);
      if (sion::read_head(*transport.open_read(name)).file_number == number) transport.remove(name);
    } catch (const Error&) {
      // It was not there, or is something else: the new set is complete all the same.
    }
  }
}

void remove_quietly(transport::Transport& transport, const std::string& path) noexcept {
  try {
    transport.remove(path);
  } catch (...) {
    // Nothing more can be done here.
  }
}

}  // namespace lq::checkpoint
