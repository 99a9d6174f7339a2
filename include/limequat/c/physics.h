// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Physics of gauge fields in memory. Conventions: limequat.h.
#ifndef LIMEQUAT_C_PHYSICS_H
#define LIMEQUAT_C_PHYSICS_H

#include <stddef.h>
#include <stdint.h>

#include <limequat/c/field.h>
#include <limequat/c/grid.h>

#ifdef __cplusplus
extern "C" {
#endif

// Collective. values: average, spatial, temporal.
LQ_API lq_status lq_plaquette(const lq_grid* grid, lq_field field, double values[3]);
// Collective. Average of Re Tr U / N over the links.
LQ_API lq_status lq_link_trace(const lq_grid* grid, lq_field field, double* value);
// Collective. values: largest |element| of U U^dagger - 1, its mean over links, largest |det U - 1|.
LQ_API lq_status lq_unitarity(const lq_grid* grid, lq_field field, double values[3]);
// Collective. Returns how many numbers of any field are NaN or infinite.
LQ_API lq_status lq_count_not_finite(const lq_grid* grid, lq_field field, uint64_t* count);
// Collective. All of these from one pass, as JSON.
LQ_API lq_status lq_measure(const lq_grid* grid, lq_field field, char** json);

typedef struct lq_observables_options {
  size_t struct_size;  // set by init
  int flow_steps;      // 0; number of steps of gradient flow; the field is measured after each
  double flow_step;    // 0.01: flow time of a step in units of a^2, at most 0.15
  int threads;         // of this rank; 0: as many as it has cores to itself
} lq_observables_options;
LQ_API lq_status lq_observables_options_init(lq_observables_options* options, size_t struct_size);
LQ_API lq_status lq_observables_options_set(lq_observables_options* options, const char* name, const char* value);

// Collective. Measures Wilson loops, Polyakov loop, energy and topological charge along the gradient flow, t0 and w0,
// as JSON (docs/guide/observables.md). LQ_INVALID_ARGUMENT: numbers that are not finite, links that are not in SU(N);
// LQ_UNSUPPORTED: flow with open boundaries.
LQ_API lq_status lq_observables(const lq_grid* grid, lq_field field, const lq_observables_options* options,
                                char** json);
// Collective. A number for each local site, x fastest: the topological charge density of the clover, and the mean of
// Re Tr U_P / N over the plaquettes that go forward from the site.
LQ_API lq_status lq_charge_density(const lq_grid* grid, lq_field field, double* density);
LQ_API lq_status lq_plaquette_density(const lq_grid* grid, lq_field field, double* density);

typedef struct lq_generate_options {
  size_t struct_size;                             // set by init
  double beta;                                    // 6.0
  int sweeps;                                     // 100
  int over_relaxation;                            // 3 after each heat bath sweep
  uint64_t seed;                                  // 1
  int hot_start;                                  // 0: all links are 1
  void (*after_sweep)(int sweep, void* context);  // or NULL
  void* context;
  int threads;  // of this rank; 0: as many as it has cores to itself
} lq_generate_options;
LQ_API lq_status lq_generate_options_init(lq_generate_options* options, size_t struct_size);
LQ_API lq_status lq_generate_options_set(lq_generate_options* options, const char* name, const char* value);

// Collective. Generates a thermalised SU(2) or SU(3) configuration in a double precision gauge field, x fastest.
LQ_API lq_status lq_generate(const lq_grid* grid, lq_field field, const lq_generate_options* options);

#ifdef __cplusplus
}
#endif

#endif
