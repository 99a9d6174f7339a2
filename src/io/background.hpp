// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Reading in the background and ahead for rooms whose fields are more than sites of a file: they say how such a
// transfer begins.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <limequat/async.hpp>

#include "io/transfer.hpp"

namespace lq::io {

// Collective. The field that options.index names, in the memory given, up to the point where its sites move.
using BeginRead =
    std::function<std::unique_ptr<Transfer>(const Grid& grid, const MutableField& field, const ReadOptions& options)>;

// Collective. As lq::read_async and lq::ReadAhead; `path` is for errors and arrivals.
Pending read_async(const std::string& path, const BeginRead& begin, const Grid& grid, const MutableField& field,
                   const ReadOptions& options);
ReadAhead read_ahead(const std::string& path, const BeginRead& begin, std::vector<std::uint64_t> indices,
                     const Grid& grid, std::vector<MutableField> buffers, const ReadOptions& options);

}  // namespace lq::io
