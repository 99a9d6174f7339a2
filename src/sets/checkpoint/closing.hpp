// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The last steps of a set, whoever wrote it. A physical file is closed by metadata block 2 with the tail record after
// it, and then by one small write that is never torn: the number of blocks and the place of the table in metadata
// block 1. Then complete files get their names, and what is left of the set that they replace is removed.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "format/sion/set.hpp"
#include "sets/checkpoint/record.hpp"
#include "storage/transport.hpp"

namespace lq::sets {

inline constexpr std::uint64_t version_offset = 16;  // of the version of the format in a header
inline constexpr std::uint64_t files_offset = 28;    // of the number of physical files

struct Closing {
  SetRecord record;
  format::sion::Tail tail;
  std::vector<std::uint64_t> sizes;  // of each stream; of compressed ones only
  std::vector<StreamLoss> losses;    // what a repair did not find
  std::uint64_t start = 0;           // of the first chunk
  std::uint64_t skip = 0;            // from a block to the next
  ByteOrder order = format::sion::host_order;
  std::uint32_t fields = 0;  // of the set; of file 0 only
  bool was_repaired = false;
  bool was_published = false;  // the file has its name already: its parts reach the disk in order
};

// Of a file that is there.
Closing closing_of(const format::sion::PhysicalFile& file, const SetRecord& record);
void close_file(storage::File& file, const Closing& closing);
// Marks a closed file as not closed.
void open_again(storage::File& file, std::int32_t tasks, ByteOrder order);
// Rewrites the record after the header.
void write_set_record(storage::File& file, const SetRecord& record);
// wrong_state: another program has repaired the set or gone on with it since `mine` was read or written.
void require_epoch(base::ByteSource& file, const SetRecord& mine);

// The last steps of a set, whoever wrote it: complete files get their names, and what is left of the set they replace
// is removed. Until then a file is called .NAME.xxxxxxxx, with the first digits of the set's generation, so that
// who knows the generation knows the name. Local.

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
