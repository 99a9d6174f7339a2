// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One loop per combination of precision and byte order, each simple enough for the compiler to vectorise. `Set` is a
// type local to the file that includes this, so that its instances are, too (see loops.hpp).
#pragma once

#include <cstring>

#include "kernels/isa/loops.hpp"
#include "kernels/isa/product_loops.hpp"
#include "kernels/isa/row_loops.hpp"
#include "kernels/isa/square_loops.hpp"

namespace lq::kernels::isa {

template <class Set, class Real>
struct Number;

template <class Set>
struct Number<Set, float> {
  using Bits = std::uint32_t;
  static Bits swapped(Bits bits) noexcept { return __builtin_bswap32(bits); }
};

template <class Set>
struct Number<Set, double> {
  using Bits = std::uint64_t;
  static Bits swapped(Bits bits) noexcept { return __builtin_bswap64(bits); }
};

template <class Set, class From, class To>
struct Conversion {
  static typename Number<Set, To>::Bits of(typename Number<Set, From>::Bits bits) noexcept {
    From in;
    std::memcpy(&in, &bits, sizeof in);
    const To out = static_cast<To>(in);
    typename Number<Set, To>::Bits converted;
    std::memcpy(&converted, &out, sizeof out);
    return converted;
  }
};

// Between equal precisions only bits move: NaNs keep their payload.
template <class Set, class Real>
struct Conversion<Set, Real, Real> {
  static typename Number<Set, Real>::Bits of(typename Number<Set, Real>::Bits bits) noexcept { return bits; }
};

template <class Set, class From, bool swap_from, class To, bool swap_to>
void copy_numbers(const std::byte* __restrict from, std::byte* __restrict to, std::size_t numbers) noexcept {
  for (std::size_t i = 0; i < numbers; ++i) {
    typename Number<Set, From>::Bits in;
    std::memcpy(&in, from + i * sizeof in, sizeof in);
    if constexpr (swap_from) in = Number<Set, From>::swapped(in);
    auto out = Conversion<Set, From, To>::of(in);
    if constexpr (swap_to) out = Number<Set, To>::swapped(out);
    std::memcpy(to + i * sizeof out, &out, sizeof out);
  }
}

template <class Set, class Real>
void copy_bytes(const std::byte* from, std::byte* to, std::size_t numbers) noexcept {
  // A rank without sites has no memory either.
  if (numbers > 0) std::memcpy(to, from, numbers * sizeof(Real));
}

template <class Set, class Real>
void turn_numbers(std::byte* numbers, std::size_t count) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    typename Number<Set, Real>::Bits bits;
    std::memcpy(&bits, numbers + i * sizeof bits, sizeof bits);
    bits = Number<Set, Real>::swapped(bits);
    std::memcpy(numbers + i * sizeof bits, &bits, sizeof bits);
  }
}

template <class Set>
constexpr Loops number_loops() noexcept {
  return {{{{copy_bytes<Set, float>, copy_numbers<Set, float, true, float, false>,
             copy_numbers<Set, float, false, float, true>},
            {copy_numbers<Set, float, false, double, false>, copy_numbers<Set, float, true, double, false>,
             copy_numbers<Set, float, false, double, true>}},
           {{copy_numbers<Set, double, false, float, false>, copy_numbers<Set, double, true, float, false>,
             copy_numbers<Set, double, false, float, true>},
            {copy_bytes<Set, double>, copy_numbers<Set, double, true, double, false>,
             copy_numbers<Set, double, false, double, true>}}},
          {turn_numbers<Set, float>, turn_numbers<Set, double>},
          {sites_to_rows<Set, float>, sites_to_rows<Set, double>},
          {{plaquette_terms<Set, 2, float>, plaquette_terms<Set, 3, float>},
           {plaquette_terms<Set, 2, double>, plaquette_terms<Set, 3, double>}},
          {{link_distances<Set, 2, float>, link_distances<Set, 3, float>},
           {link_distances<Set, 2, double>, link_distances<Set, 3, double>}},
          sum_small_terms<Set>,
          {sum_words<Set, false>, sum_words<Set, true>},
          {{first_beyond<Set, float, false>, first_beyond<Set, float, true>},
           {first_beyond<Set, double, false>, first_beyond<Set, double, true>}},
          add_products_plainly<Set>};
}

}  // namespace lq::kernels::isa
