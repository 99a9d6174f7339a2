// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// bench_parity [MEBIBYTES] [RUNS]: block sums and parity of random bytes in memory by one core, as `lq protect` makes
// them, beside memcpy of the same bytes; by turns, medians, as JSON.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include <limequat/error.hpp>

#include "base/byte_source.hpp"
#include "kernels/dispatch.hpp"
#include "protection/encode.hpp"

#include "turns.hpp"

namespace {

using namespace lq;

std::vector<std::byte> random_bytes_of(std::size_t bytes) {
  std::vector<std::byte> all(bytes);
  std::mt19937_64 random(1);
  for (std::size_t at = 0; at + 8 <= bytes; at += 8) {
    const std::uint64_t word = random();
    std::memcpy(all.data() + at, &word, sizeof word);
  }
  return all;
}

// All windows of a plan with that ratio.
double encoding_seconds(base::MemorySource& source, double ratio) {
  protection::ProtectedPart part;
  part.name = "memory";
  part.bytes = source.size();
  const protection::Head head = protection::plan({part}, ratio, 0);
  protection::WindowEncoder encoder(head, [&](std::size_t) -> base::ByteSource& { return source; });
  return seconds_of([&] {
    for (std::uint64_t window = 0; window < head.windows; ++window) encoder.encode(window);
  });
}

int run(std::size_t mebibytes, int runs) {
  const std::vector<std::byte> bytes = random_bytes_of(mebibytes * base::mebi);
  std::vector<std::byte> copy(bytes.size());
  base::MemorySource source(bytes, "memory");
  struct Way {
    const char* name;
    double ratio;  // 0: memcpy, -1: sums alone
    std::vector<double> seconds = {};
  };
  std::vector<Way> ways{{"memcpy", 0}, {"sums of blocks", -1}, {"parity 3%", 0.03}, {"parity 10%", 0.1}};
  in_turn(ways, runs, [&](Way& way, bool counts) {
    double seconds = 0;
    std::uint64_t sums = 0;
    constexpr std::size_t block = 32 * base::kibi;
    if (way.ratio > 0) seconds = encoding_seconds(source, way.ratio);
    if (way.ratio == 0) seconds = seconds_of([&] { std::memcpy(copy.data(), bytes.data(), bytes.size()); });
    if (way.ratio < 0) {
      seconds = seconds_of([&] {
        for (std::size_t at = 0; at < bytes.size(); at += block) {
          sums += protection::sum_of(base::Bytes(bytes).subspan(at, std::min(block, bytes.size() - at))).xxh64;
        }
      });
    }
    if (counts) way.seconds.push_back(seconds);
    if (sums == 1) std::puts("");  // so that it is computed
  });
  std::printf("{\"instruction_set\":\"%s\",\"bytes\":%zu,\"results\":[",
              std::string(kernels::instruction_set_name()).c_str(), bytes.size());
  for (const Way& way : ways) {
    const double seconds = median(way.seconds);
    std::printf("%s{\"name\":\"%s\",\"seconds\":%.6g,\"bytes_per_second\":%.4g}", &way == &ways.front() ? "" : ",",
                way.name, seconds, static_cast<double>(bytes.size()) / seconds);
  }
  std::puts("]}");
  return 0;
}

}  // namespace

int main(int count, char** words) {
  try {
    return run(count > 1 ? static_cast<std::size_t>(std::max(1, std::atoi(words[1]))) : 256,
               count > 2 ? std::max(1, std::atoi(words[2])) : 5);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_parity: %s\n", error.what());
    return 1;
  }
}
