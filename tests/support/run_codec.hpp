// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A plain encoder whose result depends on the data: each run of equal bytes becomes its length (1 to 255) and the byte.
#pragma once

#include <atomic>

#include <limequat/error.hpp>

#include "format/tile_codec.hpp"

namespace lq::testing {

class RunCodec final : public format::TileCodec {
 public:
  std::vector<std::byte> encode(base::Bytes sites) const override {
    std::vector<std::byte> encoded;
    for (std::size_t at = 0, length; at < sites.size(); at += length) {
      for (length = 1; length < 255 && at + length < sites.size() && sites[at + length] == sites[at];) ++length;
      encoded.push_back(static_cast<std::byte>(length));
      encoded.push_back(sites[at]);
    }
    return encoded;
  }

  void decode(base::Bytes encoded, base::MutableBytes sites) const override {
    decoded.fetch_add(1);
    std::size_t done = 0;
    for (std::size_t at = 0; at + 1 < encoded.size(); at += 2) {
      for (auto left = std::to_integer<std::size_t>(encoded[at]); left > 0 && done < sites.size(); --left) {
        sites[done++] = encoded[at + 1];
      }
    }
    if (done != sites.size()) throw Error(Code::malformed, "the runs are too short");
  }

  mutable std::atomic<int> decoded{0};  // so often
};

}  // namespace lq::testing
