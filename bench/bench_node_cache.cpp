// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Every rank needs all of a file: each reads it for itself, or those of a node read it once and share it. In turn
// within every round, each beginning somewhere else, as programs do that work through it in orders of their own.
//   mpirun -n 4 bench_node_cache FILE [CACHE_MEBIBYTES [ROUNDS]]
#include <fcntl.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <vector>

#include <limequat/mpi.hpp>
#include <limequat/node_cache.hpp>

#include "median.hpp"

namespace {

constexpr std::uint64_t piece = std::uint64_t{1} << 20;

double timed(const auto& work) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double before = MPI_Wtime();
  work();
  double seconds = MPI_Wtime() - before;
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return seconds;
}

// All pieces of a file in turn, from the first one of this rank on.
void for_each_piece(std::uint64_t bytes, const lq::Communicator& ranks, const auto& work) {
  const std::uint64_t pieces = (bytes + piece - 1) / piece;
  const std::uint64_t first =
      pieces * static_cast<std::uint64_t>(ranks.rank()) / static_cast<std::uint64_t>(ranks.size());
  for (std::uint64_t i = 0; i < pieces; ++i) {
    const std::uint64_t at = (first + i) % pieces * piece;
    work(at, std::min(piece, bytes - at));
  }
}

void run(const std::string& path, std::uint64_t cache_bytes, int rounds) {
  const lq::Communicator ranks = lq::mpi::communicator();
  std::vector<std::byte> plain, shared;
  std::vector<double> for_itself, together;
  lq::NodeCacheCounts counts;
  std::uint64_t bytes = 0;
  for (int round = 0; round < rounds; ++round) {
    lq::NodeCache cache(path, ranks, {.bytes = cache_bytes});
    bytes = cache.size();
    plain.assign(bytes, {});
    shared.assign(bytes, {});
    const int file = open(path.c_str(), O_RDONLY);
    for_itself.push_back(timed([&] {
      for_each_piece(bytes, ranks, [&](std::uint64_t at, std::uint64_t count) {
        if (pread(file, plain.data() + at, count, static_cast<off_t>(at)) != static_cast<ssize_t>(count)) {
          throw std::runtime_error(path + ": pread failed");
        }
      });
    }));
    close(file);
    together.push_back(timed([&] {
      for_each_piece(bytes, ranks, [&](std::uint64_t at, std::uint64_t count) {
        cache.read_at(at, std::span(shared).subspan(at, count));
      });
    }));
    if (plain != shared) throw std::runtime_error(path + ": what was shared is not what is in the file");
    counts = cache.counts();
  }
  if (!ranks.is_root()) return;
  const double all = static_cast<double>(bytes) * ranks.size() / 1e9;
  std::printf(
      "%.0f MB by each of %d ranks, a cache of %.0f MB: each for itself %.2f GB/s, shared %.2f GB/s (%.2f times)\n",
      static_cast<double>(bytes) / 1e6, ranks.size(), static_cast<double>(counts.memory_bytes) / 1e6,
      all / median(for_itself), all / median(together), median(for_itself) / median(together));
  std::printf("of the last round, on the first node: %.0f MB read for %.0f MB given, %llu waits, %llu reads beside\n",
              static_cast<double>(counts.bytes_read) / 1e6, static_cast<double>(counts.bytes_given) / 1e6,
              static_cast<unsigned long long>(counts.waits), static_cast<unsigned long long>(counts.reads_beside));
}

}  // namespace

int main(int argc, char** argv) try {
  const lq::mpi::Environment mpi(argc, argv);
  if (argc < 2) {
    std::fprintf(stderr, "usage: bench_node_cache FILE [CACHE_MEBIBYTES [ROUNDS]]\n");
    return 2;
  }
  run(argv[1], (argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 64) << 20, argc > 3 ? std::atoi(argv[3]) : 5);
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
