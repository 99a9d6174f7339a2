// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Every rank needs all of a file: each reads it for itself, or those of a node read it once and share it. In turn
// within every round, each beginning somewhere else, as programs do that work through it in orders of their own.
//   mpirun -n 4 bench_more node-cache FILE [CACHE_MEBIBYTES [ROUNDS]]
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <vector>

#include <limequat/node_cache.hpp>

#include "more.hpp"

namespace {

constexpr std::uint64_t piece_bytes = std::uint64_t{1} << 20;

// All pieces of a file in turn, from the first one of this rank on.
void for_each_piece(std::uint64_t bytes, const lq::Communicator& ranks, const auto& work) {
  const std::uint64_t pieces = (bytes + piece_bytes - 1) / piece_bytes;
  const std::uint64_t first =
      pieces * static_cast<std::uint64_t>(ranks.rank()) / static_cast<std::uint64_t>(ranks.size());
  for (std::uint64_t i = 0; i < pieces; ++i) {
    const std::uint64_t at = (first + i) % pieces * piece_bytes;
    work(at, std::min(piece_bytes, bytes - at));
  }
}

}  // namespace

void measure_node_cache(const Words& words, const lq::Communicator& ranks) {
  const std::string path = words.text(0);
  const std::uint64_t cache_bytes = static_cast<std::uint64_t>(words.number(1, 64)) << 20;
  const int rounds = words.number(2, 5);
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
    for_itself.push_back(seconds_of(ranks, [&] {
      for_each_piece(bytes, ranks, [&](std::uint64_t at, std::uint64_t count) {
        if (pread(file, plain.data() + at, count, static_cast<off_t>(at)) != static_cast<ssize_t>(count)) {
          throw std::runtime_error(path + ": pread failed");
        }
      });
    }));
    close(file);
    together.push_back(seconds_of(ranks, [&] {
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
