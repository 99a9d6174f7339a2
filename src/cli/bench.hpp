// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lq bench, by what is measured: the arguments of each benchmark, and how it runs.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <limequat/survey.hpp>

#include "base/json_writer.hpp"
#include "bench/result.hpp"
#include "bench/rounds.hpp"
#include "cli/arguments.hpp"
#include "cli/session.hpp"

namespace lq::cli {

// How the field is stored: the formats and, if a format has variants, which of them.
struct BenchStorage {
  std::vector<std::string> formats, layouts, chunks, filters, alignments;

  void declare(Arguments& arguments);
  // Every combination of the requested values, as options of writing on a lattice of this number of dimensions.
  // Throws UsageError for invalid values.
  std::vector<WriteOptions> ways(int dimensions) const;
};

// A gauge field written and read through the public interface, next to the raw limit; also the arguments that other
// benchmarks share.
struct BenchLattice {
  std::vector<std::string> lattices, grids, strategies, verify, threads, aggregators;
  std::string precision = "double", json;
  std::uint64_t chunk_bytes = 0;
  bool force = false;
  std::string protocol;  // "grid": see bench_grid()
  bool read_only = false, keep_files = false;
  std::uint64_t extent_bytes = 0;  // 0: the protocol's default
  static constexpr int usual_rounds = 7, not_asked = -1;
  bench::Rounds rounds{.runs = not_asked};
  BenchStorage storage;

  void declare(Arguments& arguments);
  // Sets the number of rounds if none was given.
  void settle(int usual) {
    if (rounds.runs == not_asked) rounds.runs = usual;
  }
  // Collective. Throws if the files of the benchmark, including results, cannot be written.
  void require_targets(const Session& session) const;
  bool prints_table(const Session& session) const { return !session.quiet && json != "-"; }
  // Collective. Throws UsageError for invalid values.
  std::vector<Grid> grids_of(const Communicator& ranks) const;
  // The raw transfer and its competitors; see mover() for the threads.
  std::vector<std::unique_ptr<bench::Mover>> movers(const Session& session, const Grid& grid, int by_threads = 0) const;
  // 0 if none is requested: chosen by the library.
  std::vector<std::uint64_t> numbers_of_aggregators() const;
  bool gathers() const;  // true if one rank gathers, in addition to others
  using Table = std::string (*)(const std::vector<bench::Result>& results, const std::string& file_system, int runs);
  // Collective. Runs `work` on each grid, prints a table if requested, and saves all results.
  int measure(Session& session, const std::vector<Grid>& grids, Table table,
              const std::function<std::vector<bench::Result>(bench::BenchField& field)>& work) const;
  // For one strategy and kind of verification. `threads`: how many; the file is then verified, too. 0: the
  // library's choice.
  std::unique_ptr<bench::Mover> mover(const WriteOptions& way, const std::string& strategy, const std::string& how,
                                      int threads) const;
  // For the first strategy and kind of verification.
  WriteOptions write_options(const Grid& grid) const;
  using MorePeers = std::function<std::vector<std::unique_ptr<bench::Mover>>(const Grid& grid)>;
  // Collective. Runs these movers and those that `more` adds.
  int run(Session& session, const MorePeers& more = {}) const;

 private:
  void set_common(WriteOptions& options) const;
};

// "qlua, chunks slice, deflate:6"; empty: the format has one variant only.
std::string layout_text(const WriteOptions& options);

// The line above the table of one lattice and grid.
std::string table_title(const bench::Result& one, const std::string& file_system, int runs);

// Cells of a table: the rates in GB/s at which this many bytes were moved.
struct RateCells {
  std::string median, quartiles, mean, best, first;
};
RateCells rates_of(std::uint64_t bytes, const bench::Series& seconds);

// All process grids of the given number of ranks that divide the lattice.
std::vector<Extents> dividing_grids(const Extents& lattice, int ranks);

// Collective. Writes results as JSON to `path`, or to standard output for "-"; without a path nowhere.
void save_json(Session& session, const std::string& path, const std::string& text);
void save_bench(Session& session, const BenchLattice& what, const std::vector<bench::Result>& results);

// Collective. What a background write costs a program that computes. In every round: the compute loop alone, the write
// alone, both together, and the raw write of the same bytes. The loop takes as long as the write, and works once in
// cache and once in memory.
int bench_overlap(Session& session, const BenchLattice& what);

// Collective. What the I/O test of the Grid library prints (docs/benchmarks/grid.md).
int bench_grid(Session& session, const BenchLattice& what);

// Collective. The field written, read and verified by more and more threads of each rank.
int bench_threads(Session& session, const BenchLattice& what);

// A stream per task, as in the paper on SIONlib (Frings, Wolf, Petkov, SC 2009, section 4): how long it takes to open
// that many, and how fast they are written and read, with one file per task and with multifiles.
struct BenchTasklocal {
  std::vector<std::string> parts, tasks, files;
  std::uint64_t bytes = std::uint64_t{16} << 20;  // of each stream
  int shift = -1;                                 // -1: half of the tasks

  void declare(Arguments& arguments);
  // Collective. Throws UsageError for invalid values. `shared`: rounds, and where results go.
  int run(Session& session, const BenchLattice& shared) const;
};

// The numbers given as texts of an option, each from 1 to `most`; `why` ends the message about any other. Throws
// UsageError.
std::vector<int> numbers_asked_for(const std::string& option, const std::vector<std::string>& texts, int most,
                                   std::string_view why = "");
// 1, 2, 4, ... and `all`.
std::vector<int> powers_of_two_up_to(int all);
// The given numbers of ranks, or 1, 2, 4, ... and all. Throws UsageError.
std::vector<int> numbers_of(const std::string& option, const std::vector<std::string>& texts, int ranks);
// Collective. See WithTasks; without MPI there is one task, this process.
void on_tasks(const Session& session, int tasks, int shift,
              const std::function<void(const bench::TaskGroup& group)>& work);

// Collective. The limits of this machine, measured one by one, in about the given number of seconds.
int bench_parts(Session& session, const BenchLattice& shared, double seconds);
Parts measured_parts(Session& session, const std::string& folder, double seconds);
std::string parts_text(const Parts& measured);
// Members "kernels", "parts" and "machine" of the object that is open.
void put_parts(base::JsonWriter& json, const Parts& measured);

// A parallel file system under a number of clients, as in the paper on PVFS (Duessel et al., cs/0303016): each client
// has the same share, which grows with the number of servers; written, and after a barrier opened again and read.
// Compared with plain transfers into one file and into one file each, and with whatever `more` adds.
struct BenchPfs {
  std::vector<std::string> clients, splits, stripes;
  std::uint64_t servers = 0;  // 0: as the file system reports
  std::uint64_t bytes_per_server = std::uint64_t{16} << 20;
  int fill = 1;
  static constexpr int usual_rounds = 5;

  void declare(Arguments& arguments);
  // Collective. Throws UsageError for invalid values. `shared`: rounds, options of writing, and where results go.
  int run(Session& session, const BenchLattice& shared, double seconds, const BenchLattice::MorePeers& more = {}) const;
};

}  // namespace lq::cli
