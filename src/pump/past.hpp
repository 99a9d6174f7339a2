// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sites read past the checksum, keeping nothing.
#pragma once

#include <limequat/inspect.hpp>

#include "base/byte_source.hpp"
#include "pump/direct.hpp"

namespace lq::pump {

// Local. Sites number `begin` .. `end`-1 of the file's sequence.
void pump_past(base::ByteSource& file, const Payload& payload, std::uint64_t begin, std::uint64_t end,
               const PumpOptions& options, Tally& tally, const lq::Progress& progress = {});

}  // namespace lq::pump
