// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lq bench tasklocal: a stream per task, as in the paper on SIONlib (Frings, Wolf, Petkov, SC 2009, section 4): how
// long it takes to open so many, and how fast they are written and read, for one file per task and for multifiles.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/bench_lattice.hpp"

namespace lq::cli {

struct BenchTasklocal {
  std::vector<std::string> parts, tasks, files;
  std::uint64_t bytes = std::uint64_t{16} << 20;  // of each stream
  int shift = -1;                                 // -1: half of the tasks

  void declare(Arguments& arguments);
  // Collective. Throws UsageError for what cannot be. `shared`: rounds, and where results go.
  int run(Session& session, const BenchLattice& shared) const;
};

}  // namespace lq::cli
