// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lq bench: benchmarks that verify what they moved and compare it with the raw limit of the same run.
#include <memory>

#include "cli/bench.hpp"
#include "cli/command.hpp"
#include "cli/write_arguments.hpp"

namespace lq::cli {
namespace {

struct Bench {
  std::string what;
  BenchLattice lattice;
  BenchTasklocal tasklocal;
  BenchPfs pfs;
  double seconds = 10;

  int run(Session& session) {
    lattice.settle(what == "pfs" ? BenchPfs::usual_rounds : BenchLattice::usual_rounds);
    if (what == "overlap") return bench_overlap(session, lattice);
    if (what == "lattice") return lattice.run(session);
    if (what == "threads") return bench_threads(session, lattice);
    if (what == "tasklocal") return tasklocal.run(session, lattice);
    if (what == "pfs") return pfs.run(session, lattice, seconds);
    if (!lattice.json.empty() && lattice.json != "-") require_target(session, lattice.json, lattice.force);
    return bench_parts(session, lattice, seconds);
  }
};

}  // namespace

Run declare_bench(Arguments& arguments) {
  const auto bench = std::make_shared<Bench>();
  arguments.word("WHAT", bench->what,
                 "lattice: a gauge field written and read; overlap: written in the background of a compute loop; "
                 "threads: written, read and verified by more and more threads of a rank; parts: memory, checksums, "
                 "storage and messages one by one; tasklocal: a stream per task, in one file "
                 "each and in multifiles; pfs: a parallel file system under more and more clients",
                 {"lattice", "overlap", "threads", "parts", "tasklocal", "pfs"});
  bench->lattice.declare(arguments);
  bench->tasklocal.declare(arguments);
  bench->pfs.declare(arguments);
  arguments.number("--seconds", bench->seconds, "how long parts may take, those of pfs too (default 10)");
  return [bench](Session& session) { return bench->run(session); };
}

}  // namespace lq::cli
