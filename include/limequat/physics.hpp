// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Physics of gauge fields: observables that prove links, ordering and signs right, and a generator of
// thermalised configurations. Everything is collective, for any process grid, and independent of it to the
// last bit (sums are exact).
#pragma once

#include <limequat/language.hpp>

#include <complex>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

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

// The distance of the links from SU(N).
struct Unitarity {
  double largest = 0;              // max over links of the largest |element| of U U^dagger - 1
  double mean = 0;                 // mean over links of the same
  std::uint64_t far_links = 0;     // links for which it exceeds 1e-4, beyond rounding in any precision
  double largest_determinant = 0;  // max over links of |det U - 1|
  Coord worst_site;                // where `largest` occurs (lowest site number, if several)
  int worst_link = 0;
};

// All of these, from one pass.
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
// Collective. Returns how many numbers of any field are NaN or infinite.
LQ_API std::uint64_t count_not_finite(const Grid& grid, const Field& field, int threads = 0);
LQ_API Physics measure(const Grid& grid, const Field& field, int threads = 0);

// The average of Re Tr W / N over rectangular Wilson loops.
struct WilsonLoop {
  int r = 1, s = 1;     // steps in one direction and in the other
  double average = 0;   // over all planes, each with both orientations
  double spatial = 0;   // the same over planes without the last dimension; 0 if there are none
  double temporal = 0;  // r steps in space, s in time
};

// A field after some gradient flow, or before it.
struct FlowPoint {
  double time = 0;               // flow time t in units of a^2
  double energy = 0;             // <E> a^4 of the clover: the average of sum over planes of tr F^2, F without its trace
  double energy_plaquette = 0;   // <E> a^4 of the plaquette: 2 N * planes * (1 - average plaquette)
  std::optional<double> charge;  // the sum of charge_density(); four dimensions only
};

struct ObservablesOptions {
  int flow_steps = 0;       // number of steps of gradient flow; the field is measured after each
  double flow_step = 0.01;  // flow time of one step in units of a^2; above 0, at most 0.15
  int threads = 0;          // of this rank; 0: as many as it has cores to itself
};

// docs/guide/observables.md has the formulas.
struct Observables {
  // True if the links that leave the last time slice are zero. Wilson loops are then averages of the loops that stay
  // inside; the Polyakov loop, energies and charge are not defined, and there is no flow.
  bool open_boundary = false;
  std::vector<WilsonLoop> wilson_loops;               // 1x1, 1x2, 2x1, 2x2
  std::optional<std::complex<double>> polyakov_loop;  // average of Tr / N of the ordered products along time
  std::vector<FlowPoint> flow;                        // the first at time 0; empty with open boundaries
  // In four dimensions, if the flow reached them. t0 / a^2: t^2 <E> = 0.3. w0 / a: t d/dt t^2 <E> = 0.3 at t = w0^2.
  std::optional<double> t0, w0;                      // from the energy of the clover
  std::optional<double> t0_plaquette, w0_plaquette;  // from the energy of the plaquette

  // Before any flow.
  std::optional<double> charge() const { return flow.empty() ? std::nullopt : flow.front().charge; }
  std::optional<double> energy() const { return flow.empty() ? std::nullopt : std::optional(flow.front().energy); }
};

// Collective. Measures Wilson loops, Polyakov loop, and energy density and topological charge along the gradient flow
// of the Wilson action; independent of the process grid to the last bit. In addition to the field, each rank holds its
// sites in double precision with two layers of neighbours' sites, and during the flow a second copy without these.
// invalid_argument: not a gauge field as for plaquette(), options out of bounds, numbers that are not finite, links
// that are not in SU(N) (off by more than 1e-4; the message names the worst and their number). unsupported: flow with
// open boundaries.
LQ_API Observables observables(const Grid& grid, const Field& field, const ObservablesOptions& options = {});

// Collective. One value for each local site, x fastest. Links need not be in the group. Errors as plaquette().
// The topological charge density of the clover: epsilon Tr F F / (32 pi^2) with epsilon_xyzt = 1, that is
// Tr(F_xy F_zt - F_xz F_yt + F_xt F_yz) / (4 pi^2), F = (C - C^dagger) / 8i where C is the sum of the four plaquettes
// of a plane that begin and end at the site; the trace of F is not removed. Four dimensions, any SU(N).
LQ_API std::vector<double> charge_density(const Grid& grid, const Field& field, int threads = 0);
// The mean of Re Tr U_P / N over the plaquettes that go forward from the site.
LQ_API std::vector<double> plaquette_density(const Grid& grid, const Field& field, int threads = 0);

struct GenerateOptions {
  double beta = 6.0;        // Wilson action, beta = 2 N / g^2
  int sweeps = 100;         // heat bath updates of the whole lattice
  int over_relaxation = 3;  // over-relaxation sweeps after each heat bath sweep
  std::uint64_t seed = 1;
  bool hot_start = false;  // random links; false: all links are 1
  int threads = 0;         // of this rank; 0: as many as it has cores to itself
  // Called on every rank after each sweep, with 1, 2, ...; collective calls on the field are allowed in it.
  std::function<void(int sweep, const Field& field)> after_sweep = {};
};

// Collective. Generates a thermalised pure gauge configuration: Cabibbo-Marinari heat bath with over-relaxation for
// SU(2) and SU(3), periodic boundaries. The result depends only on lattice, options and group, not on the
// process grid. `field` is a double precision gauge field in memory in the natural order; extents of 2 and up.
LQ_API void generate(const Grid& grid, const MutableField& field, const GenerateOptions& options = {});

}  // namespace lq
