// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Conversion of numbers of many links between bytes and lanes, kept bits and low bits: loops that compilers cannot
// vectorise from plain C++, once for any processor, and once with AVX-512. Both give the same bits.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "archive/codec/link_batch.hpp"
#include "archive/codec/link_symbols.hpp"
#include "archive/codec/prefix_code.hpp"

#if defined(LQ_X86_64)
#include <immintrin.h>
#endif

namespace lq::archive {

// Integers of 64 bits for each link of a batch.
using Integers = std::array<std::uint64_t, lanes>;

// Fields of up to 24 bits, contiguous, of eight links; their sizes in bits are bytes. Sums of the sizes fit into a
// byte.
inline constexpr std::size_t fields = 8;
// Minimum number of bits that one peek into a stream returns.
inline constexpr unsigned bits_at_hand = 57;

// Byte k: the sum of bytes 0 to k.
constexpr std::uint64_t running_sums(std::uint64_t counts) noexcept { return counts * 0x0101010101010101U; }

inline std::uint64_t eight_bytes(const std::uint8_t* from) noexcept {
  return load_word<std::uint64_t, false>(reinterpret_cast<const std::byte*>(from));
}

struct PlainLanes {
  // Converts the numbers of links at from[0], ..., from[count - 1], `reals` each, to lanes.
  template <class T>
  static void load(const std::byte* const* from, std::size_t count, std::size_t reals, bool big, Lane* to) noexcept {
    for (std::size_t l = 0; l < count; ++l) load_one<T>(from[l], reals, big, to, l);
  }
  template <class T>
  static void store(const Lane* from, std::size_t reals, bool big, std::byte* const* to, std::size_t count) noexcept {
    for (std::size_t l = 0; l < count; ++l) store_one<T>(from, reals, big, to[l], l);
  }

  template <class T>
  static void load_one(const std::byte* from, std::size_t reals, bool big, Lane* to, std::size_t l) noexcept {
    big ? load_in<T, true>(from, reals, to, l) : load_in<T, false>(from, reals, to, l);
  }
  template <class T>
  static void store_one(const Lane* from, std::size_t reals, bool big, std::byte* to, std::size_t l) noexcept {
    big ? store_in<T, true>(from, reals, to, l) : store_in<T, false>(from, reals, to, l);
  }
  template <class T, bool big>
  static void load_in(const std::byte* from, std::size_t reals, Lane* to, std::size_t l) noexcept {
    for (std::size_t i = 0; i < reals; ++i) {
      to[i][l] = std::bit_cast<T>(load_word<WordOf<T>, big>(from + i * sizeof(T)));
    }
  }
  template <class T, bool big>
  static void store_in(const Lane* from, std::size_t reals, std::byte* to, std::size_t l) noexcept {
    for (std::size_t i = 0; i < reals; ++i) {
      store_word<WordOf<T>, big>(to + i * sizeof(T), std::bit_cast<WordOf<T>>(static_cast<T>(from[i][l])));
    }
  }

  // The kept bits of one number of eight links, contiguous: sign and mantissa of each.
  template <class T>
  static void take_kept(const std::byte* from, std::uint64_t* to) noexcept {
    BitReader bits(base::Bytes(from, mantissa_bits<T> + 1));
    for (std::size_t k = 0; k < kept_together; ++k) to[k] = bits.take(mantissa_bits<T> + 1);
  }
  // `to` has space for 64 bytes.
  template <class T>
  static void put_kept(const std::uint64_t* from, std::byte* to) noexcept {
    constexpr unsigned each = mantissa_bits<T> + 1;
    std::uint64_t held = 0;
    unsigned used = 0;
    for (std::size_t k = 0; k < kept_together; ++k) {
      held |= from[k] << used;
      archive::store(held, to);
      const unsigned bytes = (used + each) / 8;
      to += bytes;
      held = from[k] >> (8 * bytes - used);
      used = (used + each) % 8;
    }
  }

  // Fields of eight links; the size of each in bits is the corresponding byte of `counts`.
  static void take_fields(BitReader& from, const std::uint8_t* counts, std::uint64_t* to) noexcept {
    for (std::size_t k = 0; k < fields; ++k) to[k] = from.take(counts[k]);
  }
  static void put_fields(BitWriter::Cursor& to, const std::uint8_t* counts, const std::uint64_t* from) noexcept {
    for (std::size_t k = 0; k < fields; ++k) to.put(from[k], counts[k]);
  }
};

#if defined(LQ_X86_64)

#define LQ_AVX512 [[gnu::target(LQ_AVX512_TARGET)]] static inline

struct Avx512Lanes {
  template <class T>
  LQ_AVX512 void load(const std::byte* const* from, std::size_t count, std::size_t reals, bool big, Lane* to) noexcept {
    std::size_t l = 0;
    if constexpr (sizeof(T) == 8) {
      const Vector order = bytes_of_words(big);
      for (; l + eight <= count; l += eight) load_eight(from + l, reals, order, to, l);
    }
    for (; l < count; ++l) PlainLanes::load_one<T>(from[l], reals, big, to, l);
  }
  template <class T>
  LQ_AVX512 void store(const Lane* from, std::size_t reals, bool big, std::byte* const* to,
                       std::size_t count) noexcept {
    std::size_t l = 0;
    if constexpr (sizeof(T) == 8) {
      const Vector order = bytes_of_words(big);
      for (; l + eight <= count; l += eight) store_eight(from, reals, order, to + l, l);
    }
    for (; l < count; ++l) PlainLanes::store_one<T>(from, reals, big, to[l], l);
  }

