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
#include "engine/movement.hpp"
#include "lattice/rows.hpp"
#include "storage/transport.hpp"

namespace lq::engine {

struct PumpOptions {
  std::uint64_t block_bytes = 512 * 1024;
  // They take the rows in turn, block by block; where the file does not bear it, or sites are written from functions of
  // the caller's, two at most, of which one is with the storage. Functions are called by the caller's thread alone.
  int threads = 1;
  bool file_is_thread_safe = true;  // several at once, at different bytes
  // Of tiles that are encoded and follow each other: a thread has one of them at a time. 0: they are not such.
  std::uint64_t tile_sites = 0;
};

// For sites of `payload`: of these threads so many as have room for their blocks, which for tiles that are encoded are
// as large as these. `block_bytes` 0: as above.
PumpOptions pump_options(const Payload& payload, std::uint64_t block_bytes, int threads, std::uint64_t memory_bytes,
                         bool file_is_thread_safe);

// The sites of `rows` from the field to the payload's place in the file. All arguments outlive the movement.
std::unique_ptr<Movement> move_out(const Field& field, const Payload& payload, const lattice::RowPlan& rows,
                                   storage::File& file, const PumpOptions& options, TransferStats& stats);

// From the file to the field. truncated when the file ends early.
std::unique_ptr<Movement> move_in(base::ByteSource& file, const Payload& payload, const lattice::RowPlan& rows,
                                  const MutableField& field, const PumpOptions& options, TransferStats& stats);

// Of a rank that moves no sites.
std::unique_ptr<Movement> move_nothing();

// One step that does `work`.
std::unique_ptr<Movement> move_by(std::function<void()> work);

// A rank's own rows moved by a team of threads, for direct.hpp.

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
