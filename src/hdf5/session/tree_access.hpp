// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The tree of a file that is browsed: questions to it, and changes.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <limequat/hdf5.hpp>

#include "hdf5/driver/library.hpp"
#include "hdf5/tree/tree.hpp"

namespace lq::hdf5 {

// Questions to a file that is browsed, as values. Local; paths are absolute or relative to `from`.

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

// Changes to the tree of a file that is open for writing, under a Lock. Paths are absolute and lead through no links
// (place_for()).

// no_such_record: there is nothing. malformed: something of it is damaged.
void remove_object(hid_t file, const std::string& path, const Where& where);
void rename_object(hid_t file, const std::string& from, const std::string& to, const Where& where);
void copy_object(hid_t file, const std::string& from, const std::string& to, const Where& where);
void remove_attribute(hid_t file, const std::string& path, const std::string& name, const Where& where);

}  // namespace lq::hdf5
