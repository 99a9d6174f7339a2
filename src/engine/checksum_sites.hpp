// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sites read only for their checksum.
#pragma once

#include <limequat/inspect.hpp>

#include "base/byte_source.hpp"
#include "engine/direct.hpp"

namespace lq::engine {

// Part `number` of `all` disjoint parts of a payload.
struct PartIndex {
  std::uint64_t all = 1, number = 0;
};

// Local. A part of the sites that the file stores.
void checksum_sites(base::ByteSource& file, const Payload& payload, const PartIndex& part, const PumpOptions& options,
                    TransferStats& stats, const lq::Progress& progress = {});

}  // namespace lq::engine
