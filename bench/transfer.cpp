// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A gauge field written and read by the library, interleaved with a raw transfer of the same bytes in the same
// folder: the ratio of the two is what counts, not the rate of this machine. Every read is compared bit for bit with
// what was written. Syncing is left out on both sides, because it measures the disk.
//
//   mpirun -n 2 bench_transfer --path /dev/shm --json out.json
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <limequat/limequat.hpp>
#include <limequat/mpi.hpp>

#include "machine.hpp"
#include "page_memory.hpp"
#include "raw_transfer.hpp"
#include "statistics.hpp"

namespace {

using Site = std::array<double, 72>;

struct Options {
  std::string path = ".";
  lq::Extents lattice{24, 24, 24, 48};
  lq::Extents grid;  // empty: time is split
  int runs = 7;
  bool checksum = true;
  std::uint64_t block_bytes = lq::WriteOptions{}.block_bytes;
  std::string json;
};

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string key = argv[i], value = argv[i + 1];
    if (key == "--path") {
      options.path = value;
    } else if (key == "--lattice") {
      options.lattice = lq::parse_extents(value);
    } else if (key == "--grid") {
      options.grid = lq::parse_extents(value);
    } else if (key == "--runs") {
      options.runs = std::max(1, std::atoi(value.c_str()));
    } else if (key == "--verify") {
      options.checksum = value != "none";
    } else if (key == "--block") {
      options.block_bytes = std::strtoull(value.c_str(), nullptr, 10);
    } else if (key == "--json") {
      options.json = value;
    } else {
      throw lq::Error(lq::Code::invalid_argument, "unknown option " + key);
    }
  }
  return options;
}

// Numbers that differ everywhere and look like no constant to any storage.
void fill(const lq::Grid& grid, bench::PageVector<Site>& field) {
  std::uint64_t state = 0x9e3779b97f4a7c15ULL * static_cast<std::uint64_t>(grid.rank() + 1);
  for (Site& site : field) {
    for (double& number : site) {
      state ^= state << 13, state ^= state >> 7, state ^= state << 17;
      number = static_cast<double>(state >> 11) * 0x1p-53 - 0.5;
    }
  }
}

// Collective. Seconds of the slowest rank.
double timed(const std::function<void()>& work) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  work();
  double seconds = MPI_Wtime() - start;
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return seconds;
}

struct Runs {
  std::vector<double> ours, raw, pack, exchange, storage, sync;
  void add(const lq::StepSeconds& steps) {
    pack.push_back(steps.pack);
    exchange.push_back(steps.exchange);
    storage.push_back(steps.storage);
    sync.push_back(steps.sync);
  }
};

