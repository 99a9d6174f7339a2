// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Linked into programs over MPI only.
#include "cli/mpi_library.hpp"

#include <algorithm>

#include <limequat/mpi.hpp>

namespace lq::cli {

std::string mpi_library() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(text, &length);
  std::string words(text, static_cast<std::size_t>(length));
  std::replace(words.begin(), words.end(), '\t', ' ');
  return words.substr(0, words.find_first_of(",\n"));
}

int root_code(int code) {
  MPI_Bcast(&code, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return code;
}

}  // namespace lq::cli
