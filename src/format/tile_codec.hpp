// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Converts a tile to bytes whose number is known only afterwards: compression.
#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.hpp"
#include "base/inner.hpp"

namespace lq::format {

// Stateless.
class LQ_INNER TileCodec {
 public:
  virtual ~TileCodec() = default;
  virtual std::vector<std::byte> encode(base::Bytes sites) const = 0;
  // The largest output of encode(). Most codecs add little to incompressible data.
  virtual std::uint64_t most_bytes(std::uint64_t decoded) const { return 2 * decoded + 4096; }
  // Fills `sites`; malformed: `encoded` does not decode to the given number of bytes.
  virtual void decode(base::Bytes encoded, base::MutableBytes sites) const = 0;
};

}  // namespace lq::format
