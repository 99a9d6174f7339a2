// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lq bench: benchmarks that verify what they moved and compare it with the raw limit of the same run.
#include <memory>

#include "cli/bench_lattice.hpp"
#include "cli/command.hpp"
#include "cli/exit_code.hpp"

namespace lq::cli {
namespace {

struct Bench {
  std::string what;
  BenchLattice lattice;

  int run(Session& session) const { return lattice.run(session); }
};

}  // namespace

Run declare_bench(Arguments& arguments) {
  const auto bench = std::make_shared<Bench>();
  arguments.word("WHAT", bench->what, "lattice: a gauge field written and read", {"lattice"});
  bench->lattice.declare(arguments);
  return [bench](Session& session) { return bench->run(session); };
}

}  // namespace lq::cli
