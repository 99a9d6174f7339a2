// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A plan for people.
#pragma once

#include <string>
#include <vector>

#include <limequat/multifile_plan.hpp>
#include <limequat/plan.hpp>

namespace lq::cli {

std::string plan_text(const TransferPlan& plan, const std::vector<Extent>& extents, const std::string& about_machine);
std::string plan_text(const MultifilePlan& plan);

}  // namespace lq::cli
