// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lq bench lattice.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include <fmt/format.h>
#include <limequat/error.hpp>
#include <limequat/file.hpp>
#include <limequat/file_system.hpp>
#include <limequat/inspect.hpp>

#include "base/system.hpp"
#include "base/text.hpp"
#include "bench/result.hpp"
#include "cli/bench.hpp"
#include "cli/exit_code.hpp"
#include "cli/text.hpp"
#include "cli/write_arguments.hpp"
#include "comm/team.hpp"
#include "io/replaceable.hpp"
#include "storage/transport.hpp"

namespace lq::cli {
namespace {

constexpr const char* gather = "gather";

class LatticeMover : public bench::Mover {
 public:
  LatticeMover(WriteOptions write, ReadOptions read) : write_(std::move(write)), read_(std::move(read)) {}

  bench::Result label() const override {
    bench::Result label;
    label.strategy = name(write_.route.strategy);
    label.format = write_.format;
    label.layout = layout_text(write_);
    label.alignment = write_.route.alignment;
    label.verify = read_.verify != Verify::none ? "checksum" : "none";
    label.precision = name(*write_.precision);
    label.threads = write_.route.threads;
    label.aggregators = write_.route.aggregators;
    return label;
  }
  bool sets_stripes() const override { return true; }
  bench::Account write(const std::string& path, const bench::BenchField& field) override {
    return account(lq::write(path, field.grid(), gauge(field.source(), shape(field)), write_));
  }
  bench::Account read(const std::string& path, bench::BenchField& field) override {
    const MutableField target = gauge(field.target(), shape(field));
    return account(lq::read(path, field.grid(), target, read_));
  }
  // Only if the number of threads was chosen.
  bool verifies() const override { return write_.route.threads > 0 && read_.verify != Verify::none; }
  void verify(const std::string& path, const Communicator& ranks) override {
    const Verification seen = lq::verify(path, ranks, {.physics = Measure::never, .threads = write_.route.threads});
    if (!seen.ok) throw Error(Code::internal, fmt::format("{}: the written file is damaged", path), {.path = path});
  }

 private:
  static GaugeShape shape(const bench::BenchField& field) { return {.links = field.grid().extents().size()}; }
  static bench::Account account(const Report& report) {
    return {bench::stages_of(report.seconds), std::string(name(report.strategy)), true};
  }

