// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The program `lq`: this process alone, no MPI.
#include <csignal>

#include "cli/command.hpp"

int main(int argc, char** argv) {
  // A reader that has gone shows as EPIPE; see session.hpp.
  std::signal(SIGPIPE, SIG_IGN);
  // A file that exceeds the process's limit then fails with EFBIG, and its partial contents are removed.
  std::signal(SIGXFSZ, SIG_IGN);
  lq::cli::Session session("lq", lq::Communicator());
  return lq::cli::run(session, std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc));
}
