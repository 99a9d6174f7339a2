// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Observables of fields in memory, and the generator.
#include <limequat/physics.hpp>

#include <algorithm>
#include <utility>

#include <limequat/json.hpp>

#include "capi/call.hpp"
#include "capi/handles.hpp"
#include "capi/options.hpp"
#include "capi/transfer_call.hpp"

using namespace lq::capi;  // NOLINT: the functions of the interface are outside of it

namespace {

// Collective. The field of a measurement whose result is stored in `out`.
template <class Out>
lq::Field measured(const lq_grid* grid, const lq_field& field, Out* out, const char* argument) {
  return agreed(grid_of(grid).communicator(), [&] {
    given(out, argument);
    return readable(field);
  });
}

}  // namespace

lq_status lq_plaquette(const lq_grid* grid, lq_field field, double values[3]) {
  return guarded([&] {
    const lq::Field gauge = measured(grid, field, values, "values");
    const lq::Plaquette plaquette = lq::plaquette(grid->grid, gauge);
    values[0] = plaquette.average;
    values[1] = plaquette.spatial;
    values[2] = plaquette.temporal;
  });
}

lq_status lq_link_trace(const lq_grid* grid, lq_field field, double* value) {
  return guarded([&] {
    const lq::Field gauge = measured(grid, field, value, "value");
    *value = lq::link_trace(grid->grid, gauge);
  });
}

lq_status lq_unitarity(const lq_grid* grid, lq_field field, double values[3]) {
  return guarded([&] {
    const lq::Field gauge = measured(grid, field, values, "values");
    const lq::Unitarity unitarity = lq::unitarity(grid->grid, gauge);
    values[0] = unitarity.largest;
    values[1] = unitarity.mean;
    values[2] = unitarity.largest_determinant;
  });
}

lq_status lq_count_not_finite(const lq_grid* grid, lq_field field, uint64_t* count) {
  return guarded([&] {
    const lq::Field any = measured(grid, field, count, "count");
    *count = lq::count_not_finite(grid->grid, any);
  });
}

lq_status lq_measure(const lq_grid* grid, lq_field field, char** json) {
  return guarded([&] {
    const lq::Field gauge = measured(grid, field, json, "json");
    hand_out_json(lq::measure(grid->grid, gauge), json);
  });
}

lq_status lq_observables(const lq_grid* grid, lq_field field, const lq_observables_options* options, char** json) {
  return guarded([&] {
    const auto [gauge, how] = agreed(grid_of(grid).communicator(), [&] {
      given(json, "json");
      return std::pair(readable(field), options_of(options));
    });
    hand_out_json(lq::observables(grid->grid, gauge, how), json);
  });
}

lq_status lq_charge_density(const lq_grid* grid, lq_field field, double* density) {
  return guarded([&] {
    const lq::Field gauge = measured(grid, field, density, "density");
    std::ranges::copy(lq::charge_density(grid->grid, gauge), density);
  });
}

lq_status lq_plaquette_density(const lq_grid* grid, lq_field field, double* density) {
  return guarded([&] {
    const lq::Field gauge = measured(grid, field, density, "density");
    std::ranges::copy(lq::plaquette_density(grid->grid, gauge), density);
  });
}

lq_status lq_generate(const lq_grid* grid, lq_field field, const lq_generate_options* options) {
  return guarded([&] {
    const auto [gauge, how] =
        agreed(grid_of(grid).communicator(), [&] { return std::pair(writable(field), options_of(options)); });
    lq::generate(grid->grid, gauge, how);
  });
}
