// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
//   [mpirun -n RANKS] bench_more PART WORDS...
#include "more.hpp"

#include <cstdio>
#include <exception>
#include <string_view>

#ifdef BENCH_WITH_MPI
#include <limequat/mpi.hpp>
#endif

namespace {

struct Part {
  std::string_view name;
  std::size_t least_words;
  const char* words;
  void (*measure)(const Words& words, const lq::Communicator& ranks);
};

constexpr Part all_parts[] = {
    {"gpu", 1, "FOLDER [LATTICE [ROUNDS [THREADS]]]", measure_gpu},
#ifdef BENCH_WITH_LEMON
    {"lemon", 4, "FOLDER LATTICE GRID ROUNDS, such as /dev/shm 24x24x24x48 2x1x1x1 5", measure_lemon},
#endif
    {"memory", 1, "FOLDER [LATTICE [ROUNDS [THREADS]]]", measure_memory},
    {"modes", 1, "FILE [MODES [LATTICE [double|single|fixed16 [BASIS [THREADS]]]]]", measure_modes},
    {"node-cache", 1, "FILE [CACHE_MEBIBYTES [ROUNDS]]", measure_node_cache},
    {"views", 1, "FOLDER [LATTICE [PROCESSES [ROUNDS]]]", measure_views},
};

}  // namespace

int main(int argc, char** argv) try {
#ifdef BENCH_WITH_MPI
  const lq::mpi::Environment mpi(argc, argv);
  const lq::Communicator ranks = lq::mpi::communicator();
#else
  const lq::Communicator ranks;
#endif
  const std::string_view name = argc > 1 ? argv[1] : "";
  const Words words{std::vector<std::string>(argv + std::min(argc, 2), argv + argc)};
  for (const Part& part : all_parts) {
    if (part.name != name || words.all.size() < part.least_words) continue;
    part.measure(words, ranks);
    return 0;
  }
  if (ranks.is_root()) {
    for (const Part& part : all_parts) std::fprintf(stderr, "usage: bench_more %s %s\n", part.name.data(), part.words);
  }
  return 2;
} catch (const std::exception& error) {
  std::fprintf(stderr, "bench_more: %s\n", error.what());
  return 1;
}
