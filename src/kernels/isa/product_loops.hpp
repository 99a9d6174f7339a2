// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Products with constants of GF(2^8), added to what is there: a byte's two halves are looked up in tables of 16 bytes
// each, a whole vector at a time.
#pragma once

#include "kernels/isa/loops.hpp"

namespace lq::kernels::isa {

// Byte after byte: of any machine, and for what is left of a vector.
template <class Set>
void add_products_by_bytes(const std::byte* tables, std::size_t count, const std::byte* from, std::byte* const* to,
                           std::size_t begin, std::size_t end) noexcept {
  for (std::size_t k = 0; k < count; ++k) {
    const std::byte* const low = tables + k * product_table_bytes;
    const std::byte* const high = low + product_table_bytes / 2;
    std::byte* const sums = to[k];
    for (std::size_t i = begin; i < end; ++i) {
      const auto byte = static_cast<unsigned char>(from[i]);
      sums[i] ^= low[byte & 15U] ^ high[byte >> 4U];
    }
  }
}

template <class Set>
void add_products_plainly(const std::byte* tables, std::size_t count, const std::byte* from, std::byte* const* to,
                          std::size_t bytes) noexcept {
  add_products_by_bytes<Set>(tables, count, from, to, 0, bytes);
}

template <class V>
inline typename V::Reg product_of(typename V::Reg low_table, typename V::Reg high_table, typename V::Reg low,
                                  typename V::Reg high) noexcept {
  return V::add(V::looked_up(low_table, low), V::looked_up(high_table, high));
}

// Two sums at a time, so that what is read is taken apart once for both.
template <class V>
void add_products(const std::byte* tables, std::size_t count, const std::byte* from, std::byte* const* to,
                  std::size_t bytes) noexcept {
  const typename V::Reg halves = V::same(0x0f0f0f0f0f0f0f0fULL);
  const std::size_t whole = bytes / V::bytes * V::bytes;
  std::size_t k = 0;
  for (; k + 2 <= count; k += 2) {
    const std::byte* const table = tables + k * product_table_bytes;
    const typename V::Reg low_a = V::repeated(table), high_a = V::repeated(table + 16);
    const typename V::Reg low_b = V::repeated(table + 32), high_b = V::repeated(table + 48);
    std::byte *const a = to[k], *const b = to[k + 1];
    for (std::size_t i = 0; i < whole; i += V::bytes) {
      const typename V::Reg in = V::load(from + i);
      const typename V::Reg low = V::both(in, halves), high = V::both(V::lowered_by_4(in), halves);
      V::store(a + i, V::add(V::load(a + i), product_of<V>(low_a, high_a, low, high)));
      V::store(b + i, V::add(V::load(b + i), product_of<V>(low_b, high_b, low, high)));
    }
  }
  if (k < count) {
    const std::byte* const table = tables + k * product_table_bytes;
    const typename V::Reg low_a = V::repeated(table), high_a = V::repeated(table + 16);
    std::byte* const a = to[k];
    for (std::size_t i = 0; i < whole; i += V::bytes) {
      const typename V::Reg in = V::load(from + i);
      const typename V::Reg low = V::both(in, halves), high = V::both(V::lowered_by_4(in), halves);
      V::store(a + i, V::add(V::load(a + i), product_of<V>(low_a, high_a, low, high)));
    }
  }
  add_products_by_bytes<V>(tables, count, from, to, whole, bytes);
}

}  // namespace lq::kernels::isa
