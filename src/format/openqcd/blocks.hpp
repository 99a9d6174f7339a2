// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The files of a block set (formats/openqcd.md 8): a file for each block of the lattice, any of which stands for all.
#pragma once

#include <string>
#include <vector>

#include "base/byte_source.hpp"
#include "format/openqcd/kinds.hpp"
#include "format/parts.hpp"

namespace lq::format::openqcd {

// The files of all blocks, in their order, of a set of which `file` is one that begins like this. truncated, malformed,
// unsupported: one is missing, or is another than it should be.
std::vector<std::string> block_files(base::ByteSource& file, const Seen& seen);

// Lays the sites of such a field into the files, whose data begin at that byte.
void place_blocks(Payload& payload, const Extents& block, std::uint64_t offset);

// "_b0", ...
std::vector<std::string> block_suffixes(const Parts& parts);

}  // namespace lq::format::openqcd
