// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A text as a new file, which has its name when it is complete.
#pragma once

#include <string>
#include <vector>

namespace lq::ensemble {

// For nobody who may not read the files `made_of`. exists: there is a file of that name, and `overwrite` is off;
// invalid_argument: it is a catalogue or a lattice file; no_space, no_permission, ...
void write_new(const std::string& path, const std::string& text, bool overwrite,
               const std::vector<std::string>& made_of = {});

}  // namespace lq::ensemble
