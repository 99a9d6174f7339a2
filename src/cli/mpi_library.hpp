// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What programs over MPI pass to a session about it.
#pragma once

#include <string>

namespace lq::cli {

// Local. The library's own name and version, such as "Open MPI v4.1.4".
std::string mpi_library();
// Collective. The root's number on every rank.
int root_code(int code);
// Collective. The same for a text, in pieces whose sizes MPI can count.
std::string root_text(std::string text);

}  // namespace lq::cli
