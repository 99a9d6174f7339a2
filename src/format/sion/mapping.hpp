// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Which task of a set lies where: the map of file 0 held against the other files, or made from the global ranks that
// they record (formats/sion.md 5.2).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "format/sion/set.hpp"

namespace lq::format::sion {

// Throws BrokenRule(malformed) unless each entry names a task that is there, whose rank is the entry's, and no task is
// named twice. Tasks that no entry names are placeholders of a buddy copy.
void require_one_to_one(const std::vector<Place>& map, const std::vector<PhysicalFile>& files);

// Where the map in file 0 has the tasks of all files in the order of storage: how many tasks there are before each
// file, and at the end how many in all; else nothing. `source` is that file, which has its table; read in pieces.
std::optional<std::vector<std::uint64_t>> tasks_before_files(base::ByteSource& source, const PhysicalFile& first,
                                                             const Bounds& bounds = {});

// For sets without a map. Throws BrokenRule(malformed) unless the ranks are 0, 1, ... once each, placeholders aside.
std::vector<Place> map_by_rank(const std::vector<PhysicalFile>& files);

}  // namespace lq::format::sion
