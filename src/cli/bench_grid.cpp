// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lq bench lattice --protocol grid.
#include <array>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <limequat/file_system.hpp>

#include "base/text.hpp"
#include "bench/grid_protocol.hpp"
#include "bench/result.hpp"
#include "cli/bench.hpp"
#include "cli/exit_code.hpp"
#include "cli/text.hpp"

namespace lq::cli {
namespace {

// In the order in which they are shown; the upper bound last.
std::vector<bench::ProtocolPath> paths_of(Session& session, const BenchLattice& what, const Grid& grid) {
  std::vector<bench::ProtocolPath> paths;
  std::vector<std::unique_ptr<bench::Mover>> others = session.grid_paths(grid, what.extent_bytes);
  paths.push_back({"lexicographic", std::move(others.at(0)), true});
  paths.push_back({"aggregated", std::move(others.at(1)), true});
  const WriteOptions way = what.write_options(grid);
  const std::string verify = what.verify.empty() ? "checksum" : what.verify.front();
  const std::string strategy = what.strategies.empty() ? "auto" : what.strategies.front();
  paths.push_back({way.format, what.mover(way, strategy, verify, 0), true});
  paths.push_back({"segments", bench::make_raw_mover(grid, sizeof(double), what.rounds.sync), false});
  return paths;
}

std::string path_name(const bench::Result& r) {
  if (r.name == "lattice") return fmt::format("Limequat, {}, {}", r.format, r.strategy_taken);
  if (r.name == "undo split") return "aggregated, Grid's plan";
  if (r.name == "mpi-io collective") return "lexicographic, MPI-IO";
  return "raw segments";
}

std::string rates_table(const std::vector<bench::Result>& results) {
  Table table({"  path", "direction", ">GB/s", ">quartiles", ">best", ">first", ">of raw", ">skew"});
  for (const bench::Result& r : results) {
    const RateCells rates = rates_of(r.bytes, r.seconds);
    table.row({"  " + path_name(r), r.cache == "warm" ? r.direction : fmt::format("{}, {}", r.direction, r.cache),
               rates.median, rates.quartiles, rates.best, rates.first, fmt::format("{:.2f}", r.ratio_to_raw()),
               human_seconds(r.skew ? r.skew->median() : 0)});
  }
  return table.text();
}

// The slowest rank in each stage, and in brackets how much longer it took than the fastest one, where that is known.
std::string stages_table(const std::vector<bench::Result>& results) {
  std::vector<std::string> titles{"  stages: slowest (skew)", "direction"};
  for (const std::string_view name : bench::stage_names) titles.push_back(fmt::format(">{}", name));
  Table table(titles);
  for (const bench::Result& r : results) {
    std::vector<std::string> row{"  " + path_name(r), r.direction};
    for (std::size_t i = 0; i < bench::stage_names.size(); ++i) {
      const double slowest = r.stages ? r.stages->all[i].median() : 0;
      std::string cell = slowest > 0 ? human_seconds(slowest) : "-";
      // Limequat's report has the slowest rank alone.
      if (slowest > 0 && r.stage_skews) cell += fmt::format(" ({})", human_seconds(r.stage_skews->all[i].median()));
      row.push_back(cell);
    }
    table.row(row);
  }
  return table.text();
}

}  // namespace

int bench_grid(Session& session, const BenchLattice& what) {
  if (!session.grid_paths) throw UsageError("--protocol grid: needs several ranks; run lq-mpi");
  if (what.precision == "single") throw UsageError("--protocol grid: moves double precision, as Grid's test does");
  for (const std::string& format : what.storage.formats) {
    if (format != "ildg" && format != "scidac") {
      throw UsageError("--protocol grid: --format is ildg or scidac, which store sites in lattice order");
    }
  }
  if (what.gathers()) throw UsageError("--protocol grid: has no --strategy gather");
  if (what.read_only && what.keep_files) throw UsageError("--read-only: files of another job are kept in any case");
  const std::vector<Grid> grids = what.grids_of(session.communicator);
  if (grids.size() > 1)
    throw UsageError("--protocol grid: takes one lattice and one process grid, whose files it may keep");
  what.require_targets(session);
  const Grid& grid = grids.front();
  bench::BenchField field(grid);
  const std::vector<bench::ProtocolPath> paths = paths_of(session, what, grid);
  const std::vector<bench::Result> results = bench::run_grid_protocol(field, paths,
                                                                      {.directory = what.rounds.directory,
                                                                       .runs = what.rounds.runs,
                                                                       .read_only = what.read_only,
                                                                       .keep_files = what.keep_files,
                                                                       .replace = what.force},
                                                                      session.complainer());
  if (what.prints_table(session) && !results.empty()) {
    session.out.write(
        table_title(results.front(), file_system_of(what.rounds.directory).name, what.rounds.runs) +
        fmt::format(
            "  payload {} bytes, {} per rank; files compared byte by byte, and the data read with the data written\n",
            results.front().bytes,
            base::human_bytes(results.front().bytes / static_cast<std::uint64_t>(session.communicator.size()))) +
        rates_table(results) + stages_table(results));
  }
  save_bench(session, what, results);
  return fine;
}

}  // namespace lq::cli
