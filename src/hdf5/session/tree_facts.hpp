// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Questions to a file that is browsed, as values. Local; paths are absolute or relative to `from`.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <limequat/hdf5.hpp>

#include "hdf5/tree/tree.hpp"

namespace lq::hdf5 {

// no_such_record: there is none, and what is near.
Found require_object(const Opened& file, const std::string& path, const std::string& from);
std::vector<Entry> list_entries(const Opened& file, const std::string& path, const std::string& from,
                                const Limits& limits);
Facts facts_of(const Opened& file, const std::string& path, const std::string& from, const Limits& limits);
ReadArray read_small(const Opened& file, const std::string& path, const std::string& from, const Hdf5Options& options);
std::vector<std::pair<std::string, Array>> list_attributes(const Opened& file, const std::string& path,
                                                           const std::string& from, const Limits& limits);
Array read_one_attribute(const Opened& file, const std::string& path, const std::string& from, const std::string& name,
                         const Limits& limits);

// "/a/c" for "../c" from "/a/b", whatever is there. invalid_argument: no path at all.
std::string lexical_path(const std::string& path, const std::string& from);
// Where something new of that path comes to lie: soft links above are followed, links into other files are refused.
std::string place_for(const Opened& file, const std::string& path, const std::string& from);

}  // namespace lq::hdf5
