// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A catalog as bytes: one rank scans a file, the others receive what it found.
#pragma once

#include <vector>

#include <limequat/catalog.hpp>

#include "base/bytes.hpp"
#include "comm/comm.hpp"

namespace lq::io {

std::vector<std::byte> encode(const Catalog& catalog);
Catalog decode(base::Bytes bytes);

// Collective. Rank 0's catalog on all ranks.
void broadcast(comm::Comm& comm, Catalog& catalog);

}  // namespace lq::io
