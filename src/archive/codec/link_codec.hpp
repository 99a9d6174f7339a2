// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Links of SU(3) in less than half of their bytes, bit for bit (formats/squeezed.md 5): eight numbers of each link are
// kept, ten are predicted from them, and only by how many units of the last place the prediction is wrong is stored.
// Links that are not in the group are stored as they are.
#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.hpp"

namespace lq::archive {

// How numbers lie in a tile.
struct Numbers {
  std::uint8_t reals = 0;  // of each link: 18, or 12 where the third rows are missing; 0: these are no links
  std::uint8_t bytes = 8;  // of each number: 8 or 4
  bool big_endian = true;
  friend bool operator==(const Numbers&, const Numbers&) = default;
};

// Whole links, `of.reals` not 0.
std::vector<std::byte> encode_links(base::Bytes links, const Numbers& of);
// malformed: `encoded` does not give the given number of links.
void decode_links(base::Bytes encoded, base::MutableBytes links, const Numbers& of);

}  // namespace lq::archive
