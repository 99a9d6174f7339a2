// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A checkpoint rewritten: streams with the records that keep them checked and recoverable, and the fields beside
// them, of a new generation. Published as those are whose ranks write them: all files or none, file 0 last.
#pragma once

#include <vector>

#include <limequat/multifile.hpp>
#include <limequat/repack.hpp>

#include "sets/checkpoint/copied_fields.hpp"
#include "sets/repack/set_writer.hpp"
#include "storage/transport.hpp"

namespace lq::sets {

// How streams are kept.
struct Keeping {
  Compression compression = Compression::none;
  bool checksums = true;
};

// One physical file with a stream of the given number of bytes for each task, each in one chunk unless it is
// compressed. Chunks are multiples of `block` bytes, or of as many more as leave room for a record. too_large,
// unsupported.
FilePlan plan_checkpoint(const std::string& path, std::uint64_t block, const std::vector<std::int64_t>& bytes,
                         const Keeping& keeping);

// Local. Of the plans' tables it counts how long streams are; the width of the chunks says how these are cut.
RepackReport write_checkpoint(storage::Transport& transport, std::vector<FilePlan> plans, const OpenTask& open,
                              const Keeping& keeping, const sets::CopiedFields& fields, const RepackOptions& options);

}  // namespace lq::sets
