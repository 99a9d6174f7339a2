// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// XXH64 of several inputs at once: the lanes of one depend on each other, and a single one leaves the processor waiting
// for its multiplications.
//
// `V` as in site_loops.hpp; in addition V::stripes loads 32 bytes of each of its inputs, V::plus, V::times and
// V::turned_left_31 are those of words of 64 bits.
#pragma once

#include "kernels/isa/loops.hpp"

namespace lq::kernels::isa {

template <class V>
void hash_stripes(const std::byte* from, std::size_t distance, std::size_t stripes, HashLanes* lanes) noexcept {
  constexpr std::size_t of_vector = V::bytes / hash_stripe_bytes, count = hashed_together / of_vector;
  const typename V::Reg factor_of_lane = V::same(hash_prime_1), factor_of_word = V::same(hash_prime_2);
  typename V::Reg state[count];
#pragma GCC unroll 8
  for (std::size_t k = 0; k < count; ++k) state[k] = V::load(lanes + k * of_vector);
  for (std::size_t i = 0; i < stripes; ++i, from += hash_stripe_bytes) {
#pragma GCC unroll 8
    for (std::size_t k = 0; k < count; ++k) {
      const typename V::Reg words = V::stripes(from + k * of_vector * distance, distance);
      state[k] = V::times(V::turned_left_31(V::plus(state[k], V::times(words, factor_of_word))), factor_of_lane);
    }
  }
#pragma GCC unroll 8
  for (std::size_t k = 0; k < count; ++k) V::store(lanes + k * of_vector, state[k]);
}

}  // namespace lq::kernels::isa