class Bench {
 public:
  Bench(const Options& options, lq::Grid grid) : options_(options), grid_(std::move(grid)) {
    u_.resize(grid_.local_volume());
    v_.resize(grid_.local_volume());
    fill(grid_, u_);
    const std::string base = options.path + "/limequat-bench-" + lq::to_string(options.lattice);
    ours_ = base + ".lime";
    raw_ = base + ".raw";
    std::uint64_t mine = u_.size() * sizeof(Site), before = 0;
    MPI_Exscan(&mine, &before, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    raw_offset_ = grid_.rank() == 0 ? 0 : before;
  }

  void run() {
    for (int i = 0; i < options_.runs; ++i) {
      remove_files();
      // Whoever goes first finds the machine in another state: take turns.
      const bool raw_first = i % 2 == 0;
      if (raw_first) write_raw();
      write_ours();
      if (!raw_first) write_raw();
      if (raw_first) read_raw();
      read_ours();
      if (!raw_first) read_raw();
    }
    remove_files();
  }

  const Runs& writes() const { return writes_; }
  const Runs& reads() const { return reads_; }
  const lq::Grid& grid() const { return grid_; }

 private:
  void write_raw() {
    writes_.raw.push_back(timed([&] { bench::raw_write(raw_, raw_offset_, std::as_bytes(std::span(u_))); }));
  }
  void write_ours() {
    lq::WriteOptions how;
    how.sync = lq::Sync::none;
    how.block_bytes = options_.block_bytes;
    how.verify = options_.checksum ? lq::Verify::checksum : lq::Verify::none;
    lq::Report report;
    writes_.ours.push_back(timed([&] { report = lq::write(ours_, grid_, lq::gauge(u_), how); }));
    writes_.add(report.seconds);
  }
  void read_raw() {
    reads_.raw.push_back(timed([&] { bench::raw_read(raw_, raw_offset_, std::as_writable_bytes(std::span(v_))); }));
    require_same("raw");
  }
  void read_ours() {
    lq::ReadOptions how;
    how.verify = options_.checksum;
    how.block_bytes = options_.block_bytes;
    lq::Report report;
    reads_.ours.push_back(timed([&] { report = lq::read(ours_, grid_, lq::gauge(v_), how); }));
    reads_.add(report.seconds);
    require_same("limequat");
  }
  void require_same(const char* what) {
    int same = std::memcmp(u_.data(), v_.data(), u_.size() * sizeof(Site)) == 0 ? 1 : 0;
    std::memset(v_.data(), 0, v_.size() * sizeof(Site));
    MPI_Allreduce(MPI_IN_PLACE, &same, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (same == 0) throw lq::Error(lq::Code::internal, std::string(what) + ": what was read is not what was written");
  }
  void remove_files() {
    MPI_Barrier(MPI_COMM_WORLD);
    if (grid_.is_root()) ::unlink(ours_.c_str()), ::unlink(raw_.c_str());
    MPI_Barrier(MPI_COMM_WORLD);
  }

  Options options_;
  lq::Grid grid_;
  bench::PageVector<Site> u_, v_;
  std::string ours_, raw_;
  std::uint64_t raw_offset_ = 0;
  Runs writes_, reads_;
};

// All ranks along the last dimension: each has one stretch of the file.
lq::Extents split_time(const lq::Extents& lattice) {
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  lq::Extents processes = lq::Extents::filled(lattice.size(), 1);
  processes[lattice.size() - 1] = ranks;
  return processes;
}

double ratio_to_raw(const Runs& runs) { return bench::median(runs.raw) / bench::median(runs.ours); }

std::string result_json(const Options& options, const lq::Grid& grid, const char* direction, const Runs& runs) {
  const auto text = [](const char* key, const std::string& value) {
    return "\"" + std::string(key) + "\": \"" + value + "\", ";
  };
  const auto step = [](const char* key, const std::vector<double>& values) {
    return "\"" + std::string(key) + "\": " + std::to_string(bench::median(values));
  };
  return "{" + text("name", "lattice") + text("direction", direction) + text("lattice", lq::to_string(grid.extents())) +
         text("grid", lq::to_string(grid.processes())) + "\"ranks\": " + std::to_string(grid.size()) + ", " +
         text("strategy", "auto") + text("format", "ildg") + text("verify", options.checksum ? "checksum" : "none") +
         "\"bytes\": " + std::to_string(grid.volume() * sizeof(Site)) +
         ", \"seconds\": " + bench::to_json(bench::summarise(runs.ours)) +
         ", \"raw_seconds\": " + bench::to_json(bench::summarise(runs.raw)) +
         ", \"ratio_to_raw\": " + std::to_string(ratio_to_raw(runs)) + ", \"steps\": {" + step("pack", runs.pack) +
         ", " + step("exchange", runs.exchange) + ", " + step("write", runs.storage) + ", " + step("sync", runs.sync) +
         "}}";
}

void print_row(const lq::Grid& grid, const char* direction, const Runs& runs) {
  const double gigabytes = static_cast<double>(grid.volume() * sizeof(Site)) / 1e9;
  std::printf("  %-6s %8.2f GB/s   raw %8.2f GB/s   ratio %.2f\n", direction, gigabytes / bench::median(runs.ours),
              gigabytes / bench::median(runs.raw), ratio_to_raw(runs));
}

}  // namespace

int main(int argc, char** argv) try {
  const lq::mpi::Environment mpi(argc, argv);
  const Options options = parse(argc, argv);
  lq::GridOptions how;
  how.processes = options.grid.size() > 0 ? options.grid : split_time(options.lattice);
  Bench bench(options, lq::mpi::grid(options.lattice, MPI_COMM_WORLD, how));
  bench.run();
  const lq::Grid& grid = bench.grid();
  if (!grid.is_root()) return 0;

  std::printf("%s, process grid %s, %s, %d runs, median\n", lq::to_string(grid.extents()).c_str(),
              lq::to_string(grid.processes()).c_str(), options.path.c_str(), options.runs);
  print_row(grid, "write", bench.writes());
  print_row(grid, "read", bench.reads());
  if (!options.json.empty()) {
    std::ofstream(options.json) << "{\"environment\": " << bench::environment_json(options.path, options.runs)
                                << ",\n \"results\": [\n  " << result_json(options, grid, "write", bench.writes())
                                << ",\n  " << result_json(options, grid, "read", bench.reads()) << "]}\n";
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "bench_transfer: %s\n", error.what());
  MPI_Abort(MPI_COMM_WORLD, 1);
}
