// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The files of a block set (formats/openqcd.md 8): a file for each block of the lattice, any of which stands for all.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_source.hpp"
#include "format/openqcd/kinds.hpp"
#include "format/parts.hpp"

namespace lq::format::openqcd {

// The files of all blocks, in their order, of a set of which `file` is one that begins like this. truncated, malformed,
// unsupported: one is missing, or is another than it should be.
std::vector<std::string> block_files(base::ByteSource& file, const Seen& seen);

// How the other files of a set of so many are called, of which `file` is this number, standing behind `mark` at the end
// of its name: all in one folder, or in folders as openQCD makes them. truncated: another one is in neither place.
std::function<std::string(std::uint64_t)> block_names(base::ByteSource& file, std::string_view mark,
                                                      std::uint64_t number, std::uint64_t count);

// Lays the sites of such a field into the files, whose data begin at that byte.
void place_blocks(Payload& payload, const Extents& block, std::uint64_t offset);

// "_b0", ...
std::vector<std::string> block_suffixes(const Parts& parts);

}  // namespace lq::format::openqcd
