// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A catalog as bytes: one rank scans a file, the others receive what it found. Likewise a layout, which one rank plans,
// and an examination.
#pragma once

#include <vector>

#include <limequat/catalog.hpp>

#include "base/bytes.hpp"
#include "base/function_ref.hpp"
#include "comm/comm.hpp"
#include "format/format.hpp"

namespace lq::io {

std::vector<std::byte> encode(const Catalog& catalog);
Catalog decode(base::Bytes bytes);
// Without head and tail, which stay with rank 0.
std::vector<std::byte> encode(const format::Layout& layout);
// What lies after the value is returned.
base::Bytes decode(base::Bytes bytes, Catalog& catalog);
base::Bytes decode(base::Bytes bytes, format::Layout& layout);

// Collective. Rank 0's catalog on all ranks, in the place that `make`, which makes it there, names on each; its failure
// is that of all.
void broadcast(comm::Comm& comm, base::FunctionRef<Catalog&()> make);
void broadcast(comm::Comm& comm, base::FunctionRef<format::Examined&()> make);

}  // namespace lq::io
