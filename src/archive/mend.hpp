// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a damaged archive has lost. Nothing in it vouches for the bytes of a tile but their own sum, so that they cannot
// be brought back; the other tiles can.
#pragma once

#include <limequat/options.hpp>

#include "base/byte_source.hpp"
#include "format/findings.hpp"

namespace lq::archive {

// Decodes every tile; those that cannot be are named, with the time slices of the field that lie in them. Errors as
// read_archive().
void name_lost_tiles(base::ByteSource& file, const Limits& limits, format::Findings& lost);

}  // namespace lq::archive
