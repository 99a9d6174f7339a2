// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sites of described memory moved stripe by stripe to or from the bytes of a file, swapped and summed in the same pass.
// The CRC of a site is a dot product by place (site_loops.hpp), so stripes may come in any order: each site has its own
// vector to which their products are added, and which is reduced after the last one.
//
// `V` as in site_loops.hpp; in addition V::add_lane adds a lane to the first of a vector, V::gathered and V::scatter
// move a vector whose pieces of 8 or 16 bytes are apart, load_half and store_half of a lane its first 8 bytes.
#pragma once

#include <type_traits>

#include "kernels/isa/site_loops.hpp"

namespace lq::kernels::isa {

// `piece`: bytes that are contiguous in memory, or 0 if whole stripes are.
template <class V, std::size_t turn, Summed summed, std::size_t piece>
struct StripePass {
  using Lane = typename V::Lane;
  static constexpr bool takes = summed == Summed::written;  // from memory

  // The address of W::bytes of the site at place 0.
  template <class W>
  struct SitePointers {
    std::byte* pieces[piece == 0 ? 1 : W::bytes / piece];
  };

  template <class W>
  [[gnu::always_inline]] static typename W::Reg load(const SitePointers<W>& where, std::ptrdiff_t offset) noexcept {
    if constexpr (piece == 0) {
      return W::load(where.pieces[0] + offset);
    } else {
      return W::template gathered<piece>(where.pieces, offset);
    }
  }

  template <class W>
  [[gnu::always_inline]] static void store(const SitePointers<W>& where, std::ptrdiff_t offset,
                                           typename W::Reg bytes) noexcept {
    if constexpr (piece == 0) {
      W::store(where.pieces[0] + offset, bytes);
    } else {
      W::template scatter<piece>(where.pieces, offset, bytes);
    }
  }

  template <class W>
  [[gnu::always_inline]] static void add(typename V::Reg& sum, typename W::Reg bytes, typename W::Reg factor) noexcept {
    const auto low = W::low_low(bytes, factor), high = W::high_high(bytes, factor);
    if constexpr (W::bytes == V::bytes) {
      sum = V::add(V::add(sum, low), high);
    } else {
      sum = V::add_lane(sum, W::add(low, high));
    }
  }

  // Interleaved sites share the loads of the constants and hide each other's latencies.
  template <std::size_t count, bool fetches>
  struct Group {
    std::ptrdiff_t offsets[count];  // in memory
    std::byte* file[count];
    std::size_t shared_by;  // this many sites share cache lines
    std::ptrdiff_t ahead[count];
    std::byte* file_next[count];  // of the next sites
    typename V::Reg sums[count];

    // Prefetches the part that later sites need, because the products keep the processor too busy to look ahead.
    template <class W>
    [[gnu::always_inline]] void fetch(const SitePointers<W>& where, std::size_t at) const noexcept {
      if (shared_by == 1) {
        for (std::size_t s = 0; s < count; ++s) __builtin_prefetch(where.pieces[0] + ahead[s], takes ? 0 : 1);
        return;
      }
      if (shared_by == 2) {
        for (std::size_t s = 0; s < count; s += 2) {
          for (std::size_t k = 0; k < sizeof where.pieces / sizeof *where.pieces; k += 2)
            __builtin_prefetch(where.pieces[k] + ahead[s], takes ? 0 : 1);
        }
        return;
      }
      for (std::byte* const one : where.pieces) __builtin_prefetch(one + ahead[0], takes ? 0 : 1);
      if constexpr (takes) return;
      for (std::size_t s = 0; s < count; ++s) __builtin_prefetch(file_next[s] + at);
    }

    // Interleaved stores to several sites wait for their lines (site_loops.hpp).
    [[gnu::always_inline]] void fetch_to_write(std::size_t at) const noexcept {
      for (std::size_t s = 0; s < count; ++s) __builtin_prefetch(file_next[s] + at, 1);
    }

    // Bytes `at` of the sites.
    template <class W>
    [[gnu::always_inline]] void step(const SitePointers<W>& where, std::size_t at,
                                     const std::uint64_t* constants) noexcept {
      const auto factor = W::load(constants + at / sizeof *constants);
      typename W::Reg bytes[count];
      constexpr bool is_whole = W::bytes == V::bytes;
      if constexpr (fetches && is_whole) fetch<W>(where, at);
      if constexpr (takes && is_whole && count > 1) fetch_to_write(at);
      for (std::size_t s = 0; s < count; ++s) {
        bytes[s] = takes ? StripePass::load<W>(where, offsets[s]) : W::load(file[s] + at);
      }
      if constexpr (takes) {
        for (std::size_t s = 0; s < count; ++s) {
          bytes[s] = W::template turned<turn>(bytes[s]);
          W::store(file[s] + at, bytes[s]);
        }
      }
      for (std::size_t s = 0; s < count; ++s) add<W>(sums[s], bytes[s], factor);
      if constexpr (!takes) {
        for (std::size_t s = 0; s < count; ++s)
          StripePass::store<W>(where, offsets[s], W::template turned<turn>(bytes[s]));
      }
    }

    [[gnu::always_inline]] void half_step(std::byte* memory, std::size_t at, const std::uint64_t* constants) noexcept {
      const auto factor = Lane::load(constants + at / sizeof *constants);
      for (std::size_t s = 0; s < count; ++s) {
        auto bytes = Lane::load_half(takes ? memory + offsets[s] : file[s] + at);
        const auto turned = Lane::template turned<turn>(bytes);
        Lane::store_half(takes ? file[s] + at : memory + offsets[s], turned);
        add<Lane>(sums[s], takes ? turned : bytes, factor);
      }
    }

