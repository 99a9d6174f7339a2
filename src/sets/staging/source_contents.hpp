// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What is known of a file before it is copied, and whether it is whole.
#pragma once

#include <string>
#include <vector>

#include <limequat/catalog.hpp>
#include <limequat/grid.hpp>

#include "storage/transport.hpp"

namespace lq::sets {

// Collective. Its fields, format and files; none of all that where it is of no format that is known.
Catalog contents_of(storage::Transport& place, const std::string& path, const Communicator& communicator);

// Collective. What is wrong with a file that was copied as it is, beyond what comparing its fields with their sums
// has told; where they were not compared, as lq::verify() finds it. Nothing where no format is known.
enum class Fields { are_compared, are_not };
std::vector<Finding> damage_of(const std::string& path, const Catalog& catalog, Fields fields,
                               const Communicator& communicator);

}  // namespace lq::sets
