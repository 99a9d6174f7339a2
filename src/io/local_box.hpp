// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One rank's own reading of a box of sites into memory, for questions that need no grid. Local.
#pragma once

#include <vector>

#include <limequat/catalog.hpp>

#include "base/byte_source.hpp"
#include "base/bytes.hpp"
#include "engine/direct.hpp"

namespace lq::io {

// The sites of `box` (inside the payload's stored box) in natural order, in `memory` of at least
// box.volume() * numbers elements of `precision`; checksums are added to `stats`.
void read_box(base::ByteSource& file, const Payload& payload, const Box& box, Precision precision, void* memory,
              engine::TransferStats& stats);
// The same of sites in the order of the file.
void read_box_as_stored(base::ByteSource& file, const Payload& payload, const Box& box, Precision precision,
                        void* memory, engine::TransferStats& stats);

// The same as doubles, without checksum.
std::vector<double> read_box(base::ByteSource& file, const Payload& payload, const Box& box);

// Tiles that keep the memory of one in bounds. Half as much makes rows so short, where the orders of two files differ,
// that calls and the lock of the new file cost a twentieth of a conversion.
inline constexpr std::uint64_t tile_bytes = 2 * base::mebi;

}  // namespace lq::io
