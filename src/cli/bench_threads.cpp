// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lq bench threads.
#include "cli/bench.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <limequat/file_system.hpp>

#include "base/text.hpp"
#include "cli/exit_code.hpp"
#include "cli/text.hpp"
#include "comm/team.hpp"

namespace lq::cli {
namespace {

// More than any node has, and no typing error.
constexpr int most_threads = 4096;

// As asked for, or 1, 2, 4, ... and as many as a rank has cores when all of them share these.
std::vector<int> numbers_of_threads(const std::vector<std::string>& asked, int ranks) {
  const std::vector<int> numbers = numbers_asked_for("--threads", asked, most_threads);
  return numbers.empty() ? doubled_up_to(std::max(1, comm::usable_cores() / ranks)) : numbers;
}

// Beside the raw transfer by as many threads.
std::vector<std::unique_ptr<bench::Mover>> movers_of(const BenchLattice& what, const Grid& grid, int threads) {
  std::vector<std::unique_ptr<bench::Mover>> movers;
  movers.push_back(bench::make_raw_mover(grid, what.precision == "single" ? 4 : 8, what.rounds.sync, threads));
  const std::vector<std::string> both = {"none", "checksum"};
  for (const std::string& how : what.verify.empty() ? both : what.verify) {
    for (const std::string& strategy : what.strategies.empty() ? std::vector<std::string>{"auto"} : what.strategies) {
      for (const WriteOptions& way : what.storage.ways(grid.extents().size())) {
        movers.push_back(what.mover(way, strategy, how, threads));
      }
    }
  }
  return movers;
}

bool are_alike(const bench::Result& a, const bench::Result& b) {
  return a.direction == b.direction && a.verify == b.verify && a.strategy == b.strategy && a.format == b.format &&
         a.layout == b.layout;
}

// How much faster than with the first number of threads.
std::string gain(const std::vector<bench::Result>& results, const bench::Result& r) {
  const auto first = std::ranges::find_if(results, [&](const bench::Result& other) { return are_alike(other, r); });
  return fmt::format("{:.2f}", first->seconds.median() / r.seconds.median());
}

// The results of one lattice and grid.
std::string threads_table(const std::vector<bench::Result>& results, const std::string& file_system, int runs) {
  Table table({{"  threads", true},
               {"direction"},
               {"verify"},
               {"GB/s", true},
               {"quartiles", true},
               {"of the first", true},
               {"raw GB/s", true},
               {"ratio to raw", true},
               {"memory", true}});
  for (const bench::Result& r : results) {
    const RateCells rates = rates_of(r.bytes, r.seconds);
    table.row({std::to_string(r.threads), r.direction, r.verify, rates.median, rates.quartiles, gain(results, r),
               rates_of(r.bytes, r.raw).median, fmt::format("{:.2f}", r.ratio_to_raw()),
               r.memory_bytes ? base::human_bytes(*r.memory_bytes) : "-"});
  }
  return table_title(results.front(), file_system, runs) + table.text();
}

}  // namespace

int bench_threads(Session& session, const BenchLattice& what) {
  const std::vector<Grid> grids = what.grids_of(session.communicator);
  const std::vector<int> numbers = numbers_of_threads(what.threads, session.communicator.size());
  if (what.gathers()) throw UsageError("--strategy gather: has no threads");
  what.require_targets(session);
  std::vector<bench::Result> results;
  for (const Grid& grid : grids) {
    bench::BenchField field(grid);
    std::vector<bench::Result> of_grid;
    for (const int threads : numbers) {
      const std::vector<bench::Result> some =
          bench::run_rounds(field, movers_of(what, grid, threads), what.rounds,
                            [&](const std::string& sentence) { session.complain(sentence); });
      of_grid.insert(of_grid.end(), some.begin(), some.end());
    }
    if (what.prints_table(session)) {
      session.out.write(threads_table(of_grid, file_system_of(what.rounds.directory).name, what.rounds.runs));
    }
    results.insert(results.end(), of_grid.begin(), of_grid.end());
  }
  save_bench(session, what, results);
  return fine;
}

}  // namespace lq::cli
