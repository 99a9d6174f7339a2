// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What of the simulated disk is seen by calls of the system, which know nothing of storage: which files there are.
#pragma once

#include <functional>
#include <set>
#include <string>

namespace lq::simulation {

// From now on. Empty: no disk.
void show_disk(std::function<const std::set<std::string>&()> names);

}  // namespace lq::simulation
