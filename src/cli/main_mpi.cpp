// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The program `lq-mpi`: the same verbs on all ranks of MPI_COMM_WORLD. The root prints; every rank returns its code.
#include <algorithm>
#include <csignal>
#include <cstdio>

#include <limequat/error.hpp>
#include <limequat/mpi.hpp>

#include "cli/exit_code.hpp"
#include "cli/lq.hpp"

namespace {

// "Open MPI v4.1.4"
std::string mpi_library() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(text, &length);
  std::string words(text, static_cast<std::size_t>(length));
  std::replace(words.begin(), words.end(), '\t', ' ');
  return words.substr(0, words.find_first_of(",\n"));
}

}  // namespace

int main(int argc, char** argv) try {
  std::signal(SIGPIPE, SIG_IGN);
  const lq::mpi::Environment environment(argc, argv);
  lq::cli::Session session("lq-mpi", lq::mpi::communicator());
  session.mpi = mpi_library();
  session.from_root = [](int code) {
    MPI_Bcast(&code, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return code;
  };
  return lq::cli::run(session, std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc));
} catch (const lq::Error& error) {
  // Only MPI itself fails here: before there is a session, or after it.
  std::fprintf(stderr, "lq-mpi: %s\n", error.what());
  return lq::cli::environment;
}
