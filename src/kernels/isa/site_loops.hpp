// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sites copied and summed in one pass, once for every width of vectors. The CRC of a site is a dot product over
// polynomials: each 64-bit word times a constant that depends on its place alone (site_crc.cpp), summed without
// carries in one vector per site and reduced once at the end.
//
// `V` is a vector: V::Reg its register, V::bytes its width, V::Lane the vector of one 128-bit lane, V::Dividing<n> the
// vector to use if sites of n bytes (0: any length) are only added up. V::add is the sum (exclusive or), V::both the
// bitwise and, V::turned<4 or 8> the numbers with swapped byte order, low_low and high_high the carry-less products of
// the halves of all lanes, V::high the upper halves moved down, V::same one 64-bit word in all places, V::folded the
// sum of all lanes, V::joined a vector made of lanes.
#pragma once

#include <cstring>

#include "kernels/isa/number_loops.hpp"

namespace lq::kernels::isa {

constexpr std::size_t lane_bytes = 16;
constexpr std::size_t together = 4;  // interleaved sites; two do as well, eight no better

// The bytes over which the CRC is taken; the two differ in byte order.
enum class Summed { read, written };

// Loaded from byte r on: a lane whose last r bytes are kept.
struct KeepLast {
  unsigned char bytes[2 * lane_bytes] = {};
  constexpr KeepLast() noexcept {
    for (std::size_t i = lane_bytes; i < 2 * lane_bytes; ++i) bytes[i] = 0xff;
  }
};
constexpr KeepLast keep_last;

// Reduces the sums of V::bytes / 16 sites to their CRCs: three products, the last two being Barrett's.
template <class V>
[[gnu::always_inline]] inline void reduce(const typename V::Lane::Reg* sums, std::uint32_t crc_of_zeros,
                                          std::uint32_t* crcs) noexcept {
  constexpr std::uint64_t x_to_the_63 = 0xb8bc676500000000;  // remainder, reflected, as in the table
  constexpr std::uint64_t quotient = 0x1f7011641;            // of x^64 by the polynomial, reflected
  constexpr std::uint64_t polynomial = 0x1db710641;          // reflected
  const auto lanes = V::joined(sums);
  // The first 32 of a lane's 128 bits are zero: one product moves the other bits of the lower half into the upper half.
  const auto half = V::high(V::add(lanes, V::low_low(lanes, V::same(x_to_the_63))));
  const auto times = V::both(V::low_low(half, V::same(quotient)), V::same(0xffffffff));
  const auto remainder = V::add(half, V::low_low(times, V::same(polynomial)));
  std::uint32_t words[V::bytes / 4];
  V::store(words, remainder);
  for (std::size_t s = 0; s < V::bytes / lane_bytes; ++s) crcs[s] = words[4 * s + 1] ^ crc_of_zeros;
}

// Prefetches the sites that follow those in work, line by line in order. The products keep the processor too busy to
// look so far ahead, and it predicts several interleaved sites badly. Prefetching doubles the rate from main memory.
// Addresses are integers, because the last ones are after the field.
template <class V>
class LinesAhead {
 public:
  LinesAhead(const std::byte* first, std::ptrdiff_t stride, std::size_t site_bytes, PrefetchPlan* coming) noexcept
      : coming_(coming),
        stride_(static_cast<std::uintptr_t>(stride)),
        // Sites without gaps are treated as one long one.
        lines_(stride_ == site_bytes ? ~std::size_t{0} : (site_bytes + cache_line - 1) / cache_line),
        left_(lines_) {
    constexpr std::size_t bytes_ahead = 2560;
    const std::size_t sites = bytes_ahead / site_bytes + 1;
    site_ = at_ = reinterpret_cast<std::uintptr_t>(first) + stride_ * (sites < together ? together : sites);
  }

  template <std::size_t count>
  [[gnu::always_inline]] void fetch() noexcept {
    if (coming_ != nullptr) return fetch_pieces(count * coming_->for_each_line);
    if (left_ < count) return fetch_across<count>();
    for (std::size_t line = 0; line < count; ++line) fetch(at_ + line * cache_line);
    at_ += count * cache_line;
    left_ -= count;
  }

 private:
  void fetch_pieces(std::size_t lines) noexcept {
    for (; lines > 0; --lines, at_ += cache_line) {
      if (at_ >= end_ && !begin_piece()) return;
      fetch(at_);
    }
  }

  // Advances to the next existing piece.
  bool begin_piece() noexcept {
    for (; coming_->next != coming_->end; ++coming_->next) {
      for (base::PrefetchList& pieces = *coming_->next; pieces.sites > 0;) {
        const std::int64_t place = *pieces.places++;
        --pieces.sites;
        if (place < 0) continue;
        at_ = pieces.piece + static_cast<std::uintptr_t>(place) * pieces.number_bytes;
        end_ = at_ + pieces.bytes;
        at_ &= ~(cache_line - 1);
        return true;
      }
    }
    return false;
  }

