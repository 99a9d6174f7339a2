// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What programs over MPI tell a session about it.
#pragma once

#include <string>

namespace lq::cli {

// Local. The library in its own words, such as "Open MPI v4.1.4".
std::string mpi_library();
// Collective. The root's number on every rank.
int root_code(int code);
// Collective. The same of a text, in pieces that MPI can count.
std::string root_text(std::string text);

}  // namespace lq::cli
