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

std::string root_text(std::string text) {
  unsigned long long bytes = text.size();
  MPI_Bcast(&bytes, 1, MPI_UNSIGNED_LONG_LONG, 0, MPI_COMM_WORLD);
  text.resize(static_cast<std::size_t>(bytes));
  constexpr std::size_t piece = std::size_t{1} << 30;
  for (std::size_t at = 0; at < text.size(); at += piece) {
    MPI_Bcast(text.data() + at, static_cast<int>(std::min(piece, text.size() - at)), MPI_CHAR, 0, MPI_COMM_WORLD);
  }
  return text;
}

}  // namespace lq::cli
