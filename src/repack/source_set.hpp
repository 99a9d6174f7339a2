// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Multifiles read to be written anew: opened as a set, their tasks as streams.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <limequat/repack.hpp>

#include "format/sion/set.hpp"
#include "repack/set_writer.hpp"
#include "transport/transport.hpp"

namespace lq::repack {

// Local. Throws what opening throws; unknown_format for other files.
format::sion::Set open_set(transport::Transport& transport, const std::string& path, const RepackOptions& options,
                           bool tolerates_damage);

// Streams of the set's files, one of which is open at a time. The set outlives what is returned.
OpenTask streams_of(transport::Transport& transport, const format::sion::Set& set);

// The same physical files under other names, in this machine's byte order.
std::vector<FilePlan> same_files(const format::sion::Set& set, const std::string& to);

// Throws invalid_argument when one of the new files would be one of the set's.
void require_other_files(const format::sion::Set& set, const std::vector<FilePlan>& plans);

}  // namespace lq::repack
