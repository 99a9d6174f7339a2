// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One loop per combination of precision and byte order, each simple enough for the compiler to vectorise.
// Swapping bytes by shuffles needs more than the baseline of x86-64 and is two to four times as fast with it.
// Attributes on single functions, not compiler flags on a file: flags would leak into inline functions of std.
#include "kernels/copy_numbers.hpp"

#include <bit>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <type_traits>

#if defined(__x86_64__) && defined(__GNUC__)
#define LQ_HAVE_AVX2_LOOPS 1
#endif

namespace lq::kernels {
namespace {

inline std::uint32_t swapped(std::uint32_t bits) noexcept { return __builtin_bswap32(bits); }
inline std::uint64_t swapped(std::uint64_t bits) noexcept { return __builtin_bswap64(bits); }

template <class Real>
using Bits = std::conditional_t<sizeof(Real) == 4, std::uint32_t, std::uint64_t>;

// Between equal precisions only bits move: NaNs keep their payload.
template <class From, class To>
inline Bits<To> convert(Bits<From> bits) noexcept {
  if constexpr (std::same_as<From, To>) {
    return bits;
  } else {
    return std::bit_cast<Bits<To>>(static_cast<To>(std::bit_cast<From>(bits)));
  }
}

template <class From, bool swap_from, class To, bool swap_to>
[[gnu::always_inline]] inline void copy(const std::byte* __restrict from, std::byte* __restrict to,
                                        std::size_t numbers) noexcept {
  if constexpr (std::same_as<From, To> && swap_from == swap_to) {
    // A rank without sites has no memory either.
    if (numbers > 0) std::memcpy(to, from, numbers * sizeof(From));
  } else {
    for (std::size_t i = 0; i < numbers; ++i) {
      Bits<From> in;
      std::memcpy(&in, from + i * sizeof in, sizeof in);
      if constexpr (swap_from) in = swapped(in);
      Bits<To> out = convert<From, To>(in);
      if constexpr (swap_to) out = swapped(out);
      std::memcpy(to + i * sizeof out, &out, sizeof out);
    }
  }
}

template <class Real>
[[gnu::always_inline]] inline void turn(std::byte* numbers, std::size_t count) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    Bits<Real> bits;
    std::memcpy(&bits, numbers + i * sizeof bits, sizeof bits);
    bits = swapped(bits);
    std::memcpy(numbers + i * sizeof bits, &bits, sizeof bits);
  }
}

struct Baseline {
  template <class Real>
  static void run_turn(std::byte* numbers, std::size_t count) noexcept {
    turn<Real>(numbers, count);
  }
  template <class From, bool swap_from, class To, bool swap_to>
  static void run(const std::byte* from, std::byte* to, std::size_t numbers) noexcept {
    copy<From, swap_from, To, swap_to>(from, to, numbers);
  }
};

#if defined(LQ_HAVE_AVX2_LOOPS)
struct Avx2 {
  template <class Real>
  [[gnu::target("avx2")]] static void run_turn(std::byte* numbers, std::size_t count) noexcept {
    turn<Real>(numbers, count);
  }
  template <class From, bool swap_from, class To, bool swap_to>
  [[gnu::target("avx2")]] static void run(const std::byte* from, std::byte* to, std::size_t numbers) noexcept {
    copy<From, swap_from, To, swap_to>(from, to, numbers);
  }
};
#endif

template <class Set, class From, class To>
CopyNumbers choose(bool swap_from, bool swap_to) noexcept {
  if (swap_from == swap_to) return &Set::template run<From, false, To, false>;
  return swap_from ? &Set::template run<From, true, To, false> : &Set::template run<From, false, To, true>;
}

template <class Set>
CopyNumbers choose(NumberForm from, NumberForm to) noexcept {
  const bool narrow = to.precision == Precision::single;
  if (from.precision == Precision::single) {
    return narrow ? choose<Set, float, float>(from.swap, to.swap) : choose<Set, float, double>(from.swap, to.swap);
  }
  return narrow ? choose<Set, double, float>(from.swap, to.swap) : choose<Set, double, double>(from.swap, to.swap);
}

template <class Set>
TurnNumbers choose_turn(Precision precision) noexcept {
  return precision == Precision::single ? &Set::template run_turn<float> : &Set::template run_turn<double>;
}

}  // namespace

#if defined(LQ_HAVE_AVX2_LOOPS)

InstructionSet best_instruction_set() noexcept {
  return __builtin_cpu_supports("avx2") ? InstructionSet::avx2 : InstructionSet::baseline;
}

CopyNumbers copy_loop(InstructionSet set, NumberForm from, NumberForm to) noexcept {
  return set == InstructionSet::avx2 ? choose<Avx2>(from, to) : choose<Baseline>(from, to);
}

TurnNumbers turn_loop(InstructionSet set, Precision precision) noexcept {
  return set == InstructionSet::avx2 ? choose_turn<Avx2>(precision) : choose_turn<Baseline>(precision);
}

#else

InstructionSet best_instruction_set() noexcept { return InstructionSet::baseline; }

CopyNumbers copy_loop(InstructionSet, NumberForm from, NumberForm to) noexcept { return choose<Baseline>(from, to); }

TurnNumbers turn_loop(InstructionSet, Precision precision) noexcept { return choose_turn<Baseline>(precision); }

#endif

}  // namespace lq::kernels
