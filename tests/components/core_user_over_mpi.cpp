// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// All ranks look into a file, or write it ("write" before the path); each says the error that it got.
#include <array>
#include <cstdio>
#include <limequat/limequat.hpp>
#include <limequat/mpi.hpp>
#include <string_view>
#include <vector>

int main(int count, char** words) {
  const lq::mpi::Environment mpi(count, words);
  try {
    if (std::string_view(words[1]) == "write") {
      const lq::Grid grid = lq::mpi::grid({2, 2, 2, 2});
      const std::vector<std::array<double, 72>> sites(grid.local_volume());
      lq::write(words[2], grid, lq::gauge(sites));
    } else {
      const lq::Grid grid = lq::mpi::grid({4, 4});
      const lq::File file(words[1], grid.communicator());
    }
  } catch (const lq::Error& error) {
    std::printf("error: %s\n", error.what());
    return 1;
  }
  return 0;
}
