// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sets of subfiles (docs/formats/partitions.md) repaired: what is left of the file that they were, as a file, and what
// was left next to them put away.
#pragma once

#include <optional>
#include <string>

#include <limequat/repack.hpp>

#include "storage/transport.hpp"

namespace lq::sets {

// As lq::repair(). Nothing: `from` is no description of a set.
std::optional<RepackReport> repair_subfiles(storage::Transport& transport, const std::string& from,
                                            const std::string& to, const RepackOptions& options);

}  // namespace lq::sets
