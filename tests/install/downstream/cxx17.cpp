// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A field written and read again, in C++17.
#include <cstdio>

#include <limequat/cxx17.hpp>

static_assert(__cplusplus < 202002L, "the library does not ask for C++20");

int main() {
  const lq::cxx17::Grid grid({2, 2, 4, 4});
  std::vector<double> u(grid.local_volume() * 72, 0.5), again(u.size());
  lq::cxx17::write("cxx17.ildg", grid, lq::cxx17::gauge(u), {{"overwrite", "1"}});
  lq::cxx17::read("cxx17.ildg", grid, lq::cxx17::gauge(again));
  std::puts(u == again ? "same" : "different");
}
