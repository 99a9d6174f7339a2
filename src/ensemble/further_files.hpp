// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The physical files of an entry beside the one that it is called by: volumes, parts, subfiles, the numbers of a raw
// description, the fields of a checkpoint.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <limequat/catalog.hpp>

namespace lq::ensemble {

// Ascending. Of a file of `size` bytes that can be read, as `catalog` has it.
std::vector<std::string> further_files(const std::string& path, std::uint64_t size, const Catalog& catalog);
// The subfiles that the file describes; none where it describes no set, or cannot be understood.
std::vector<std::string> subfiles_of(const std::string& path);

}  // namespace lq::ensemble
