// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Plans of transfers, answered in JSON.
#include <limequat/plan.hpp>

#include "capi/field.hpp"
#include "capi/handles.hpp"
#include "capi/options.hpp"
#include "capi/text.hpp"

lq_status lq_plan(const int64_t* lattice, const int64_t* processes, int dimensions, lq_field field,
                  const lq_plan_options* options, char** json) {
  return lq::capi::guarded([&] {
    lq::capi::given(json, "json");
    const lq::Extents extents = lq::capi::coord_of(lattice, dimensions, "lattice");
    lq::PlanRequest request = lq::capi::plan_request(options, dimensions);
    request.lattice = extents;
    request.processes = lq::capi::coord_of(processes, dimensions, "processes");
    request.spec = lq::capi::readable(field).spec;
    lq::capi::hand_out(lq::to_json(lq::plan_transfer(request, lq::capi::machine_of(options))), json);
  });
}