  static void fetch(std::uintptr_t address) noexcept { __builtin_prefetch(reinterpret_cast<const void*>(address)); }

  // Here a site ends and the next begins.
  template <std::size_t count>
  [[gnu::always_inline]] void fetch_across() noexcept {
    for (std::size_t line = 0; line < count; ++line, --left_, at_ += cache_line) {
      if (left_ == 0) {
        at_ = site_ += stride_;
        left_ = lines_;
      }
      fetch(at_);
    }
  }

  PrefetchPlan* coming_;  // or null: sites of this stride
  std::uintptr_t stride_;
  std::size_t lines_, left_;
  std::uintptr_t site_, at_, end_ = 0;
};

template <class V, std::size_t turn, Summed summed, bool writes>
struct SitePass {
  using Ahead = LinesAhead<V>;
  using Lane = typename V::Lane;

  template <class W>
  [[gnu::always_inline]] static typename W::Reg turned(typename W::Reg bytes) noexcept {
    if constexpr (turn == 0) {
      return bytes;
    } else {
      return W::template turned<turn>(bytes);
    }
  }

  // Processes one vector of a site, `at` bytes from its beginning, and adds its products to `sum`.
  template <class W>
  [[gnu::always_inline]] static typename W::Reg step(typename W::Reg sum, const std::byte* from, std::byte* to,
                                                     std::size_t at, typename W::Reg constants) noexcept {
    const auto read = W::load(from + at);
    const auto written = turned<W>(read);
    if constexpr (writes) W::store(to + at, written);
    const auto bytes = summed == Summed::read ? read : written;
    return W::add(W::add(sum, W::low_low(bytes, constants)), W::high_high(bytes, constants));
  }

  // The last lane of a site, as far as it exists: a short site is placed at the lane's end.
  static typename Lane::Reg load_end(const std::byte* site, std::size_t bytes) noexcept {
    if (bytes >= lane_bytes) return Lane::load(site + bytes - lane_bytes);
    std::byte lane[lane_bytes] = {};
    std::memcpy(lane + lane_bytes - bytes, site, bytes);
    return Lane::load(lane);
  }

  static void store_end(std::byte* site, std::size_t bytes, typename Lane::Reg end) noexcept {
    if (bytes >= lane_bytes) return Lane::store(site + bytes - lane_bytes, end);
    std::byte lane[lane_bytes];
    Lane::store(lane, end);
    std::memcpy(site, lane + lane_bytes - bytes, bytes);
  }

  // The bytes after the last whole lane. `end` was read before anything was written, because the lane reaches back into
  // bytes that may have been swapped in place since.
  static typename Lane::Reg last_step(typename Lane::Reg sum, typename Lane::Reg end, std::byte* to,
                                      const SiteTable& table, const std::uint64_t* constants) noexcept {
    const auto written = turned<Lane>(end);
    if constexpr (writes) store_end(to, table.site_bytes, written);
    const std::size_t rest = table.site_bytes % lane_bytes;
    const auto bytes = Lane::both(summed == Summed::read ? end : written, Lane::load(keep_last.bytes + rest));
    const auto factor = Lane::load(constants);
    return Lane::add(Lane::add(sum, Lane::low_low(bytes, factor)), Lane::high_high(bytes, factor));
  }

  // Interleaved stores to several sites wait for their lines, because the processor detects no single stream.
  // Prefetching them a few sites earlier doubles the rate on Intel's servers (Sapphire Rapids), also within the caches.
  template <std::size_t count>
  [[gnu::always_inline]] static void fetch_to_write(std::byte* const (&to_site)[count], std::size_t distance) noexcept {
    for (std::size_t s = 0; s < count; ++s) {
      const auto line = reinterpret_cast<std::uintptr_t>(to_site[s]) + distance;
      __builtin_prefetch(reinterpret_cast<const void*>(line), 1);
    }
  }

