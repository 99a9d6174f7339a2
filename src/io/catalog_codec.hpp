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
// All but head and tail, which stay with rank 0.
std::vector<std::byte> encode(const format::Layout& layout);

// Collective. Rank 0's, which it has as bytes already, on all ranks.
void broadcast(comm::Comm& comm, base::Bytes encoded, Catalog& catalog);
void broadcast(comm::Comm& comm, base::Bytes encoded, format::Layout& layout);

}  // namespace lq::io
