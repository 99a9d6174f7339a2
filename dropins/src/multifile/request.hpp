// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Arguments of the opens of a multifile: validated here, the same everywhere.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "comm/agree.hpp"
#include "format/sion/head.hpp"
#include "format/sion/set.hpp"
#include "multifile/channel.hpp"
#include "multifile/mode.hpp"
#include "multifile/multifile.hpp"
#include "multifile/team.hpp"
#include "storage/owners.hpp"

namespace lq::multifile {

struct Opening {
  std::string path;
  Mode mode = {};
  format::sion::NameRule names = {};  // empty: the usual ones
  Opener opener = {};
  format::sion::SetRule copy_names = {};
};

struct Creation : Opening {
  std::int64_t chunk_bytes = 0;
  std::int32_t block_size = -1;  // of the file system; -1: queried
  std::int64_t rank = 0;         // to be stored
  TaskLocation location = {};
};

// Longest name of a physical file, because it is stored in 1024 bytes.
inline constexpr std::size_t longest_path = 1023;

// Throws Error(invalid_argument): no name, or one that is too long.
void require_path(const std::string& path);
// With the path before the message and among the facts.
[[noreturn]] void refuse(Code code, const std::string& path, const std::string& sentence, std::string expected = {},
                         std::string found = {});
// The path of physical file `file` of the set `path`; no rule: the usual one.
std::string path_of(const format::sion::NameRule& names, const std::string& path, std::int32_t file);
// Collective. Which ranks may write which block of files next to `path` (storage/owners.hpp). Groups here ignore nodes.
storage::Owners owners_of_set(comm::Comm& all, storage::Transport& transport, const std::string& path);
// Local. Chunks of two clients share no block: blocks of the file are whole ones of the file system.
std::int32_t whole_blocks(const storage::Owners& owners, std::int32_t block_size);

// Throws Error(invalid_argument): neither positive nor -1.
void require_block_size(const std::string& path, std::int32_t block_size);

// Values that must be the same on all ranks; for require_same().
std::vector<comm::StatedArgument> stated_request(const std::string& path, const Mode& mode, std::int32_t block_size,
                                                 std::int32_t files);

// Facts about a multifile to be written, before its tasks are known,
Facts facts_for_writing(const std::string& path, const Mode& mode);
// and the header with these facts, without its tasks.
format::sion::Head head_of(const Facts& facts);

}  // namespace lq::multifile
