// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The document that describes a four-dimensional field in a few words: ildgFormat of ILDG (formats/ildg.md 3)
// and etmcFormat of tmLQCD (formats/scidac.md 6.1) have the same elements.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <limequat/lattice.hpp>

namespace lq::format::scidac {

struct LatticeXml {
  std::string root;             // "ildgFormat" or "etmcFormat"
  std::string field;            // "su3gauge", "diracFermion", ...
  std::uint64_t precision = 0;  // 32 or 64
  Extents extents;
  std::uint64_t flavours = 0;  // data records that follow, as tmLQCD says; 0: it does not
};

// Throws Error(malformed) that says what is missing or wrong; the caller adds the place.
LatticeXml decode_lattice(std::string_view document);

// N of "su<N>gauge", or 0.
int gauge_colors(std::string_view field) noexcept;

}  // namespace lq::format::scidac
