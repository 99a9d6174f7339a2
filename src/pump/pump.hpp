// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The pumps move sites between local memory and a file, block by block through a buffer that stays in cache:
// site order, precision, byte order and checksum in one pass. They are local; what they saw is in the tally.
#pragma once

#include <cstdint>

#include <limequat/field.hpp>
#include <limequat/inspect.hpp>
#include <limequat/report.hpp>

#include "comm/comm.hpp"
#include "lattice/rows.hpp"
#include "pump/slice_sums.hpp"
#include "transport/transport.hpp"

namespace lq::pump {

struct Tally {
  explicit Tally(const Payload& payload) : sums(payload) {}

  SliceSums sums;
  ZeroRegion zeros;  // gauge fields only
  std::uint64_t bytes = 0;
  double pack_seconds = 0;
  double storage_seconds = 0;

  // Collective. Sums, zeros and bytes of all ranks, and the seconds of the slowest.
  void reduce(comm::Comm& comm);
};

struct PumpOptions {
  std::uint64_t block_bytes = 256 * 1024;
  bool checksum = true;
};

// Writes the sites of `rows` from the field to the payload's place in the file.
void pump_out(const Field& field, const Payload& payload, lattice::Rows& rows, transport::File& file,
              const PumpOptions& options, Tally& tally);

// Reads them into the field. truncated when the file ends early.
void pump_in(base::ByteSource& file, const Payload& payload, lattice::Rows& rows, const MutableField& field,
             const PumpOptions& options, Tally& tally);

// Reads sites `begin` .. `end`-1 of the file's sequence past the checksum, keeping nothing.
void pump_past(base::ByteSource& file, const Payload& payload, std::uint64_t begin, std::uint64_t end,
               const PumpOptions& options, Tally& tally, const Progress& progress = {});

}  // namespace lq::pump
