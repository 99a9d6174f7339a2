// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Multifiles read to be rewritten: opened as a set, their tasks as streams. Streams of checkpoints are compared with
// their checksums and decompressed; headers of key-value records are turned into the byte order of this machine.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <limequat/repack.hpp>

#include "format/sion/set.hpp"
#include "sets/checkpoint/fields_writer.hpp"
#include "sets/checkpoint/found_set.hpp"
#include "sets/repack/set_writer.hpp"
#include "storage/transport.hpp"

namespace lq::sets {

// Local. A whole set, through any of its files. Throws what opening throws; unknown_format for other files.
sets::FoundSet open_whole_set(storage::Transport& transport, const std::string& path, const RepackOptions& options);
// Local. What is left of a set that was written without records. Throws the same.
format::sion::Set open_damaged_set(storage::Transport& transport, const std::string& path,
                                   const RepackOptions& options);

// Streams of the set's files as they are stored, which are open while they are read. The set outlives what is returned.
OpenTask streams_of(storage::Transport& transport, const format::sion::Set& set);
// As they were written.
enum class Checksums { compared, left_out };
OpenTask streams_of(storage::Transport& transport, const sets::FoundSet& found, Checksums checksums);

// The same physical files under other names, in this machine's byte order.
std::vector<FilePlan> same_files(const format::sion::Set& set, const std::string& to);
// Chunks filled with the streams as they were written.
std::vector<FilePlan> same_files(const sets::FoundSet& found, const std::string& to);

// Fields that are not handed on, and why.
std::vector<Finding> lost_fields(const sets::CopiedFields& fields);

// Whether two names lead to the same file: as they are written, or by links and other folders.
bool is_same_file(const std::string& a, const std::string& b);
// Throws invalid_argument when one of the new files would be one of the set's, whatever it is called.
void require_other_files(const format::sion::Set& set, const std::vector<FilePlan>& plans);
// ... nor that with its fields.
void require_other_files(const sets::FoundSet& found, const std::vector<FilePlan>& plans);

}  // namespace lq::sets
