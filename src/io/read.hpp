// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Reading fields over any transport; the public calls use the POSIX one.
#pragma once

#include <string>

#include <limequat/catalog.hpp>
#include <limequat/field.hpp>
#include <limequat/grid.hpp>
#include <limequat/options.hpp>
#include <limequat/report.hpp>

#include "storage/transport.hpp"

namespace lq::io {

// Collective. As lq::read.
Report read_field(storage::Transport& transport, const std::string& path, const Grid& grid, const MutableField& field,
                  const ReadOptions& options);

// Collective. One field of a file that was scanned already, sound in its other parts or not; `local` is resolved.
// seconds.total is left to the caller.
Report read_entry(storage::Transport& transport, const Catalog& catalog, const FieldEntry& entry, const Grid& grid,
                  const MutableField& local, const ReadOptions& options);
// Collective. The same with a field as users give it, and seconds.total.
Report read_listed(storage::Transport& transport, const Catalog& catalog, const FieldEntry& entry, const Grid& grid,
                   const MutableField& field, const ReadOptions& options);

}  // namespace lq::io
