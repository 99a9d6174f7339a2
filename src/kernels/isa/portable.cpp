// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Runs on every machine, of either byte order. Without special instructions no loop over sites is better than copying,
// followed by the CRC-32 of streams.
#include "kernels/isa/number_loops.hpp"

namespace lq::kernels::isa {

namespace {
struct Portable;
}

constinit const Loops portable_loops = number_loops<Portable>();

}  // namespace lq::kernels::isa
