// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Names of the POSIX file system under which one file is reached.
#pragma once

#include <cstdint>
#include <string>

namespace lq::storage {

// Where symbolic links lead that have this name; the folders before it stay as they are given. The path itself where it
// is no link, leads in circles, or is nothing that the POSIX file system knows.
std::string own_name(const std::string& path);

// How many names a file has (hard links); 1 where nobody knows.
std::uint64_t names_of(const std::string& path);

}  // namespace lq::storage