  template <class T>
  LQ_AVX512 void take_kept(const std::byte* from, std::uint64_t* to) noexcept {
    if constexpr (sizeof(T) == 8) {
      // Number k has its first bit in word 53 k / 64.
      const __m512i words = _mm512_maskz_loadu_epi8((std::uint64_t{1} << 53) - 1, from);
      const __m512i word = _mm512_setr_epi64(0, 0, 1, 2, 3, 4, 4, 5), next = _mm512_setr_epi64(1, 1, 2, 3, 4, 5, 5, 6);
      const __m512i shift = _mm512_setr_epi64(0, 53, 42, 31, 20, 9, 62, 51);
      const __m512i low = _mm512_srlv_epi64(_mm512_permutexvar_epi64(word, words), shift);
      const __m512i high =
          _mm512_sllv_epi64(_mm512_permutexvar_epi64(next, words), _mm512_sub_epi64(_mm512_set1_epi64(64), shift));
      const __m512i mask = _mm512_set1_epi64((std::int64_t{1} << 53) - 1);
      _mm512_storeu_si512(to, _mm512_and_si512(_mm512_or_si512(low, high), mask));
    } else {
      PlainLanes::take_kept<T>(from, to);
    }
  }
  template <class T>
  LQ_AVX512 void put_kept(const std::uint64_t* from, std::byte* to) noexcept {
    if constexpr (sizeof(T) == 8) {
      // Word j begins in number 64 j / 53; word 4 contains bits of three numbers.
      const __m512i numbers = _mm512_loadu_si512(from);
      const __m512i first = _mm512_setr_epi64(0, 1, 2, 3, 4, 6, 7, 7),
                    second = _mm512_setr_epi64(1, 2, 3, 4, 5, 7, 7, 7);
      const __m512i right = _mm512_setr_epi64(0, 11, 22, 33, 44, 2, 13, 64),
                    left = _mm512_setr_epi64(53, 42, 31, 20, 9, 51, 64, 64);
      const __m512i third = _mm512_maskz_permutexvar_epi64(0x10, _mm512_set1_epi64(6), numbers);
      const __m512i two = _mm512_or_si512(_mm512_srlv_epi64(_mm512_permutexvar_epi64(first, numbers), right),
                                          _mm512_sllv_epi64(_mm512_permutexvar_epi64(second, numbers), left));
      _mm512_storeu_si512(to, _mm512_or_si512(two, _mm512_slli_epi64(third, 62)));
    } else {
      PlainLanes::put_kept<T>(from, to);
    }
  }

  LQ_AVX512 void take_fields(BitReader& from, const std::uint8_t* counts, std::uint64_t* to) noexcept {
    const std::uint64_t widths = eight_bytes(counts), sums = running_sums(widths);
    const auto all = static_cast<unsigned>(sums >> 56);
    if (all > bits_at_hand) [[unlikely]]
      return PlainLanes::take_fields(from, counts, to);
    const __m512i bits = _mm512_set1_epi64(static_cast<long long>(from.peek()));
    const __m512i found = _mm512_srlv_epi64(bits, bytes_as_words(sums << 8));
    const __m512i above = _mm512_sllv_epi64(_mm512_set1_epi64(-1), bytes_as_words(widths));
    _mm512_storeu_si512(to, _mm512_andnot_si512(above, found));
    from.skip(all);
  }
  LQ_AVX512 void put_fields(BitWriter::Cursor& to, const std::uint8_t* counts, const std::uint64_t* from) noexcept {
    const std::uint64_t sums = running_sums(eight_bytes(counts));
    const auto all = static_cast<unsigned>(sums >> 56);
    if (all > bits_at_hand) [[unlikely]]
      return PlainLanes::put_fields(to, counts, from);
    const __m512i placed = _mm512_sllv_epi64(_mm512_loadu_si512(from), bytes_as_words(sums << 8));
    to.put(static_cast<std::uint64_t>(_mm512_reduce_or_epi64(placed)), all);
  }

 private:
  static constexpr std::size_t eight = 8;
  using Vector = __m512i;

