// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How a tile becomes bytes whose number is known only then: compression.
#pragma once

#include <vector>

#include "base/bytes.hpp"

namespace lq::format {

// Stateless.
class TileCodec {
 public:
  virtual ~TileCodec() = default;
  virtual std::vector<std::byte> encode(base::Bytes sites) const = 0;
  // Fills `sites`; malformed: `encoded` does not give so many bytes.
  virtual void decode(base::Bytes encoded, base::MutableBytes sites) const = 0;
};

}  // namespace lq::format
