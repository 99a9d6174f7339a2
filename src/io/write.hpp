// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Writing fields over any transport; the public calls use the POSIX one.
#pragma once

#include <string>

#include <limequat/field.hpp>
#include <limequat/grid.hpp>
#include <limequat/options.hpp>
#include <limequat/report.hpp>

#include "base/inner.hpp"
#include "io/field_writer.hpp"
#include "storage/transport.hpp"

namespace lq::io {

// Collective. As lq::write.
Report write_field(storage::Transport& transport, const std::string& path, const Grid& grid, const Field& field,
                   const WriteOptions& options);

// Collective. Appends a field that lies in the memory of the grid's ranks. With `watches_numbers` the report warns of
// those that are NaN or infinite in the file.
LQ_INNER Report append_field(FieldWriter& writer, storage::Transport& transport, const Grid& grid,
                             const std::string& path, const std::string& name, const Field& field,
                             const Metadata& metadata, const WriteOptions& options, bool watches_numbers = false);

}  // namespace lq::io
