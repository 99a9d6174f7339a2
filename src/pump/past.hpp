// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sites read past the checksum, keeping nothing.
#pragma once

#include <limequat/inspect.hpp>

#include "base/byte_source.hpp"
#include "pump/direct.hpp"

namespace lq::pump {

// One of so many parts of a payload, each of whose sites is in one of them.
struct PartOf {
  std::uint64_t all = 1, number = 0;
};

// Local. A part of the sites that the file stores.
void pump_past(base::ByteSource& file, const Payload& payload, const PartOf& part, const PumpOptions& options,
               Tally& tally, const lq::Progress& progress = {});

}  // namespace lq::pump
