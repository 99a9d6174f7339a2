// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The last steps of writing a set. A physical file is closed by metadata block 2 with the tail record after
// it, and then by one small write that is never torn: the number of blocks and the position of the table in metadata
// block 1. Then complete files are renamed, and what is left of the set they replace is removed.
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

inline constexpr std::uint64_t version_offset = 16;  // of the format version in a header
inline constexpr std::uint64_t files_offset = 28;    // of the number of physical files

struct Closing {
  SetRecord record;
  format::sion::Tail tail;
  std::vector<std::uint64_t> sizes;  // of each stream; for compressed ones only
  std::vector<StreamLoss> losses;    // data that a repair did not find
  std::uint64_t start = 0;           // of the first chunk
  std::uint64_t skip = 0;            // distance between blocks
  ByteOrder order = format::sion::host_order;
  std::uint32_t fields = 0;  // of the set; file 0 only
  bool was_repaired = false;
  bool was_published = false;  // the file is renamed already: its parts must reach the disk in order
};

// For an existing file.
Closing closing_of(const format::sion::PhysicalFile& file, const SetRecord& record);
void close_file(storage::File& file, const Closing& closing);
// Marks a closed file as not closed.
void open_again(storage::File& file, std::int32_t tasks, ByteOrder order);
// Rewrites the record after the header.
void write_set_record(storage::File& file, const SetRecord& record);
// wrong_state: another program has repaired the set or appended to it since `mine` was read or written.
void require_epoch(base::ByteSource& file, const SetRecord& mine);

// The last steps of writing a set: complete files are renamed, and what is left of the set they replace
// is removed. Until then a file is named .NAME.xxxxxxxx, with the first digits of the set's generation, so that
// the name follows from the generation. Local.

// Creates a file of the set `path` under its temporary name. If such a set exists, no other program may open it
// yet.
std::unique_ptr<storage::File> create_part(storage::Transport& transport, const std::string& path,
                                           const std::string& part);
// The same with stripes, for a file of the given number of bytes; 0: unknown.
std::unique_ptr<storage::File> create_part(storage::Transport& transport, const std::string& path,
                                           const std::string& part, const StripeRequest& request, std::uint64_t bytes);
// Renames a file of the set `path` to its name. exists: the name is taken and must not be replaced. Access rights of a
// replaced file are kept; an additional file gets those of the set's first one, so rename file 0 last.
void give_name(storage::Transport& transport, const std::string& path, const std::string& part, const std::string& name,
               bool overwrite);
// The same for all remaining files of the set `path`, the first one last, so that a set that can be opened is complete;
// then what is left of an older set is removed. A file that has its name already keeps it.
struct NewName {
  std::string part, name;
};
struct Publishing {
  std::int32_t files = 1;  // of the new set, including files already renamed
  bool has_fields = false;
  bool overwrite = false;
  std::int32_t older_files = 0;  // of the replaced set
  bool syncs = true;
  // Its files identify their set, and readers find them under their temporary names. Otherwise a record does
  // (io/replacement.hpp).
  bool has_generation = true;
};
void publish_set(storage::Transport& transport, const std::string& path, std::span<const NewName> names,
                 const Publishing& set);
// The number of physical files of the set at `path`; 0: no set.
std::int32_t files_of(storage::Transport& transport, const std::string& path);
// True if it is physical file `number` of a multifile.
bool is_physical_file(storage::Transport& transport, const std::string& name, std::int32_t number);
// exists: there is a NAME.fields next to the set `path` that belongs to a set not to be replaced, or to none.
void require_fields_target(storage::Transport& transport, const std::string& path, bool overwrite);
void remove_quietly(storage::Transport& transport, const std::string& path) noexcept;

std::string part_name(const std::string& path, const Generation& generation);
// The present temporary name, and that of earlier versions.
std::array<std::string, 2> part_names(const std::string& path, const Generation& generation);
// The existing one of these; the first if there is none.
std::string found_part(storage::Transport& transport, const std::string& path, const Generation& generation);
// The NAME of a temporary name; empty for other names.
std::optional<std::string> final_name(std::string_view path);

}  // namespace lq::sets
