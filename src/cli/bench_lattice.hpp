// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lq bench lattice: a gauge field written and read through the public interface, beside the raw limit.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/bench_rounds.hpp"

namespace lq::cli {

// What to measure, as on the command line.
struct BenchLattice {
  std::vector<std::string> lattices, grids, strategies, verify;
  std::string precision = "double", json;
  std::uint64_t aggregators = 0, chunk_bytes = 0;
  bool force = false;
  Rounds rounds;

  void declare(Arguments& arguments);
  // Collective. Throws unless the file system lets us write where we are to, results included.
  void require_targets(const Session& session) const;
  bool prints_table(const Session& session) const { return !session.quiet && json != "-"; }
  // Collective. Throws UsageError for what cannot be.
  std::vector<Grid> grids_of(const Communicator& ranks) const;
  std::vector<std::unique_ptr<Mover>> movers(const Session& session, const Grid& grid) const;
  bool gathers() const;  // on one rank, among others
  // Of the first strategy and kind of verification.
  WriteOptions write_options(const Grid& grid) const;
  // Collective.
  int run(Session& session) const;
};

// All process grids of so many ranks that divide the lattice.
std::vector<Extents> dividing_grids(const Extents& lattice, int ranks);

// The results of one lattice and grid as a table for people.
std::string bench_table(const std::vector<BenchResult>& results, const std::string& file_system, int runs);
// Collective. The JSON to the file that was asked for, or to standard output.
void save_json(Session& session, const BenchLattice& what, const std::string& text);
void save_bench(Session& session, const BenchLattice& what, const std::vector<BenchResult>& results);

}  // namespace lq::cli
