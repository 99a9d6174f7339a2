// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "base/fnv1a.hpp"

#include <vector>

namespace lq::base {

// Each step of FNV-1a can be undone, so the sums before and after a byte determine it.
std::optional<ByteAt> byte_for(Bytes bytes, std::uint64_t sum) {
  constexpr std::uint64_t inverse = [] {
    std::uint64_t of_prime = fnv1a_prime;
    for (int i = 0; i < 6; ++i) of_prime *= 2 - fnv1a_prime * of_prime;
    return of_prime;
  }();
  static_assert(fnv1a_prime * inverse == 1);
  std::vector<std::uint64_t> before(bytes.size());  // the sum before each byte that follows from those before it
  std::uint64_t hash = fnv1a({});
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    before[i] = hash;
    hash = (hash ^ std::to_integer<std::uint64_t>(bytes[i])) * fnv1a_prime;
  }
  std::optional<ByteAt> found;
  for (std::size_t i = bytes.size(); i-- > 0;) {
    const std::uint64_t value = before[i] ^ (sum * inverse);
    if (value < 256) {
      if (found) return std::nullopt;
      found = ByteAt{i, static_cast<std::byte>(value)};
    }
    sum = sum * inverse ^ std::to_integer<std::uint64_t>(bytes[i]);
  }
  return found;
}

}  // namespace lq::base
