// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Every rank moves its own rows, block by block through a buffer that stays in cache: site order, precision, byte
// order and sums in one pass.
#pragma once

#include <functional>
#include <memory>

#include "base/byte_source.hpp"
#include "engine/local_sites.hpp"
#include "engine/stepwise_transfer.hpp"
#include "lattice/rows.hpp"
#include "storage/transport.hpp"

namespace lq::engine {

struct BlockOptions {
  std::uint64_t block_bytes = 512 * 1024;
  // They take the rows block by block. If the file allows only one, or sites to be written come from the user's
  // functions: at most two, one of which is with the storage. Functions are called by the calling thread only.
  int threads = 1;
  bool file_is_thread_safe = true;  // several threads may use it at different bytes
  // For encoded tiles in sequence: sites of a tile; a thread has one tile at a time. 0: not such a payload.
  std::uint64_t tile_sites = 0;
};

// For sites of `payload`: as many of these threads as have memory for their blocks; for encoded tiles a block is as
// large as a tile. `block_bytes` 0: as above.
BlockOptions block_options(const Payload& payload, std::uint64_t block_bytes, int threads, std::uint64_t memory_bytes,
                           bool file_is_thread_safe);

// Moves the sites of `rows` from the field to the payload's place in the file. All arguments outlive the transfer.
std::unique_ptr<StepwiseTransfer> move_out(const Field& field, const Payload& payload, const lattice::RowPlan& rows,
                                           storage::File& file, const BlockOptions& options, TransferStats& stats);

// The reverse. truncated if the file ends early.
std::unique_ptr<StepwiseTransfer> move_in(base::ByteSource& file, const Payload& payload, const lattice::RowPlan& rows,
                                          const MutableField& field, const BlockOptions& options, TransferStats& stats);

// For a rank that moves no sites.
std::unique_ptr<StepwiseTransfer> move_nothing();

// A transfer of one step that runs `work`.
std::unique_ptr<StepwiseTransfer> move_by(std::function<void()> work);

// A rank's own rows, moved by a team of threads; used by direct.hpp.

// The field is in memory, and the file allows several threads.
std::unique_ptr<StepwiseTransfer> move_out_by_team(const Field& field, const Payload& payload,
                                                   const lattice::RowPlan& rows, storage::File& file,
                                                   const BlockOptions& options, TransferStats& stats);
std::unique_ptr<StepwiseTransfer> move_in_by_team(base::ByteSource& file, const Payload& payload,
                                                  const lattice::RowPlan& rows, const MutableField& field,
                                                  const BlockOptions& options, TransferStats& stats);

// The field is behind functions, which only the calling thread calls; except for the byte order the file has the form
// that the functions take.
std::unique_ptr<StepwiseTransfer> move_in_to_function(base::ByteSource& file, const Payload& payload,
                                                      const lattice::RowPlan& rows, const MutableField& field,
                                                      const BlockOptions& options, TransferStats& stats);

}  // namespace lq::engine
