// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The plaquettes of parts of a gauge field that lies in a file, for formats whose files state those of their own part.
#pragma once

#include <limequat/catalog.hpp>

#include "base/byte_source.hpp"

namespace lq::io {

// Local. The sum of Re Tr U_P / N over the plaquettes that begin at the sites of the box: between each two directions,
// with the links of neighbours beyond it. Two of its slices are held in memory.
double plaquette_sum(base::ByteSource& sites, const Payload& payload, const Box& box);

}  // namespace lq::io
