// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sites are SU(3) gauge field sites in double precision.
#include "diagnosis/parts.hpp"

#include <algorithm>
#include <cstring>

#include "base/clock.hpp"
#include "comm/agree.hpp"
#include "kernels/crc32.hpp"
#include "kernels/digest.hpp"
#include "kernels/pack.hpp"
#include "kernels/site_crc.hpp"

namespace lq::diagnosis {
namespace {

constexpr std::uint64_t site_numbers = 72;
constexpr std::uint64_t probe_site_bytes = site_numbers * sizeof(double);
constexpr std::uint64_t small_sites = 224;  // 126 KiB for source and target: half of a usual L2 cache
constexpr std::uint64_t small_bytes = small_sites * probe_site_bytes;
constexpr std::uint64_t small_repeats = 64;

// Keeps the compiler from removing computations whose results are not used.
void keep(const void* result) noexcept { asm volatile("" : : "r"(result) : "memory"); }

struct Arrays {
  explicit Arrays(std::uint64_t bytes)
      : sites(bytes / probe_site_bytes),
        source(sites * site_numbers, 1.25),
        target(sites * site_numbers, 0.5),
        crc(probe_site_bytes) {}

  std::byte* from() noexcept { return reinterpret_cast<std::byte*>(source.data()); }
  std::byte* to() noexcept { return reinterpret_cast<std::byte*>(target.data()); }
  std::uint64_t bytes() const noexcept { return sites * probe_site_bytes; }

  std::uint64_t sites;
  std::vector<double> source;
  std::vector<double> target;
  kernels::SiteCrc crc;
  kernels::SiteForm form{site_numbers, Precision::double_, Precision::double_, true};
};

// Packs each block of the source into the same small buffer, as a writer does.
void pack_all(Arrays& arrays) {
  Checksum sum;
  for (std::uint64_t site = 0; site < arrays.sites; site += small_sites) {
    const std::uint64_t count = std::min(small_sites, arrays.sites - site);
    kernels::pack_and_sum(arrays.form, arrays.crc, arrays.from() + site * probe_site_bytes,
                          static_cast<std::ptrdiff_t>(probe_site_bytes), count, arrays.to(), site, 1, sum);
  }
  keep(&sum);
}

using Work = void (*)(Arrays& arrays);

struct MemoryLoop {
  const char* name;
  bool is_large;  // the whole array once, instead of repeating its beginning
  bool by_all;
  Work work;
};

const MemoryLoop memory_loops[] = {
    {"memcpy, small", false, false, [](Arrays& a) { std::memcpy(a.to(), a.from(), small_bytes); }},
    {"memcpy, large", true, false, [](Arrays& a) { std::memcpy(a.to(), a.from(), a.bytes()); }},
    {"memcpy, large, all ranks", true, true, [](Arrays& a) { std::memcpy(a.to(), a.from(), a.bytes()); }},
    {"crc32, stream", false, false,
     [](Arrays& a) {
       const std::uint32_t crc = kernels::crc32(0, {a.from(), small_bytes});
       keep(&crc);
     }},
    {"crc32, sites", false, false,
     [](Arrays& a) {
       Checksum sum;
       kernels::add_sites(sum, {a.from(), small_bytes}, a.crc, 0, 1);
       keep(&sum);
     }},
    {"swap", false, false, [](Arrays& a) { kernels::turn_sites(a.form, a.to(), small_sites); }},
    {"pack", false, false,
     [](Arrays& a) {
       kernels::pack_sites(a.form, a.from(), static_cast<std::ptrdiff_t>(probe_site_bytes), small_sites, a.to());
     }},
    {"pack with checksum, small", false, false,
     [](Arrays& a) {
       Checksum sum;
       kernels::pack_and_sum(a.form, a.crc, a.from(), static_cast<std::ptrdiff_t>(probe_site_bytes), small_sites,
                             a.to(), 0, 1, sum);
       keep(&sum);
     }},
    {"pack with checksum", true, false, pack_all},
};

}  // namespace

std::vector<Measurement> memory_parts(comm::Comm& comm, std::uint64_t bytes) {
  const auto arrays = comm::agree(comm, [&] { return std::make_shared<Arrays>(std::max(bytes, 2 * small_bytes)); });
  const auto ranks = static_cast<std::uint64_t>(comm.size());
  const bool is_root = comm.rank() == 0;
  std::vector<Measurement> parts;
  for (const MemoryLoop& thing : memory_loops) {
    const std::uint64_t calls = thing.is_large ? 1 : small_repeats;
    const std::uint64_t moved = thing.is_large ? arrays->bytes() : small_bytes * calls;
    parts.push_back({thing.name, thing.by_all ? moved * ranks : moved, calls, thing.by_all ? ranks : 1, [=] {
                       if (!thing.by_all && !is_root) return 0.0;
                       const base::Stopwatch watch;
                       for (std::uint64_t i = 0; i < calls; ++i) {
                         thing.work(*arrays);
                         keep(arrays->to());
                       }
                       return watch.seconds();
                     }});
  }
  return parts;
}

}  // namespace lq::diagnosis
