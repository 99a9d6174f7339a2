// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What is in a file, on all ranks: the root reads and recognises it, the others are told.
#pragma once

#include <string>

#include <limequat/catalog.hpp>
#include <limequat/grid.hpp>
#include <limequat/options.hpp>

#include "transport/transport.hpp"

namespace lq::io {

// Collective.
Catalog scan_file(transport::Transport& transport, const std::string& path, const Communicator& communicator,
                  const Limits& limits);

}  // namespace lq::io
