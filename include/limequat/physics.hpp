// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Physics of gauge fields: observables that prove links, ordering and signs right, and a generator of
// thermalised configurations. Everything is collective, for any process grid, and independent of it to the
// last bit (sums are exact).
#pragma once

#include <limequat/language.hpp>

#include <cstdint>
#include <functional>

#include <limequat/field.hpp>
#include <limequat/grid.hpp>

namespace lq {

// Averages of Re Tr U_P / N over plaquettes. The last dimension is time; without spatial (or temporal)
// planes the value is 0.
struct Plaquette {
  double average = 0;
  double spatial = 0;
  double temporal = 0;
};

// How far the links are from SU(N).
struct Unitarity {
  double largest = 0;              // max over links of the largest |element| of U U^dagger - 1
  double mean = 0;                 // mean over links of that
  std::uint64_t far_links = 0;     // links for which it exceeds 1e-4, beyond rounding in any precision
  double largest_determinant = 0;  // max over links of |det U - 1|
  Coord worst_site;                // where `largest` occurs (lowest site number, if several)
  int worst_link = 0;
};

// All of it from one pass.
struct Physics {
  Plaquette plaquette;
  double link_trace = 0;  // average of Re Tr U / N over links
  Unitarity unitarity;
  std::uint64_t not_finite = 0;  // numbers that are NaN or infinite
};

// Collective. Gauge fields in memory (single or double, any SU(N), any number of dimensions above 1).
// invalid_argument: not a gauge field with one link per dimension.
// `threads`: of this rank; 0: as many as it has cores to itself.
LQ_API Plaquette plaquette(const Grid& grid, const Field& field, int threads = 0);
LQ_API double link_trace(const Grid& grid, const Field& field, int threads = 0);
LQ_API Unitarity unitarity(const Grid& grid, const Field& field, int threads = 0);
// Collective. Any field: how many numbers are NaN or infinite.
LQ_API std::uint64_t count_not_finite(const Grid& grid, const Field& field, int threads = 0);
LQ_API Physics measure(const Grid& grid, const Field& field, int threads = 0);

struct GenerateOptions {
  double beta = 6.0;        // Wilson action, beta = 2 N / g^2
  int sweeps = 100;         // heat bath updates of the whole lattice
  int over_relaxation = 3;  // over-relaxation sweeps after each heat bath sweep
  std::uint64_t seed = 1;
  bool hot_start = false;  // random links; else all links are 1
  int threads = 0;         // of this rank; 0: as many as it has cores to itself
  // Called on every rank after each sweep, with 1, 2, ...; collective calls on the field are allowed in it.
  std::function<void(int sweep, const Field& field)> after_sweep = {};
};

// Collective. A thermalised pure gauge configuration: Cabibbo-Marinari heat bath with over-relaxation for
// SU(2) and SU(3), periodic boundaries. The result depends on lattice, options and group alone, not on the
// process grid. `field` is a double precision gauge field in memory in the natural order; extents of 2 and up.
LQ_API void generate(const Grid& grid, const MutableField& field, const GenerateOptions& options = {});

}  // namespace lq
