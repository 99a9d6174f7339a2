// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A check value for formats without a magic: the plaquette at a few sites, read as the format says, is near the one
// that the header states, or the links are stored otherwise.
#pragma once

#include <cstdint>
#include <optional>

#include <limequat/catalog.hpp>
#include <limequat/lattice.hpp>

#include "base/byte_source.hpp"
#include "base/function_ref.hpp"

namespace lq::format::flat {

// The byte at which a link begins, a matrix of doubles, row by row.
using LinkAt = base::FunctionRef<std::uint64_t(const Coord& site, int direction)>;

struct Sampled {
  double mean = 0;         // of Re Tr U_P / N; plaquettes of links that are zero or none are left out
  double uncertainty = 0;  // 0: these are all plaquettes that there are
  // A stated average as good as equal to it.
  bool agrees_with(double stated) const noexcept;
  // Far from what links in another order give, which is noise, and from links that are 1 in any order.
  bool is_telling() const noexcept;
  // The average over all plaquettes, of links that are not all 1.
  bool is_exact() const noexcept;
};

// Nothing where the file is too short, or no plaquette of the sample is one.
std::optional<Sampled> sample_plaquette(base::ByteSource& file, const Extents& extents, int colors, ByteOrder order,
                                        LinkAt link_at);

}  // namespace lq::format::flat
