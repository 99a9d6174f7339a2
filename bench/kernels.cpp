// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The loops over bytes, against memcpy of the same bytes in the same buffers: 512 KiB of sites of 576 bytes, in cache.
// Best of n, because the machine only ever adds time.
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <vector>

#include "kernels/crc32.hpp"
#include "kernels/digest.hpp"
#include "kernels/pack.hpp"

namespace {

constexpr std::uint64_t numbers = 72;
constexpr std::uint64_t site_bytes = numbers * 8;
constexpr std::uint64_t sites = 512 * 1024 / site_bytes;
constexpr std::size_t block_bytes = sites * site_bytes;

// Gigabytes per second of the best of 200 calls.
double rate(const std::function<void()>& work) {
  double best = 1e9;
  for (int i = 0; i < 200; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return static_cast<double>(block_bytes) / best / 1e9;
}

void print(const char* name, double value, double ceiling) {
  std::printf("  %-44s %7.2f GB/s   %5.2f of memcpy\n", name, value, value / ceiling);
}

}  // namespace

int main() {
  std::vector<std::byte> memory(block_bytes), file(block_bytes);
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<std::byte>(i * 37 % 251);
  const lq::base::Bytes bytes(file);
  const auto stride = static_cast<std::ptrdiff_t>(site_bytes);
  const lq::kernels::SiteForm swap{numbers, lq::Precision::double_, lq::Precision::double_, true};
  const lq::kernels::SiteForm narrow{numbers, lq::Precision::double_, lq::Precision::single, true};
  std::uint32_t sink = 0;
  lq::Checksum sum;

  const double copy = rate([&] { std::memcpy(file.data(), memory.data(), block_bytes); });
  std::printf("%zu bytes, %llu sites, CRC-32 by %s\n", block_bytes, static_cast<unsigned long long>(sites),
              std::string(lq::kernels::crc32_provider()).c_str());
  print("memcpy", copy, copy);
  print("pack: double, byte order", rate([&] { pack_sites(swap, memory.data(), stride, sites, file.data()); }), copy);
  print("pack: double to single, byte order",
        rate([&] { pack_sites(narrow, memory.data(), stride, sites, file.data()); }), copy);
  print("unpack: double, byte order", rate([&] { unpack_sites(swap, file.data(), sites, memory.data(), stride); }),
        copy);
  print("CRC-32 of the block", rate([&] { sink ^= lq::kernels::crc32(sink, bytes); }), copy);
  print("CRC-32, portable", rate([&] { sink ^= lq::kernels::crc32_portable(sink, bytes); }), copy);
  print("site checksums", rate([&] { lq::kernels::add_sites(sum, bytes, site_bytes, 0, 1); }), copy);
  std::printf("(%08x)\n", static_cast<unsigned>(sink ^ sum.suma));  // so that nothing is optimised away
  return 0;
}
