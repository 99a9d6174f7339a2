// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Vectors of numbers: vectors of the compiler, as in GCC and clang, or plain arrays if LQ_PORTABLE_KERNELS is defined.
// `Set` is a type local to the including file, so that its instances are local too (see loops.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

namespace lq::kernels::isa {

#ifdef LQ_PORTABLE_KERNELS

template <class Set, class Number, std::size_t count>
struct Array {
  Number numbers[count];
  Number& operator[](std::size_t at) noexcept { return numbers[at]; }
  const Number& operator[](std::size_t at) const noexcept { return numbers[at]; }
};

template <class Set, class Number, std::size_t count>
struct NumbersOf {
  using Type = Array<Set, Number, count>;
};

inline double number_of(double all, std::size_t) noexcept { return all; }
template <class Set, class Number, std::size_t count>
Number number_of(const Array<Set, Number, count>& array, std::size_t at) noexcept {
  return array[at];
}

// Element by element, with an array or with one number for all; comparisons give arrays of int.
#define LQ_EACH(sign)                                                                    \
  template <class Set, class Number, std::size_t count, class Other>                     \
  auto operator sign(const Array<Set, Number, count>& a, const Other& b) noexcept {      \
    Array<Set, decltype(+(a[0] sign number_of(b, 0))), count> result;                    \
    for (std::size_t at = 0; at < count; ++at) result[at] = a[at] sign number_of(b, at); \
    return result;                                                                       \
  }
#define LQ_EACH_IN_PLACE(sign, assignment)                                          \
  template <class Set, class Number, std::size_t count, class Other>                \
  void operator assignment(Array<Set, Number, count>& a, const Other& b) noexcept { \
    for (std::size_t at = 0; at < count; ++at) a[at] = a[at] sign number_of(b, at); \
  }
LQ_EACH(+)
LQ_EACH(-)
LQ_EACH(*)
LQ_EACH(==)
LQ_EACH(>=)
LQ_EACH(<=)
LQ_EACH(&)
LQ_EACH_IN_PLACE(+, +=)
LQ_EACH_IN_PLACE(*, *=)
LQ_EACH_IN_PLACE(/, /=)
LQ_EACH_IN_PLACE(&, &=)
#undef LQ_EACH
#undef LQ_EACH_IN_PLACE

template <class From, class To>
void convert_numbers(const From& from, To& to) noexcept {
  for (std::size_t at = 0; at < sizeof to / sizeof to[0]; ++at) to[at] = from[at];
}

// Replaces numbers of `largest` by those of `other` that are larger, or if one of the two is not a number.
template <class Vector>
void take_larger(const Vector& other, Vector& largest) noexcept {
  for (std::size_t at = 0; at < sizeof other / sizeof other[0]; ++at) {
    if (!(other[at] <= largest[at])) largest[at] = other[at];
  }
}

template <class Vector>
void nans_to_infinity(Vector& numbers) noexcept {
  for (std::size_t at = 0; at < sizeof numbers / sizeof numbers[0]; ++at) {
    if (!(numbers[at] <= __builtin_huge_val())) numbers[at] = __builtin_huge_val();
  }
}

// Selects by index from the numbers of `a` followed by those of `b`.
template <int... indices, class Vector>
void shuffle(const Vector& a, const Vector& b, Vector& result) noexcept {
  constexpr int count = sizeof...(indices);
  result = Vector{{(indices < count ? a[indices % count] : b[indices % count])...}};
}

#else

template <class Set, class Number, std::size_t count>
struct NumbersOf {
  typedef Number Type __attribute__((vector_size(count * sizeof(Number))));  // GCC ignores it in `using`
};

// Vectors are never returned or passed by value, because the ABI depends on the instruction set.
template <class From, class To>
[[gnu::always_inline]] inline void convert_numbers(const From& from, To& to) noexcept {
  to = __builtin_convertvector(from, To);
}

template <class Vector>
[[gnu::always_inline]] inline void take_larger(const Vector& other, Vector& largest) noexcept {
  largest = other <= largest ? largest : other;
}

template <class Vector>
[[gnu::always_inline]] inline void nans_to_infinity(Vector& numbers) noexcept {
  const Vector infinite = __builtin_huge_val() - Vector{};
  numbers = numbers <= infinite ? numbers : infinite;
}

#if __has_builtin(__builtin_shufflevector)

template <int... indices, class Vector>
[[gnu::always_inline]] inline void shuffle(const Vector& a, const Vector& b, Vector& result) noexcept {
  result = __builtin_shufflevector(a, b, indices...);
}

#else  // GCC before 12

template <std::size_t bytes>
struct IndexOf;
template <>
struct IndexOf<1> {
  using Type = unsigned char;
};
template <>
struct IndexOf<4> {
  using Type = std::int32_t;
};
template <>
struct IndexOf<8> {
  using Type = std::int64_t;
};

template <int... indices, class Vector>
[[gnu::always_inline]] inline void shuffle(const Vector& a, const Vector& b, Vector& result) noexcept {
  using Index = typename IndexOf<sizeof(a[0])>::Type;
  using Indices = typename NumbersOf<Vector, Index, sizeof...(indices)>::Type;
  result = __builtin_shuffle(a, b, Indices{indices...});
}

#endif

#endif

}  // namespace lq::kernels::isa
