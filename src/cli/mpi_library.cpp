// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Linked into programs over MPI only.
#include "cli/mpi_library.hpp"

#include <algorithm>

#include <limequat/mpi.hpp>

#include "base/backoff.hpp"
#include "cli/progress.hpp"

namespace lq::cli {

std::string mpi_library() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(text, &length);
  std::string words(text, static_cast<std::size_t>(length));
  std::replace(words.begin(), words.end(), '\t', ' ');
  return words.substr(0, words.find_first_of(",\n"));
}

namespace {

// A rank that waits for the root passes signals on, too.
void broadcast(void* values, int count, MPI_Datatype type) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibcast(values, count, type, 0, MPI_COMM_WORLD, &request);
  base::Backoff backoff(base::Backoff::Who::rank);
  for (int done = 0; done == 0;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done != 0) return;
    is_asked_to_end();
    backoff.wait();
  }
}

}  // namespace

int root_code(int code) {
  broadcast(&code, 1, MPI_INT);
  return code;
}

std::string root_text(std::string text) {
  unsigned long long bytes = text.size();
  broadcast(&bytes, 1, MPI_UNSIGNED_LONG_LONG);
  text.resize(static_cast<std::size_t>(bytes));
  constexpr std::size_t piece = std::size_t{1} << 30;
  for (std::size_t at = 0; at < text.size(); at += piece) {
    broadcast(text.data() + at, static_cast<int>(std::min(piece, text.size() - at)), MPI_CHAR);
  }
  return text;
}

}  // namespace lq::cli
