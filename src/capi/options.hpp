// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Option structs to the options of C++; NULL gives the defaults.
#pragma once

#include <limequat/inspect.hpp>
#include <limequat/options.hpp>
#include <limequat/physics.hpp>
#include <limequat/plan.hpp>

#include <limequat.h>

namespace lq::capi {

WriteOptions write_options(const lq_write_options* options);
ReadOptions read_options(const lq_read_options* options);
Limits scan_limits(const lq_scan_options* options);
VerifyOptions verify_options(const lq_verify_options* options);
ConvertOptions convert_options(const lq_convert_options* options);
DiffOptions diff_options(const lq_diff_options* options);
GenerateOptions generate_options(const lq_generate_options* options);
// What is asked of a plan, without lattice, process grid and field; and the machine it is made for.
PlanRequest plan_request(const lq_plan_options* options, int dimensions);
Machine machine_of(const lq_plan_options* options);

Metadata metadata_of(const lq_metadata* metadata, std::size_t count);

// Where a report is to go: the struct's report_json, or nullptr.
char** report_of(const lq_write_options* options);
char** report_of(const lq_read_options* options);

}  // namespace lq::capi
