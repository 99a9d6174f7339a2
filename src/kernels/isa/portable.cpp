// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What every machine runs, of either byte order. Without special instructions there is no loop over sites better than
// copying, then the CRC-32 of streams.
#include "kernels/isa/number_loops.hpp"

namespace lq::kernels::isa {

namespace {
struct Portable;
}

constinit const Loops portable_loops = number_loops<Portable>();

}  // namespace lq::kernels::isa
