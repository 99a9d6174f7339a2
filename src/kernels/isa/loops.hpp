// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What one instruction set offers: the same loops, compiled or written for it. The files of this folder are compiled
// with flags of their own. An inline function of the standard library that such a file used would be emitted with
// those flags and might be the copy that the linker keeps for everybody; so they include headers of C and
// intrinsics only, and all they define but their one table is local to the file.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/processor.hpp"

namespace lq::kernels::isa {

inline constexpr std::size_t cache_line = 64;

// Copies `numbers` numbers; neither side needs alignment, and they do not overlap.
using CopyNumbers = void (*)(const std::byte* from, std::byte* to, std::size_t numbers) noexcept;

// Turns the byte order of numbers where they lie.
using TurnNumbers = void (*)(std::byte* numbers, std::size_t count) noexcept;

// Constants of the CRC-32 of sites of one length; site_crc.cpp computes them and says what they are.
struct SiteTable {
  std::size_t site_bytes = 0;
  const std::uint64_t* constants = nullptr;
  std::uint32_t crc_of_zeros = 0;
};

// Memory to be fetched into the cache meanwhile, all of `next` .. `end` in turn: this many cache lines for each that is
// worked on.
struct Coming {
  base::PrefetchList* next = nullptr;
  base::PrefetchList* end = nullptr;
  std::size_t for_each_line = 1;
};

// Sites to go over. `to` may be `from` with the same stride, else they do not overlap.
struct SiteRun {
  const std::byte* from = nullptr;
  std::ptrdiff_t from_stride = 0;
  std::byte* to = nullptr;
  std::ptrdiff_t to_stride = 0;
  std::size_t sites = 0;
  bool reads_memory = true;  // the user's memory is `from`, not `to`; it is the side that is not in cache
  Coming* coming = nullptr;  // or both sides are in cache, and this is what is to be fetched
};

// Copies sites or not, and gives the CRC-32 of each.
using SiteLoop = void (*)(const SiteTable& table, const SiteRun& run, std::uint32_t* crcs) noexcept;

// Sites of one length, added (exclusive or) to one of several places each, which are taken in turn: `step` further for
// the next site, modulo their number.
struct TakenInTurn {
  std::byte* sums = nullptr;
  std::size_t places = 1, place = 0, step = 1;
};

// Copies sites with the byte order of their numbers turned, and adds what was read to both. Sites have a multiple of 16
// bytes.
using GatherLoop = void (*)(std::size_t site_bytes, const SiteRun& run, TakenInTurn one, TakenInTurn other) noexcept;

// Side by side in described memory and in a site, in bytes.
struct Stripe {
  std::byte* memory = nullptr;  // of the site whose place is 0
  std::size_t in_site = 0;
  std::size_t bytes = 0;
};

// Stripes of sites that lie in memory at places counted in numbers of `number_bytes`, and in file form one behind the
// other, or, with `order`, where `file_at` says. Their products go to `sums`, a cache line for each site: the first run
// of sites puts them there, others add theirs, and the last makes a CRC-32 of each.
struct StripeRun {
  const Stripe* stripes = nullptr;  // all of a multiple of 8 bytes at such a place in the site
  std::size_t count = 0;
  const std::int64_t* places = nullptr;
  std::ptrdiff_t number_bytes = 0;
  std::size_t sites = 0;
  std::byte* file = nullptr;
  const std::size_t* order = nullptr;    // numbers of sites, in the order to go by; null: 0, 1, 2, ...
  const std::size_t* file_at = nullptr;  // of each in this order
  std::size_t site_bytes = 0;
  std::size_t ahead = 0;      // memory is fetched this many sites before it is needed, or not
  std::size_t shared_by = 1;  // this many sites of the order have lines of memory together
  void* sums = nullptr;
  bool is_first = true;
  std::uint32_t* crcs = nullptr;  // of the last run
};

// Moves them with the byte order of their numbers turned. Sites have a multiple of 16 bytes.
using StripeLoop = void (*)(const SiteTable& table, const StripeRun& run) noexcept;
struct StripeLoops {
  StripeLoop any = nullptr;
  StripeLoop of_8 = nullptr, of_16 = nullptr;  // stripes of this many bytes, which follow one another in the site
};

// Continues the CRC-32 of a stream, as crc32() does.
using Stream = std::uint32_t (*)(std::uint32_t crc, const std::byte* from, std::size_t bytes) noexcept;

// A row of sites is kept eight sites side by side: number k of site s at [(s / 8 * numbers + k) * 8 + s % 8], in single
// or double precision. Behind the last site come zeros.
inline constexpr std::size_t row_lanes = 8;

// Rows of links, one for each dimension at a site.
inline constexpr std::size_t most_dimensions = 8;
struct PlaquetteRows {
  const void* here = nullptr;
  const void* above[most_dimensions] = {};  // the sites one further in each dimension but that of the row
  std::size_t dimensions = 0, along = 0;    // the dimension of the row, in which the first site follows the last
  std::size_t sites = 0;
  std::size_t terms_apart = 0;  // from the first term of one plane to that of the next; 0: padded sites
};

// Re Tr / N of the plaquettes in all planes, (0, 1), (0, 2) and so on, and then of all links, for each of them of all
// sites of the row, with zeros up to a multiple of eight.
using PlaquetteLoop = void (*)(const PlaquetteRows& rows, double* terms) noexcept;

// For each link of all sites of such a row, in the order of terms: the square of the largest |element| of U U^dagger -
// 1, and that of |det U - 1|; neither is finite if a number of the link is not.
using LinkLoop = void (*)(const void* row, std::size_t dimensions, std::size_t sites, double* from_unitarity,
                          double* from_one) noexcept;

// Sites of the given number of numbers, contiguous, become such a row.
using RowLoop = void (*)(const std::byte* memory, std::size_t numbers, std::size_t sites, void* row) noexcept;

// Adds terms between -2 and 2 in steps of 2^-60, `high` of 2^30 and `low` of one; a multiple of eight, up to 2^20.
// False if one of them is larger, or no number.
using TermLoop = bool (*)(const double* terms, std::size_t count, double* high, double* low) noexcept;

// The sum of words of 32 bits modulo 2^32.
using WordLoop = std::uint32_t (*)(const std::byte* bytes, std::size_t words) noexcept;

// The number of the first of `sites` sites of `numbers` numbers each, the sum of whose squares is not between `least`
// and `most`; `sites`: there is none. A NaN is between nothing.
using SquareLoop = std::size_t (*)(const std::byte* bytes, std::size_t numbers, std::size_t sites, double least,
                                   double most) noexcept;

// Copies bytes so that cache lines which are written whole are not read first and stay in no cache; neither side needs
// alignment, and they do not overlap. What was written so is seen by other processors when `settle` has returned.
struct AroundCaches {
  void (*copy)(const std::byte* from, std::byte* to, std::size_t bytes) noexcept = nullptr;
  void (*settle)() noexcept = nullptr;
};

// Products with constants of GF(2^8): of each of `count` constants `tables` has product_table_bytes bytes, its products
// with 0 .. 15 and with 16 times these. Those with the bytes at `from` are added (exclusive or) to the bytes at to[k].
inline constexpr std::size_t product_table_bytes = 32;
using ProductLoop = void (*)(const std::byte* tables, std::size_t count, const std::byte* from, std::byte* const* to,
                             std::size_t bytes) noexcept;

// Arrays of two are for single and double precision.
struct Loops {
  CopyNumbers copy[2][2][3];  // from, to, and which side is swapped: none, from, to
  TurnNumbers turn[2];
  RowLoop to_rows[2];
  PlaquetteLoop plaquettes[2][2];  // of SU(2) and SU(3)
  LinkLoop links[2][2];            // likewise
  TermLoop sum_small;
  WordLoop sum_words[2];          // in the byte order of the host, and in the other
  SquareLoop first_beyond[2][2];  // likewise, for each precision
  ProductLoop add_products;
  // Null where neither carry-less multiplication nor a CRC instruction is there.
  SiteLoop sum = nullptr;                     // reads only
  SiteLoop copy_sum = nullptr;                // byte order stays
  SiteLoop turn_sum[2] = {nullptr, nullptr};  // turns the byte order; CRC of what is written
  SiteLoop sum_turn[2] = {nullptr, nullptr};  // turns the byte order; CRC of what is read
  GatherLoop gather_turn[2] = {nullptr, nullptr};
  StripeLoops take_stripes[2] = {}, give_stripes[2] = {};  // out of memory and into it
  Stream stream = nullptr;   // null where the processor has no instruction for our polynomial
  AroundCaches around = {};  // null where no instruction writes a whole line
};

extern const Loops portable_loops;
#if defined(LQ_X86_64)
extern const Loops pclmul_loops;
extern const Loops vpclmul_loops;
extern const Loops avx512_loops;
#elif defined(LQ_AARCH64)
extern const Loops crc32x_loops;
extern const Loops pmull_loops;
#endif

}  // namespace lq::kernels::isa
