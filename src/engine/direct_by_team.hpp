// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A rank's own rows moved by a team of threads, for direct.hpp.
#pragma once

#include "engine/direct.hpp"

namespace lq::engine {

// The field is in memory, and the file bears several threads.
std::unique_ptr<Movement> move_out_by_team(const Field& field, const Payload& payload, const lattice::RowPlan& rows,
                                           storage::File& file, const PumpOptions& options, TransferStats& stats);
std::unique_ptr<Movement> move_in_by_team(base::ByteSource& file, const Payload& payload, const lattice::RowPlan& rows,
                                          const MutableField& field, const PumpOptions& options, TransferStats& stats);

// The field is behind functions, which the caller's thread alone calls, and lies in the file as they take it, except
// for the order of bytes.
std::unique_ptr<Movement> move_in_to_function(base::ByteSource& file, const Payload& payload,
                                              const lattice::RowPlan& rows, const MutableField& field,
                                              const PumpOptions& options, TransferStats& stats);

}  // namespace lq::engine
