// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// bench_more: what programs do with the library that `lq bench` does not measure, a part each.
#pragma once

#include <cstdlib>
#include <string>
#include <vector>

#include <limequat/grid.hpp>

#include "turns.hpp"

// What follows the name of a part on the command line.
struct Words {
  std::vector<std::string> all;

  std::string text(std::size_t place, const std::string& otherwise = "") const {
    return place < all.size() ? all[place] : otherwise;
  }
  int number(std::size_t place, int otherwise) const {
    return place < all.size() ? std::atoi(all[place].c_str()) : otherwise;
  }
};

// Collective, each.
void measure_gpu(const Words& words, const lq::Communicator& ranks);
void measure_lemon(const Words& words, const lq::Communicator& ranks);
void measure_memory(const Words& words, const lq::Communicator& ranks);
void measure_modes(const Words& words, const lq::Communicator& ranks);
void measure_node_cache(const Words& words, const lq::Communicator& ranks);
void measure_views(const Words& words, const lq::Communicator& ranks);
