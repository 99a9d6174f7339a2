// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Reading fields over any transport; the public calls use the POSIX one.
#pragma once

#include <string>
#include <vector>

#include <limequat/field.hpp>
#include <limequat/grid.hpp>
#include <limequat/options.hpp>
#include <limequat/report.hpp>

#include "pump/tally.hpp"
#include "transport/transport.hpp"

namespace lq::io {

// Collective. As lq::read.
Report read_field(transport::Transport& transport, const std::string& path, const Grid& grid, const MutableField& field,
                  const ReadOptions& options);

// Collective. One field of a file that was scanned already, sound in its other parts or not; `local` is resolved.
// seconds.total is left to the caller.
Report read_entry(transport::Transport& transport, const Catalog& catalog, const FieldEntry& entry, const Grid& grid,
                  const MutableField& local, const ReadOptions& options);
// Collective. The same with a field as users give it, and seconds.total.
Report read_listed(transport::Transport& transport, const Catalog& catalog, const FieldEntry& entry, const Grid& grid,
                   const MutableField& field, const ReadOptions& options);

// The sums to be taken of the data of a field that is read: those that the file states.
std::vector<SumName> sums_of(const FieldEntry& entry);

// How the sums of the data that passed compare with what the file stores; `moved` are the sites that passed.
ChecksumStatus judge(const FieldEntry& entry, const pump::Tally& tally, const Box& moved);

// The error for a checksum that differs: expected, found, and zeros if there are any.
Error mismatch_error(const Catalog& catalog, const FieldEntry& entry, const pump::Tally& tally);

}  // namespace lq::io
