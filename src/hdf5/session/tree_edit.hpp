// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Changes to the tree of a file that is open for writing, under a Lock. Paths are absolute and lead through no links
// (place_for()).
#pragma once

#include <string>

#include "hdf5/driver/library.hpp"

namespace lq::hdf5 {

// no_such_record: there is nothing. malformed: something of it is damaged.
void remove_object(hid_t file, const std::string& path, const Where& where);
void rename_object(hid_t file, const std::string& from, const std::string& to, const Where& where);
void copy_object(hid_t file, const std::string& from, const std::string& to, const Where& where);
void remove_attribute(hid_t file, const std::string& path, const std::string& name, const Where& where);

}  // namespace lq::hdf5
