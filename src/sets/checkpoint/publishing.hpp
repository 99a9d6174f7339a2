// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The last steps of a set, whoever wrote it: complete files get their names, and what is left of the set they replace
// is removed. Until then a file is called .NAME.xxxxxxxx, with the first digits of the set's generation, so that
// who knows the generation knows the name. Local.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sets/checkpoint/record.hpp"
#include "storage/transport.hpp"

namespace lq::sets {

// A file of the set `path` under its temporary name. Where there is such a set already, no other program may open it
// yet.
std::unique_ptr<storage::File> create_part(storage::Transport& transport, const std::string& path,
                                           const std::string& part);
// The same with stripes, for a file of the given number of bytes; 0: not known.
std::unique_ptr<storage::File> create_part(storage::Transport& transport, const std::string& path,
                                           const std::string& part, const StripeRequest& request, std::uint64_t bytes);
// Gives a file of the set `path` its name. exists: it is taken and is not to be replaced. Access rights of a file that
// is replaced are kept; a file more than there were gets those of the set's first one, so give file 0 its name last.
void give_name(storage::Transport& transport, const std::string& path, const std::string& part, const std::string& name,
               bool overwrite);
// The same of all that are left of the set `path`, its first file last, so that a set that can be opened is whole; then
// what is left of an older set is removed. A file that has its name already keeps it.
struct NewName {
  std::string part, name;
};
struct Publishing {
  std::int32_t files = 1;  // of the new set, those that have their names included
  bool has_fields = false;
  bool overwrite = false;
  std::int32_t older_files = 0;  // of the set that is replaced
  bool syncs = true;
  // Its files say to which set they belong, and readers find them under their temporary names. Else a record says so
  // (io/replacement.hpp).
  bool has_generation = true;
};
void publish_set(storage::Transport& transport, const std::string& path, std::span<const NewName> names,
                 const Publishing& set);
// How many physical files the set at `path` has; 0: there is none.
std::int32_t files_of(storage::Transport& transport, const std::string& path);
// Whether it is physical file `number` of a multifile.
bool is_physical_file(storage::Transport& transport, const std::string& name, std::int32_t number);
// exists: there is a NAME.fields next to the set `path` that is of a set not to be replaced, or of none.
void require_fields_target(storage::Transport& transport, const std::string& path, bool overwrite);
void remove_quietly(storage::Transport& transport, const std::string& path) noexcept;

std::string part_name(const std::string& path, const Generation& generation);
// The same, and as earlier versions called it.
std::array<std::string, 2> part_names(const std::string& path, const Generation& generation);
// Which of them there is; the first where there is none.
std::string found_part(storage::Transport& transport, const std::string& path, const Generation& generation);
// The NAME of a temporary name; nothing for other names.
std::optional<std::string> final_name(std::string_view path);

}  // namespace lq::sets
