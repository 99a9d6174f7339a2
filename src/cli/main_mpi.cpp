// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The program `lq-mpi`: the same verbs on all ranks of MPI_COMM_WORLD. The root prints; every rank returns its code.
#include <csignal>
#include <cstdio>

#include <limequat/error.hpp>
#include <limequat/mpi.hpp>

#include "bench/over_mpi.hpp"
#include "cli/command.hpp"
#include "cli/ending_ranks.hpp"
#include "cli/exit_code.hpp"
#include "cli/mpi_library.hpp"
#include "cli/progress.hpp"

int main(int argc, char** argv) try {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // a file that exceeds the process's limit then fails with EFBIG
  const lq::mpi::Environment environment(argc, argv);
  lq::cli::Session session("lq-mpi", lq::mpi::communicator());
  session.mpi = lq::cli::mpi_library();
  session.from_root = lq::cli::root_code;
  session.text_from_root = lq::cli::root_text;
  session.mpi_probes = [](const std::string& folder, const lq::cli::Session::MpiQuestions& asked) {
    return lq::mpi::probe(MPI_COMM_WORLD, folder,
                          {.thorough = asked.thorough, .seconds = asked.seconds, .on_probe = asked.on_probe});
  };
  session.gather = lq::bench::make_gather;
  session.grid_paths = lq::bench::make_grid_paths;
  session.with_tasks = lq::bench::with_tasks;
  const lq::cli::EndingRanks ranks;
  lq::cli::EndsBySignals ending(lq::cli::EndingRanks::tell);  // before MPI_Finalize, in which a dying job may wait
  const int code = lq::cli::run(session, std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc));
  ending.agree(lq::cli::EndingRanks::finish);
  return code;
} catch (const lq::Error& error) {
  // Only MPI itself fails here: before the session is created, or after it.
  std::fprintf(stderr, "lq-mpi: %s\n", error.what());
  return lq::cli::environment;
}
