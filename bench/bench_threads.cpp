// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A gauge field in an ILDG file, moved by ranks times threads: each number of ranks up to those of the run, split in t
// and in x, with each number of threads, written and read (verified) in turn, in the same run. Ranks that have no part
// sleep.
//
//   mpiexec -n RANKS bench_threads FOLDER [LATTICE [ROUNDS [THREADS]]]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <mpi.h>
#include <limequat/limequat.hpp>
#include <limequat/mpi.hpp>

#include "median.hpp"

namespace {

// So many ranks, split in so that each has so many threads.
struct Way {
  int ranks = 1;
  int threads = 1;
  bool splits_x = false;
  std::vector<double> writing = {}, reading = {};
};

// Not by a barrier, in which ranks that wait take the cores of those that work.
void wait_for_all() {
  MPI_Request request;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  for (int done = 0; done == 0;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

// From a barrier of those that have a part until all of them have ended.
template <class Work>
double seconds_of(MPI_Comm part, const Work& work) {
  MPI_Barrier(part);
  const auto begin = std::chrono::steady_clock::now();
  work();
  MPI_Barrier(part);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

class Bench {
 public:
  Bench(std::string file, lq::Extents lattice) : file_(std::move(file)), lattice_(lattice) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  }

  void round(Way& way, bool counts) {
    MPI_Comm part;
    MPI_Comm_split(MPI_COMM_WORLD, rank_ < way.ranks ? 0 : MPI_UNDEFINED, rank_, &part);
    if (part != MPI_COMM_NULL) {
      transfer(way, part, counts);
      MPI_Comm_free(&part);
    }
    wait_for_all();
  }

 private:
  void transfer(Way& way, MPI_Comm part, bool counts) {
    lq::Extents processes = lq::Extents::filled(lattice_.size(), 1);
    processes[way.splits_x ? 0 : lattice_.size() - 1] = way.ranks;
    const lq::Grid grid(lq::mpi::communicator(part), lattice_, {.processes = processes});
    numbers_.resize(grid.local_volume() * 72, 0.5);
    lq::WriteOptions writing;
    lq::ReadOptions reading;
    writing.route.threads = reading.route.threads = way.threads;
    writing.sync = lq::Sync::none;
    if (rank_ == 0) std::filesystem::remove(file_);
    const double written = seconds_of(part, [&] { lq::write(file_, grid, lq::gauge(numbers_), writing); });
    const double read = seconds_of(part, [&] { lq::read(file_, grid, lq::gauge(numbers_), reading); });
    if (!counts) return;  // pays for page tables
    way.writing.push_back(written);
    way.reading.push_back(read);
  }

  std::string file_;
  lq::Extents lattice_;
  int rank_ = 0;
  std::vector<double> numbers_;
};

void print(const std::vector<Way>& ways, const lq::Extents& lattice, int rounds) {
  double sites = 1;
  for (int d = 0; d < lattice.size(); ++d) sites *= static_cast<double>(lattice[d]);
  const double megabytes = sites * 576 / 1e6;
  const Way& one = ways.front();
  std::printf("%s, double, %d rounds\n%5s %8s %5s %11s %7s %10s %7s\n", to_string(lattice).c_str(), rounds, "ranks",
              "threads", "split", "write MB/s", "of 1x1", "read MB/s", "of 1x1");
  for (const Way& way : ways) {
    const double write = median(way.writing), read = median(way.reading);
    std::printf("%5d %8d %5s %11.0f %7.2f %10.0f %7.2f\n", way.ranks, way.threads, way.splits_x ? "x" : "t",
                megabytes / write, median(one.writing) / write, megabytes / read, median(one.reading) / read);
  }
}

void run(int argc, char** argv) {
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const std::string file = std::string(argv[1]) + "/bench_threads.ildg";
  const lq::Extents lattice = lq::parse_extents(argc > 2 ? argv[2] : "24x24x24x48");
  const int rounds = argc > 3 ? std::atoi(argv[3]) : 9;
  const int most = argc > 4 ? std::atoi(argv[4]) : size;
  std::vector<Way> ways;
  for (int ranks = 1; ranks <= size; ranks *= 2) {
    for (int threads = 1; threads <= most; threads *= 2) {
      ways.push_back({ranks, threads});
      if (ranks > 1) ways.push_back({ranks, threads, true});
    }
  }
  Bench bench(file, lattice);
  for (int round = -1; round < rounds; ++round) {
    for (std::size_t i = 0; i < ways.size(); ++i) {
      bench.round(ways[(i + static_cast<std::size_t>(round + 1)) % ways.size()], round >= 0);
    }
  }
  if (rank != 0) return;
  std::filesystem::remove(file);
  print(ways, lattice, rounds);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int status = 0;
  if (argc < 2) {
    std::fputs("usage: mpiexec -n RANKS bench_threads FOLDER [LATTICE [ROUNDS [THREADS]]]\n", stderr);
    status = 2;
  } else {
    try {
      run(argc, argv);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "bench_threads: %s\n", error.what());
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
  }
  MPI_Finalize();
  return status;
}