  // `count` interleaved sites share the loads of the constants and hide each other's latencies.
  template <std::size_t count>
  [[gnu::always_inline]] static void group(const SiteTable& table, const std::byte* from, std::ptrdiff_t from_stride,
                                           std::byte* to, std::ptrdiff_t to_stride, Ahead& ahead, std::size_t to_ahead,
                                           typename Lane::Reg* remainders) noexcept {
    const std::byte* from_site[count];
    std::byte* to_site[count];
    typename Lane::Reg ends[count];
    typename V::Reg wide[count];
    const bool has_rest = table.site_bytes % lane_bytes != 0;
    for (std::size_t s = 0; s < count; ++s) {
      from_site[s] = from + static_cast<std::ptrdiff_t>(s) * from_stride;
      to_site[s] = to + static_cast<std::ptrdiff_t>(s) * to_stride;
      ends[s] = has_rest ? load_end(from_site[s], table.site_bytes) : Lane::zero();
      wide[s] = V::zero();
    }
    const std::uint64_t* constants = table.constants;
    std::size_t at = 0;
    while (at + cache_line <= table.site_bytes) {
      ahead.template fetch<count>();
      if (writes && to_ahead != 0) fetch_to_write<count>(to_site, to_ahead + at);
      for (const std::size_t end = at + cache_line; at < end; at += V::bytes, constants += V::bytes / 8) {
        const auto factor = V::load(constants);
        for (std::size_t s = 0; s < count; ++s) wide[s] = step<V>(wide[s], from_site[s], to_site[s], at, factor);
      }
    }
    if (at < table.site_bytes) ahead.template fetch<count>();
    for (; at + V::bytes <= table.site_bytes; at += V::bytes, constants += V::bytes / 8) {
      const auto factor = V::load(constants);
      for (std::size_t s = 0; s < count; ++s) wide[s] = step<V>(wide[s], from_site[s], to_site[s], at, factor);
    }
    typename Lane::Reg sums[count];
    for (std::size_t s = 0; s < count; ++s) sums[s] = V::folded(wide[s]);
    for (; at + lane_bytes <= table.site_bytes; at += lane_bytes, constants += lane_bytes / 8) {
      const auto factor = Lane::load(constants);
      for (std::size_t s = 0; s < count; ++s) {
        sums[s] = step<Lane>(sums[s], from_site[s], to_site[s], at, factor);
      }
    }
    for (std::size_t s = 0; s < count; ++s) {
      remainders[s] = has_rest ? last_step(sums[s], ends[s], to_site[s], table, constants) : sums[s];
    }
  }

  static void run(const SiteTable& given, const SiteRun& run, std::uint32_t* crcs) noexcept {
    const SiteTable table = given;  // a copy that no store through `to` can change
    const std::byte* from = run.from;
    std::byte* to = run.to;
    Ahead ahead(run.reads_memory ? from : to, run.reads_memory ? run.from_stride : run.to_stride, table.site_bytes,
                run.coming);
    // `ahead` prefetches the user's memory, whether it is read or written.
    const std::size_t to_ahead = run.reads_memory ? together * static_cast<std::size_t>(run.to_stride) : 0;
    typename Lane::Reg sums[together];
    std::size_t left = run.sites;
    for (; left >= together; left -= together, crcs += together) {
      group<together>(table, from, run.from_stride, to, run.to_stride, ahead, to_ahead, sums);
      constexpr std::size_t lanes = V::bytes / lane_bytes;
      static_assert(together % lanes == 0);
      for (std::size_t s = 0; s < together; s += lanes) reduce<V>(sums + s, table.crc_of_zeros, crcs + s);
      from += static_cast<std::ptrdiff_t>(together) * run.from_stride;
      to += static_cast<std::ptrdiff_t>(together) * run.to_stride;
    }
    for (; left > 0; --left, ++crcs, from += run.from_stride, to += run.to_stride) {
      group<1>(table, from, 0, to, 0, ahead, 0, sums);
      reduce<Lane>(sums, table.crc_of_zeros, crcs);
    }
  }
};

// No products at all, so that half a dozen sites pass in the time of one CRC. The loads and stores of the sums take the
// time. So this many sites with the same sum are added up first; their numbers are as far apart as there are sums,
// whatever the step between sites. Sites are processed twice, once for each kind of sum, and are in the first cache
// level the second time.
template <class V, std::size_t turn>
struct GatherPass {
  static constexpr std::size_t interleaved = 2;  // three do as well, four are too many for the first cache level

  // Where sites are read and written, and the memory to prefetch: the user's, for later sites.
  struct Place {
    const std::byte* from;
    std::ptrdiff_t from_stride;
    std::byte* to;
    std::ptrdiff_t to_stride;
    const std::byte* users;
    std::ptrdiff_t users_stride;

    explicit Place(const SiteRun& run) noexcept
        : from(run.from),
          from_stride(run.from_stride),
          to(run.to),
          to_stride(run.to_stride),
          users(run.reads_memory ? run.from : run.to),
          users_stride(run.reads_memory ? run.from_stride : run.to_stride) {}
    void advance(std::size_t sites) noexcept {
      const auto by = static_cast<std::ptrdiff_t>(sites);
      from += by * from_stride;
      to += by * to_stride;
      users += by * users_stride;
    }
  };