    // `known`: the bytes of a site, or 0.
    template <std::size_t known>
    [[gnu::always_inline]] void go_over(const Stripe& stripe, const std::uint64_t* constants) noexcept {
      std::size_t at = stripe.in_site;
      const std::size_t end = at + (known > 0 ? known : stripe.bytes);
      std::byte* memory = stripe.memory;
      for (; at + V::bytes <= end; at += V::bytes, memory += V::bytes) step<V>({{memory}}, at, constants);
      for (; at + lane_bytes <= end; at += lane_bytes, memory += lane_bytes) step<Lane>({{memory}}, at, constants);
      if (at < end) half_step(memory, at, constants);
    }

    template <class W>
    [[gnu::always_inline]] void gather_all(const Stripe*& stripe, std::size_t& at, std::size_t end,
                                           const std::uint64_t* constants) noexcept {
      for (; at + W::bytes <= end; at += W::bytes) {
        SitePointers<W> where;
        for (std::byte*& one : where.pieces) one = stripe++->memory;
        step<W>(where, at, constants);
      }
    }

    [[gnu::always_inline]] void go_over_all(const StripeRun& run, const std::uint64_t* constants) noexcept {
      const Stripe* stripe = run.stripes;
      if constexpr (piece == 0) {
        constexpr std::size_t link = 144;  // of SU(3) in double precision
        for (const Stripe* const end = stripe + run.count; stripe != end; ++stripe) {
          if (stripe->bytes == link) {
            go_over<link>(*stripe, constants);
          } else {
            go_over<0>(*stripe, constants);
          }
        }
      } else {
        std::size_t at = stripe->in_site;
        const std::size_t end = at + run.count * piece;
        gather_all<V>(stripe, at, end, constants);
        gather_all<Lane>(stripe, at, end, constants);
        if (at < end) half_step(stripe->memory, at, constants);
      }
    }
  };

  template <std::size_t count, bool in_order, bool fetches>
  [[gnu::always_inline]] static void group(const SiteTable& table, const StripeRun& run, std::size_t first) noexcept {
    Group<count, fetches> sites;
    std::size_t numbers[count];
    sites.shared_by = in_order ? 1 : run.shared_by;
    auto* const sums = static_cast<std::byte*>(run.sums);
    for (std::size_t s = 0; s < count; ++s) {
      numbers[s] = in_order ? first + s : run.order[first + s];
      sites.offsets[s] = static_cast<std::ptrdiff_t>(run.places[numbers[s]]) * run.number_bytes;
      sites.file[s] = run.file + (in_order ? numbers[s] * run.site_bytes : run.file_at[first + s]);
      if constexpr (fetches) {
        const std::size_t later = first + run.ahead + s;
        sites.ahead[s] =
            static_cast<std::ptrdiff_t>(run.places[in_order ? later : run.order[later]]) * run.number_bytes;
      }
      if constexpr (count > 1) {
        const std::size_t next = first + together + s;
        sites.file_next[s] = in_order           ? sites.file[s] + together * run.site_bytes
                             : next < run.sites ? run.file + run.file_at[next]
                                                : sites.file[s];
      }
      sites.sums[s] = run.is_first ? V::zero() : V::load(sums + numbers[s] * cache_line);
    }
    sites.go_over_all(run, table.constants);
    if (run.crcs == nullptr) {
      for (std::size_t s = 0; s < count; ++s) V::store(sums + numbers[s] * cache_line, sites.sums[s]);
      return;
    }
    std::uint32_t crcs[count];
    reduce_all<count>(sites.sums, table.crc_of_zeros, crcs);
    for (std::size_t s = 0; s < count; ++s) run.crcs[numbers[s]] = crcs[s];
  }

  template <std::size_t count>
  [[gnu::always_inline]] static void reduce_all(const typename V::Reg* sums, std::uint32_t crc_of_zeros,
                                                std::uint32_t* crcs) noexcept {
    using Several = std::conditional_t<count == 1, Lane, V>;
    typename Lane::Reg folded[count];
    for (std::size_t s = 0; s < count; ++s) folded[s] = V::folded(sums[s]);
    for (std::size_t s = 0; s < count; s += Several::bytes / lane_bytes) {
      reduce<Several>(folded + s, crc_of_zeros, crcs + s);
    }
  }

  template <bool in_order>
  static void go(const SiteTable& table, const StripeRun& run) noexcept {
    std::size_t first = 0;
    if (run.ahead > 0) {
      for (; first + run.ahead + together <= run.sites; first += together)
        group<together, in_order, true>(table, run, first);
    }
    for (; first + together <= run.sites; first += together) group<together, in_order, false>(table, run, first);
    for (; first < run.sites; ++first) group<1, in_order, false>(table, run, first);
  }

  // Copies that no store can change.
  static void run(const SiteTable& given_table, const StripeRun& given) noexcept {
    const SiteTable table = given_table;
    const StripeRun run = given;
    if (run.order == nullptr) return go<true>(table, run);
    go<false>(table, run);
  }
};

template <class V, std::size_t turn, Summed summed>
constexpr StripeLoops stripe_loops_of() noexcept {
  return {StripePass<V, turn, summed, 0>::run, StripePass<V, turn, summed, 8>::run,
          StripePass<V, turn, summed, 16>::run};
}

template <class V>
constexpr Loops loops_of() noexcept {
  Loops loops = site_loops<V>();
  loops.take_stripes[0] = stripe_loops_of<V, 4, Summed::written>();
  loops.take_stripes[1] = stripe_loops_of<V, 8, Summed::written>();
  loops.give_stripes[0] = stripe_loops_of<V, 4, Summed::read>();
  loops.give_stripes[1] = stripe_loops_of<V, 8, Summed::read>();
  loops.add_products = add_products<V>;
  return loops;
}

}  // namespace lq::kernels::isa
