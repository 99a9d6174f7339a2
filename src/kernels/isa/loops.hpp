// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The loops of one instruction set, compiled or written for it. Each file of this folder is compiled with its own
// flags. If such a file used an inline function of the standard library, it would be emitted with those flags, and the
// linker might keep that copy for the whole program. So the files include only C headers and intrinsics, and everything
// they define except their one table is local to the file.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/processor.hpp"

namespace lq::kernels::isa {

inline constexpr std::size_t cache_line = 64;

// Copies `numbers` numbers; neither side needs alignment, and they do not overlap.
using CopyNumbers = void (*)(const std::byte* from, std::byte* to, std::size_t numbers) noexcept;

// Swaps the byte order of numbers in place.
using TurnNumbers = void (*)(std::byte* numbers, std::size_t count) noexcept;

// Constants of the CRC-32 of sites of one length; computed and explained in site_crc.cpp.
struct SiteTable {
  std::size_t site_bytes = 0;
  const std::uint64_t* constants = nullptr;
  std::uint32_t crc_of_zeros = 0;
};

// Memory to prefetch into the cache during the loop, `next` .. `end` in order: this many cache lines for each line that
// is processed.
struct PrefetchPlan {
  base::PrefetchList* next = nullptr;
  base::PrefetchList* end = nullptr;
  std::size_t for_each_line = 1;
};

// Sites to process. `to` may be `from` with the same stride, otherwise they do not overlap.
struct SiteRun {
  const std::byte* from = nullptr;
  std::ptrdiff_t from_stride = 0;
  std::byte* to = nullptr;
  std::ptrdiff_t to_stride = 0;
  std::size_t sites = 0;
  bool reads_memory = true;        // the user's memory is `from`, not `to`; it is the side that is not in cache
  PrefetchPlan* coming = nullptr;  // if set, both sides are in cache, and this memory is fetched
};

// Computes the CRC-32 of each site, and copies the sites or not.
using SiteLoop = void (*)(const SiteTable& table, const SiteRun& run, std::uint32_t* crcs) noexcept;

// Sites of one length, each added (exclusive or) to one of several sums in rotation: the next site uses the sum `step`
// further, modulo their number.
struct RotatingSums {
  std::byte* sums = nullptr;
  std::size_t places = 1, place = 0, step = 1;
};

// Copies sites with the byte order of their numbers swapped, and adds the bytes read to both sums. The size of a site
// is a multiple of 16 bytes.
using GatherLoop = void (*)(std::size_t site_bytes, const SiteRun& run, RotatingSums one, RotatingSums other) noexcept;

// Contiguous in described memory and in a site, in bytes.
struct Stripe {
  std::byte* memory = nullptr;  // of the site whose place is 0
  std::size_t in_site = 0;
  std::size_t bytes = 0;
};

// Stripes of sites at places in memory that are counted in numbers of `number_bytes`. In file form the sites are
// contiguous, or, with `order`, at `file_at`. The products go to `sums`, one cache line for each site: the first run
// stores them, others add to them, and the last computes the CRC-32 of each site.
struct StripeRun {
  const Stripe* stripes = nullptr;  // sizes and offsets in the site are multiples of 8 bytes
  std::size_t count = 0;
  const std::int64_t* places = nullptr;
  std::ptrdiff_t number_bytes = 0;
  std::size_t sites = 0;
  std::byte* file = nullptr;
  const std::size_t* order = nullptr;    // numbers of sites, in the order of processing; null: 0, 1, 2, ...
  const std::size_t* file_at = nullptr;  // for each site in this order
  std::size_t site_bytes = 0;
  std::size_t ahead = 0;      // prefetch distance in sites; 0: none
  std::size_t shared_by = 1;  // consecutive sites of the order that share cache lines
  void* sums = nullptr;
  bool is_first = true;
  std::uint32_t* crcs = nullptr;  // set by the last run
};

// Moves them with the byte order of their numbers swapped. The size of a site is a multiple of 16 bytes.
using StripeLoop = void (*)(const SiteTable& table, const StripeRun& run) noexcept;
struct StripeLoops {
  StripeLoop any = nullptr;
  StripeLoop of_8 = nullptr, of_16 = nullptr;  // stripes of 8 or 16 bytes, contiguous in the site
};

// Continues the CRC-32 of a stream, as crc32() does.
using Stream = std::uint32_t (*)(std::uint32_t crc, const std::byte* from, std::size_t bytes) noexcept;

// A row stores sites in groups of eight: number k of site s is at [(s / 8 * numbers + k) * 8 + s % 8], in single or
// double precision. Zeros follow the last site.
inline constexpr std::size_t row_lanes = 8;

// Rows of links, one for each dimension of a site.
inline constexpr std::size_t most_dimensions = 8;
struct PlaquetteRows {
  const void* here = nullptr;
  const void* above[most_dimensions] = {};  // the neighbours in each dimension except that of the row
  std::size_t dimensions = 0, along = 0;    // the dimension of the row, in which the first site follows the last
  std::size_t sites = 0;
  std::size_t terms_apart = 0;  // from the first term of one plane to that of the next; 0: padded sites
};

// Re Tr / N of the plaquettes in all planes, (0, 1), (0, 2) and so on, then of all links; for each, the values of all
// sites of the row, zero-padded to a multiple of eight.
using PlaquetteLoop = void (*)(const PlaquetteRows& rows, double* terms) noexcept;

// For each link of all sites of such a row, in the order of terms: the squares of the largest |element| of U U^dagger -
// 1 and of |det U - 1|; neither is finite if a number of the link is not.
using LinkLoop = void (*)(const void* row, std::size_t dimensions, std::size_t sites, double* from_unitarity,
                          double* from_one) noexcept;

// Replaces squares, a multiple of eight of them, by their roots, by infinity if they are not a number; `largest`
// becomes the largest root if that is larger.
using RootLoop = void (*)(double* squares, std::size_t count, double* largest) noexcept;

// Converts contiguous sites with the given number of numbers to such a row.
using RowLoop = void (*)(const std::byte* memory, std::size_t numbers, std::size_t sites, void* row) noexcept;

// Adds terms between -2 and 2 in steps of 2^-60: `high` counts 2^30 steps, `low` single ones; a multiple of eight
// terms, up to 2^20. False if a term is larger or not a number.
using TermLoop = bool (*)(const double* terms, std::size_t count, double* high, double* low) noexcept;

// The sum of words of 32 bits modulo 2^32.
using WordLoop = std::uint32_t (*)(const std::byte* bytes, std::size_t words) noexcept;

// Index of the first of `sites` sites of `numbers` numbers each whose sum of squares is not between `least` and `most`;
// `sites` if there is none. A NaN is not between anything.
using SquareLoop = std::size_t (*)(const std::byte* bytes, std::size_t numbers, std::size_t sites, double least,
                                   double most) noexcept;

// Copies bytes with non-temporal stores: whole cache lines are neither read first nor kept in a cache. Neither side
// needs alignment, and they do not overlap. Other processors see the bytes after `settle` has returned.
struct AroundCaches {
  void (*copy)(const std::byte* from, std::byte* to, std::size_t bytes) noexcept = nullptr;
  void (*settle)() noexcept = nullptr;
};

// Products with constants of GF(2^8): for each of `count` constants `tables` has product_table_bytes bytes, its
// products with 0 .. 15 and with 16 times these. The products of the bytes at `from` are added (exclusive or) to those
// at to[k].
inline constexpr std::size_t product_table_bytes = 32;
using ProductLoop = void (*)(const std::byte* tables, std::size_t count, const std::byte* from, std::byte* const* to,
                             std::size_t bytes) noexcept;

// The four lanes of XXH64, and its primes that they are multiplied by.
struct HashLanes {
  std::uint64_t words[4];
};
inline constexpr std::size_t hash_stripe_bytes = 32, hashed_together = 8;
inline constexpr std::uint64_t hash_prime_1 = 0x9E3779B185EBCA87, hash_prime_2 = 0xC2B2AE3D27D4EB4F;

// Adds that many stripes to the lanes of `hashed_together` inputs, which begin at this distance from each other.
using HashLoop = void (*)(const std::byte* from, std::size_t distance, std::size_t stripes, HashLanes* lanes) noexcept;

// Arrays of two are for single and double precision.
struct Loops {
  CopyNumbers copy[2][2][3];  // from, to, and which side is swapped: none, from, to
  TurnNumbers turn[2];
  RowLoop to_rows[2];
  PlaquetteLoop plaquettes[2][2];  // SU(2) and SU(3)
  LinkLoop links[2][2];            // SU(2) and SU(3)
  RootLoop take_roots;
  TermLoop sum_small;
  WordLoop sum_words[2];          // host byte order, swapped byte order
  SquareLoop first_beyond[2][2];  // the same, for each precision
  ProductLoop add_products;
  HashLoop hash = nullptr;  // null: not faster than one input after the other
  // Null without carry-less multiplication or a CRC instruction.
  SiteLoop sum = nullptr;                     // reads only
  SiteLoop copy_sum = nullptr;                // byte order stays
  SiteLoop turn_sum[2] = {nullptr, nullptr};  // swaps the byte order; CRC of the bytes written
  SiteLoop sum_turn[2] = {nullptr, nullptr};  // swaps the byte order; CRC of the bytes read
  GatherLoop gather_turn[2] = {nullptr, nullptr};
  StripeLoops take_stripes[2] = {}, give_stripes[2] = {};  // from memory and into it
  Stream stream = nullptr;   // null if the processor has no instruction for this polynomial
  AroundCaches around = {};  // null if no instruction writes a whole line
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