  LQ_AVX512 Vector bytes_as_words(std::uint64_t bytes) noexcept {
    return _mm512_cvtepu8_epi64(_mm_cvtsi64_si128(static_cast<long long>(bytes)));
  }
  // Source indices of the bytes of each pair of words.
  LQ_AVX512 Vector bytes_of_words(bool big) noexcept {
    return _mm512_broadcast_i32x4(big ? _mm_setr_epi8(7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8)
                                      : _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
  }
  // Transposes four vectors of four pairs of numbers: pair k of vector j becomes pair j of vector k.
  LQ_AVX512 void turn(Vector (&v)[4]) noexcept {
    const Vector a = _mm512_shuffle_i64x2(v[0], v[1], 0x44), b = _mm512_shuffle_i64x2(v[2], v[3], 0x44);
    const Vector c = _mm512_shuffle_i64x2(v[0], v[1], 0xee), d = _mm512_shuffle_i64x2(v[2], v[3], 0xee);
    v[0] = _mm512_shuffle_i64x2(a, b, 0x88);
    v[1] = _mm512_shuffle_i64x2(a, b, 0xdd);
    v[2] = _mm512_shuffle_i64x2(c, d, 0x88);
    v[3] = _mm512_shuffle_i64x2(c, d, 0xdd);
  }
  LQ_AVX512 void pairs_of(const Lane* from, Vector order, std::size_t l, Vector& even, Vector& odd) noexcept {
    const Vector re = _mm512_shuffle_epi8(_mm512_loadu_si512(&from[0][l]), order),
                 im = _mm512_shuffle_epi8(_mm512_loadu_si512(&from[1][l]), order);
    even = _mm512_unpacklo_epi64(re, im);
    odd = _mm512_unpackhi_epi64(re, im);
  }
  LQ_AVX512 void numbers_of(Vector even, Vector odd, Vector order, Lane* to, std::size_t l) noexcept {
    _mm512_storeu_si512(&to[0][l], _mm512_shuffle_epi8(_mm512_unpacklo_epi64(even, odd), order));
    _mm512_storeu_si512(&to[1][l], _mm512_shuffle_epi8(_mm512_unpackhi_epi64(even, odd), order));
  }

  // Pairs of numbers are those of four links in a vector; four such vectors are eight numbers of each of these links.
  LQ_AVX512 void store_eight(const Lane* from, std::size_t reals, Vector order, std::byte* const* to,
                             std::size_t l) noexcept {
    std::size_t i = 0;
    for (; i + 8 <= reals; i += 8) {
      Vector even[4], odd[4];
      for (std::size_t pair = 0; pair < 4; ++pair) pairs_of(from + i + 2 * pair, order, l, even[pair], odd[pair]);
      turn(even);
      turn(odd);
      for (std::size_t k = 0; k < 4; ++k) {
        _mm512_storeu_si512(to[2 * k] + 8 * i, even[k]);
        _mm512_storeu_si512(to[2 * k + 1] + 8 * i, odd[k]);
      }
    }
    for (; i < reals; i += 2) {
      Vector even, odd;
      pairs_of(from + i, order, l, even, odd);
      store_pairs(even, to, 8 * i);
      store_pairs(odd, to + 1, 8 * i);
    }
  }
  LQ_AVX512 void store_pairs(Vector pairs, std::byte* const* to, std::size_t at) noexcept {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to[0] + at), _mm512_castsi512_si128(pairs));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to[2] + at), _mm512_extracti64x2_epi64(pairs, 1));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to[4] + at), _mm512_extracti64x2_epi64(pairs, 2));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to[6] + at), _mm512_extracti64x2_epi64(pairs, 3));
  }

  LQ_AVX512 void load_eight(const std::byte* const* from, std::size_t reals, Vector order, Lane* to,
                            std::size_t l) noexcept {
    std::size_t i = 0;
    for (; i + 8 <= reals; i += 8) {
      Vector even[4], odd[4];
      for (std::size_t k = 0; k < 4; ++k) {
        even[k] = _mm512_loadu_si512(from[2 * k] + 8 * i);
        odd[k] = _mm512_loadu_si512(from[2 * k + 1] + 8 * i);
      }
      turn(even);
      turn(odd);
      for (std::size_t pair = 0; pair < 4; ++pair) numbers_of(even[pair], odd[pair], order, to + i + 2 * pair, l);
    }
    for (; i < reals; i += 2) numbers_of(load_pairs(from, 8 * i), load_pairs(from + 1, 8 * i), order, to + i, l);
  }
  LQ_AVX512 Vector load_pairs(const std::byte* const* from, std::size_t at) noexcept {
    Vector pairs = _mm512_castsi128_si512(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from[0] + at)));
    pairs = _mm512_inserti64x2(pairs, _mm_loadu_si128(reinterpret_cast<const __m128i*>(from[2] + at)), 1);
    pairs = _mm512_inserti64x2(pairs, _mm_loadu_si128(reinterpret_cast<const __m128i*>(from[4] + at)), 2);
    return _mm512_inserti64x2(pairs, _mm_loadu_si128(reinterpret_cast<const __m128i*>(from[6] + at)), 3);
  }
};

#endif

}  // namespace lq::archive
