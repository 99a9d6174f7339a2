// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A catalog as bytes: one rank scans a file, the others receive what it found. Likewise a layout: one rank plans it.
#pragma once

#include <vector>

#include <limequat/catalog.hpp>

#include "base/bytes.hpp"
#include "comm/comm.hpp"
#include "format/format.hpp"

namespace lq::io {

std::vector<std::byte> encode(const Catalog& catalog);
Catalog decode(base::Bytes bytes);

// Collective. Rank 0's catalog on all ranks.
void broadcast(comm::Comm& comm, Catalog& catalog);
// Collective. The same, but for head and tail, which stay with rank 0.
void broadcast(comm::Comm& comm, format::Layout& layout);

}  // namespace lq::io