  WriteOptions write_;
  ReadOptions read_;
};

Extents parse(const std::string& option, const std::string& text) {
  try {
    return parse_extents(text);
  } catch (const Error& error) {
    throw UsageError(fmt::format("{}: {}", option, error.what()));
  }
}

void divide(const Extents& lattice, std::int64_t ranks, int dimension, Extents& grid, std::vector<Extents>& found) {
  if (dimension + 1 == lattice.size()) {
    grid[dimension] = ranks;
    if (lattice[dimension] % ranks == 0) found.push_back(grid);
    return;
  }
  for (std::int64_t share = 1; share <= ranks; ++share) {
    if (ranks % share != 0 || lattice[dimension] % share != 0) continue;
    grid[dimension] = share;
    divide(lattice, ranks / share, dimension + 1, grid, found);
  }
}

// The results of one lattice and grid.
std::string bench_table(const std::vector<bench::Result>& results, const std::string& file_system, int runs) {
  const bench::Result& one = results.front();
  Table table({"  what", "verify", "direction", ">GB/s", ">quartiles", ">mean", ">best", ">first", ">raw GB/s",
               ">ratio to raw", ">memory"});
  for (const bench::Result& r : results) {
    const RateCells rates = rates_of(r.bytes, r.seconds);
    std::string what = r.name == "lattice" ? r.strategy : r.name;
    if (r.strategy == "auto" && !r.strategy_taken.empty()) what += fmt::format(" ({})", r.strategy_taken);
    if (r.name == "lattice" && r.format != one.format) what += fmt::format(", {}", r.format);
    if (!r.layout.empty()) what += fmt::format(" {}", r.layout);
    if (r.aggregators != 0) what += fmt::format(", {} aggregator{}", r.aggregators, r.aggregators == 1 ? "" : "s");
    if (r.alignment != 0) what += fmt::format(", aligned to {}", base::human_bytes(r.alignment));
    table.row({fmt::format("  {}", what), r.verify, r.cache == "cold" ? r.direction + ", cold" : r.direction,
               rates.median, rates.quartiles, rates.mean, rates.best, rates.first, rates_of(r.bytes, r.raw).median,
               fmt::format("{:.2f}", r.ratio_to_raw()), r.memory_bytes ? base::human_bytes(*r.memory_bytes) : "-"});
  }
  return table_title(one, file_system, runs) + table.text();
}

}  // namespace

void BenchLattice::declare(Arguments& arguments) {
  arguments.texts("--lattice", "LATTICE", lattices, "extents x, y, z, t (default 16x16x16x32); may be repeated");
  arguments.texts("--processes,--grid", "GRID", grids,
                  "process grid such as 1x1x2x4, or \"all\" that divide the lattice (default: chosen by the library); "
                  "may be repeated");
  arguments.text("--precision", "P", precision, "precision of the file; memory holds double (default double)",
                 {"single", "double"});
  arguments.texts("--verify", "HOW", verify,
                  "checksums written and compared, or not (default checksum); may be repeated", {"none", "checksum"});
  arguments.texts("--strategy", "S", strategies,
                  "how sites are exchanged (default auto), or gather: one rank transfers all; may be repeated",
                  {"auto", "direct", "shared", "pull", "messages", gather});
  arguments.texts("--threads", "N", threads,
                  "threads: number per rank (default 1, 2, 4, ... and its cores); may be repeated");
  arguments.texts("--aggregators", "N", aggregators,
                  "number of ranks that access the file (default: chosen); may be repeated");
  arguments.number("--chunk-bytes,--chunk", chunk_bytes, "bytes assembled and moved at a time (default: chosen)");
  arguments.text("--protocol", "NAME", protocol,
                 "lattice: grid, the paths and stages that Grid's own test prints (needs lq-mpi)", {"grid"});
  arguments.flag("--read-only", read_only, "with --protocol: only read the files of a job with --keep-files");
  arguments.flag("--keep-files", keep_files, "with --protocol: leave the files for another job with --read-only");
  arguments.number("--extent-bytes", extent_bytes,
                   "with --protocol: target size of contiguous pieces in Grid's plan (default 4194304)");
  arguments.number("--runs", rounds.runs, "rounds after the first, which is shown separately (default 7; pfs: 5)");
  storage.declare(arguments);
  arguments.flag("--cold", rounds.cold, "drop the file from the page cache before reading");
  arguments.flag("--sync", rounds.sync, "wait for the disk when writing, in both transfers");
  arguments.text("--path", "DIR", rounds.directory, "directory to write in (default: the current one)");
  arguments.text("--json", "FILE", json,
                 "write the results to a file, or with \"-\" to standard output instead of the table");
  arguments.flag("--overwrite,--force", force, "replace an existing results file");
}

std::vector<Grid> BenchLattice::grids_of(const Communicator& ranks) const {
  if (rounds.runs < 1) throw UsageError("--runs: at least 1");
  std::vector<Grid> all;
  for (const std::string& text : lattices.empty() ? std::vector<std::string>{"16x16x16x32"} : lattices) {
    const Extents lattice = parse("--lattice", text);
    if (grids.empty()) all.emplace_back(ranks, lattice);
    for (const std::string& grid : grids) {
      if (grid != "all") {
        all.emplace_back(ranks, lattice, GridOptions{.processes = parse("--grid", grid)});
        continue;
      }
      const std::vector<Extents> dividing = dividing_grids(lattice, ranks.size());
      if (dividing.empty())
        throw UsageError(fmt::format("--grid all: no grid of {} ranks divides {}", ranks.size(), text));
      for (const Extents& processes : dividing) all.emplace_back(ranks, lattice, GridOptions{.processes = processes});
    }
  }
  return all;
}

bool BenchLattice::gathers() const { return std::ranges::find(strategies, gather) != strategies.end(); }

std::vector<std::uint64_t> BenchLattice::numbers_of_aggregators() const {
  constexpr int most = 1 << 24;
  std::vector<std::uint64_t> numbers;
  for (const int number : numbers_asked_for("--aggregators", aggregators, most)) {
    numbers.push_back(static_cast<std::uint64_t>(number));
  }
  return numbers.empty() ? std::vector<std::uint64_t>{0} : numbers;
}

void BenchLattice::set_common(WriteOptions& options) const {
  options.precision = precision == "single" ? Precision::single : Precision::double_;
  options.sync = rounds.sync ? Sync::full : Sync::none;
  options.stripe_count = rounds.stripe_count;
  options.stripe_bytes = rounds.stripe_bytes;
  options.route.chunk_bytes = chunk_bytes;
}

WriteOptions BenchLattice::write_options(const Grid& grid) const {
  WriteOptions options = storage.ways(grid.extents().size()).front();
  set_common(options);
  options.verify = !verify.empty() && verify.front() == "none" ? Verify::none : Verify::checksum;
  if (!strategies.empty() && strategies.front() != gather) options.route.strategy = parse_strategy(strategies.front());
  options.route.aggregators = numbers_of_aggregators().front();
  return options;
}

std::unique_ptr<bench::Mover> BenchLattice::mover(const WriteOptions& way, const std::string& strategy,
                                                  const std::string& how, int by_threads) const {
  WriteOptions write = way;
  set_common(write);
  write.route.threads = by_threads;
  write.overwrite = !protocol.empty();  // the protocol replaces its files
  write.verify = how == "none" ? Verify::none : Verify::checksum;
  write.route.strategy = parse_strategy(strategy);
  ReadOptions read;
  read.verify = write.verify;
  read.route = write.route;
  return std::make_unique<LatticeMover>(write, read);
}

std::vector<std::unique_ptr<bench::Mover>> BenchLattice::movers(const Session& session, const Grid& grid,
                                                                int by_threads) const {
  std::vector<std::unique_ptr<bench::Mover>> movers;
  const std::uint64_t bytes = precision == "single" ? 4 : 8;
  movers.push_back(bench::make_raw_mover(grid, bytes, rounds.sync, std::max(by_threads, 1)));
  std::vector<std::string> usual = {"checksum"};
  if (by_threads > 0) usual = {"none", "checksum"};
  for (const std::string& strategy : strategies.empty() ? std::vector<std::string>{"auto"} : strategies) {
    if (strategy == gather) {
      if (precision == "single")
        throw UsageError("--strategy gather: writes doubles unchanged; it cannot be used with --precision single");
      if (!session.gather) throw UsageError("--strategy gather: needs several ranks; run lq-mpi");
      movers.push_back(session.gather(grid));
      continue;
    }
    for (const std::string& how : verify.empty() ? usual : verify) {
      for (WriteOptions way : storage.ways(grid.extents().size())) {
        for (const std::uint64_t number : numbers_of_aggregators()) {
          way.route.aggregators = number;
          movers.push_back(mover(way, strategy, how, by_threads));
        }
      }
    }
  }
  return movers;
}

void BenchLattice::require_targets(const Session& session) const {
  bench::require_directory(session.communicator, rounds.directory, rounds.cold);
  if (!json.empty() && json != "-") require_target(session, json, force);
}

int BenchLattice::measure(Session& session, const std::vector<Grid>& all, Table table,
                          const std::function<std::vector<bench::Result>(bench::BenchField& field)>& work) const {
  std::vector<bench::Result> results;
  for (const Grid& grid : all) {
    bench::BenchField field(grid);
    const std::vector<bench::Result> some = work(field);
    if (prints_table(session)) session.out.write(table(some, file_system_of(rounds.directory).name, rounds.runs));
    results.insert(results.end(), some.begin(), some.end());
  }
  save_bench(session, *this, results);
  return fine;
}

int BenchLattice::run(Session& session, const MorePeers& more) const {
  const std::vector<Grid> all = grids_of(session.communicator);
  require_targets(session);
  return measure(session, all, bench_table, [&](bench::BenchField& field) {
    auto in_turn = movers(session, field.grid());
    if (more) std::ranges::move(more(field.grid()), std::back_inserter(in_turn));
    return bench::run_rounds(field, in_turn, rounds, session.complainer());
  });
}

std::string table_title(const bench::Result& one, const std::string& file_system, int runs) {
  return fmt::format("{} {}, {}, process grid {}, {}, {}{}, median of {} and a first one\n", to_string(one.lattice),
                     one.precision, base::human_bytes(one.bytes), to_string(one.grid),
                     count(static_cast<std::uint64_t>(one.ranks), "rank"), file_system, one.sync ? ", synced" : "",
                     count(static_cast<std::uint64_t>(runs), "run"));
}

RateCells rates_of(std::uint64_t bytes, const bench::Series& seconds) {
  const auto rate = [&](double time) { return static_cast<double>(bytes) / 1e9 / time; };
  const double mean = seconds.mean();
  return {fmt::format("{:.2f}", rate(seconds.median())),
          fmt::format("{:.2f}-{:.2f}", rate(seconds.at(0.75)), rate(seconds.at(0.25))),
          fmt::format("{:.2f}+-{:.2f}", rate(mean), rate(mean) * seconds.error() / mean),
          fmt::format("{:.2f}", rate(seconds.at(0))), fmt::format("{:.2f}", rate(seconds.first()))};
}

std::vector<Extents> dividing_grids(const Extents& lattice, int ranks) {
  std::vector<Extents> found;
  Extents grid = Extents::filled(lattice.size(), 1);
  divide(lattice, ranks, 0, grid, found);
  return found;
}

void save_bench(Session& session, const BenchLattice& what, const std::vector<bench::Result>& results) {
  save_json(session, what.json,
            to_json(bench::environment_json(session.mpi, what.rounds.directory, what.rounds.runs), results));
}

void save_json(Session& session, const std::string& path, const std::string& text) {
  if (path.empty()) return;
  at_root(session, [&] {
    if (path == "-") {
      session.out.line(text);
      return fine;
    }
    if (storage::resolve(path).kind(path) != storage::PathKind::other) {
      io::write_text(path, text + "\n", true);
      return fine;
    }
    std::ofstream file(path, std::ios::binary);  // a pipe or a device
    file << text << "\n";
    file.close();
    if (file) return fine;
    const int reason = errno;
    throw Error(Code::io, fmt::format("{}: cannot write the results: {}", path, std::strerror(reason)),
                {.path = path, .system_errno = reason});
  });
}

// lq bench threads.

namespace {

// More than any node has; rejects typing errors.
constexpr int most_threads = 4096;

// The given numbers, or 1, 2, 4, ... up to a rank's share of the cores.
std::vector<int> numbers_of_threads(const std::vector<std::string>& asked, int ranks) {
  const std::vector<int> numbers = numbers_asked_for("--threads", asked, most_threads);
  return numbers.empty() ? powers_of_two_up_to(std::max(1, base::usable_cores() / ranks)) : numbers;
}

bool are_alike(const bench::Result& a, const bench::Result& b) {
  return a.direction == b.direction && a.verify == b.verify && a.strategy == b.strategy && a.format == b.format &&
         a.layout == b.layout;
}

// Speed-up relative to the first number of threads.
std::string gain(const std::vector<bench::Result>& results, const bench::Result& r) {
  const auto first = std::ranges::find_if(results, [&](const bench::Result& other) { return are_alike(other, r); });
  return fmt::format("{:.2f}", first->seconds.median() / r.seconds.median());
}

// The results of one lattice and grid.
std::string threads_table(const std::vector<bench::Result>& results, const std::string& file_system, int runs) {
  Table table({">  threads", "direction", "verify", ">GB/s", ">quartiles", ">of the first", ">raw GB/s",
               ">ratio to raw", ">memory"});
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
  if (what.gathers()) throw UsageError("--strategy gather: uses no threads");
  what.require_targets(session);
  return what.measure(session, grids, threads_table, [&](bench::BenchField& field) {
    std::vector<bench::Result> results;
    for (const int threads : numbers) {
      // Next to the raw transfer with the same number of threads.
      std::ranges::move(
          bench::run_rounds(field, what.movers(session, field.grid(), threads), what.rounds, session.complainer()),
          std::back_inserter(results));
    }
    return results;
  });
}

}  // namespace lq::cli