  // Bytes `at` of the sites that share one sum.
  template <class W, bool turns, std::size_t count>
  [[gnu::always_inline]] static void step(const Place& place, std::size_t apart, std::size_t at,
                                          std::byte* sum) noexcept {
    auto all = W::load(sum + at);
#pragma GCC unroll 2
    for (std::size_t k = 0; k < count; ++k) {
      const auto skip = static_cast<std::ptrdiff_t>(k * apart);
      const auto read = W::load(place.from + skip * place.from_stride + at);
      if constexpr (turns) W::store(place.to + skip * place.to_stride + at, W::template turned<turn>(read));
      all = W::add(all, read);
    }
    W::store(sum + at, all);
  }

  // Addresses are integers, because the last ones are after the field.
  [[gnu::always_inline]] static void fetch(const std::byte* users, std::ptrdiff_t distance,
                                           std::size_t site_bytes) noexcept {
    const auto site = reinterpret_cast<std::uintptr_t>(users) + static_cast<std::uintptr_t>(distance);
    for (std::size_t line = 0; line < site_bytes; line += cache_line) {
      __builtin_prefetch(reinterpret_cast<const void*>(site + line));
    }
  }

  // Adds `sites` sites to the sums, and with each those that follow it at multiples of `sums.places`, `count` in all.
  // `known`: the length of a site if its steps are to be unrolled, or 0.
  template <std::size_t known, bool turns, std::size_t count>
  [[gnu::always_inline]] static void add(std::size_t any, Place place, std::size_t sites, RotatingSums& sums) noexcept {
    using Wide = typename V::template Dividing<known>;
    const std::size_t site_bytes = known > 0 ? known : any, apart = sums.places;
    const std::ptrdiff_t behind_all = static_cast<std::ptrdiff_t>(count * apart) * place.users_stride;
    for (std::size_t left = sites; left > 0; --left, place.advance(1)) {
      if constexpr (!turns) {
#pragma GCC unroll 2
        for (std::size_t k = 0; k < count; ++k) {
          fetch(place.users, behind_all + static_cast<std::ptrdiff_t>(k * apart) * place.users_stride, site_bytes);
        }
      }
      std::byte* const sum = sums.sums + sums.place * site_bytes;
      std::size_t at = 0;
#pragma GCC unroll 6
      for (; at + Wide::bytes <= site_bytes; at += Wide::bytes) step<Wide, turns, count>(place, apart, at, sum);
      for (; at < site_bytes; at += lane_bytes) step<typename V::Lane, turns, count>(place, apart, at, sum);
      sums.place += sums.step;
      if (sums.place >= sums.places) sums.place -= sums.places;
    }
  }

  // Processes as many sites as make whole rotations; returns their number.
  template <std::size_t known, bool turns>
  [[gnu::always_inline]] static std::size_t add_turns(std::size_t site_bytes, Place& place, std::size_t most,
                                                      RotatingSums& sums) noexcept {
    const std::size_t sites = interleaved * sums.places;
    if (most < sites) return 0;
    add<known, turns, interleaved>(site_bytes, place, sums.places, sums);
    place.advance(sites);
    return sites;
  }

  template <std::size_t known>
  [[gnu::always_inline]] static void pass(std::size_t site_bytes, const SiteRun& run, RotatingSums one,
                                          RotatingSums other) noexcept {
    Place read(run), turned(run);
    std::size_t added = 0, both = 0;
    while (const std::size_t more = add_turns<known, false>(site_bytes, read, run.sites - added, other)) {
      added += more;
      while (const std::size_t behind = add_turns<known, true>(site_bytes, turned, added - both, one)) both += behind;
    }
    add<known, false, 1>(site_bytes, read, run.sites - added, other);
    add<known, true, 1>(site_bytes, turned, run.sites - both, one);
  }

  static void run(std::size_t site_bytes, const SiteRun& run, RotatingSums one, RotatingSums other) noexcept {
    constexpr std::size_t wilson_single = 96, wilson_double = 192;
    if (site_bytes == wilson_single) return pass<wilson_single>(site_bytes, run, one, other);
    if (site_bytes == wilson_double) return pass<wilson_double>(site_bytes, run, one, other);
    pass<0>(site_bytes, run, one, other);
  }
};

template <class V>
constexpr Loops site_loops() noexcept {
  Loops loops = number_loops<V>();
  loops.sum = SitePass<V, 0, Summed::read, false>::run;
  loops.copy_sum = SitePass<V, 0, Summed::read, true>::run;
  loops.turn_sum[0] = SitePass<V, 4, Summed::written, true>::run;
  loops.turn_sum[1] = SitePass<V, 8, Summed::written, true>::run;
  loops.sum_turn[0] = SitePass<V, 4, Summed::read, true>::run;
  loops.sum_turn[1] = SitePass<V, 8, Summed::read, true>::run;
  loops.gather_turn[0] = GatherPass<V, 4>::run;
  loops.gather_turn[1] = GatherPass<V, 8>::run;
  return loops;
}

}  // namespace lq::kernels::isa
