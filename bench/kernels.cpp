// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The loops over bytes, for every instruction set that runs here, against memcpy of the same bytes in the same
// buffers: 128 KiB of sites, which stay in cache, then blocks of a field in main memory. Best of n, because the machine
// only ever adds time.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "kernels/crc32.hpp"
#include "kernels/pack.hpp"

#include "turns.hpp"

namespace {

using lq::Precision;
using lq::kernels::InstructionSet;
using lq::kernels::SiteCrc;
using lq::kernels::SiteForm;

constexpr std::size_t most_bytes = 128 * 1024;  // of one buffer in the second cache level

struct Row {
  std::string name;
  std::size_t bytes;
  std::function<void()> work;
  double best = 1e9;
};

// All rows in turn, again and again: what disturbs the machine disturbs them all.
void run(std::vector<Row>& rows) {
  for (int i = 0; i < 300; ++i) {
    for (Row& row : rows) {
      row.best = std::min(row.best, seconds_of(row.work));
    }
  }
}

// Rates are of bytes in file form; the first row is the ceiling.
void print(const char* title, std::vector<Row>& rows) {
  run(rows);
  std::printf("%s\n", title);
  const double ceiling = static_cast<double>(rows.front().bytes) / rows.front().best;
  for (const Row& row : rows) {
    const double rate = static_cast<double>(row.bytes) / row.best;
    std::printf("  %-56s %7.2f GB/s   %5.2f of memcpy\n", row.name.c_str(), rate / 1e9, rate / ceiling);
  }
}

constexpr std::size_t field_bytes = 256 * most_bytes * 4;
constexpr std::size_t block_sites = 4 * most_bytes / 576;

struct Buffers {
  std::vector<std::byte> memory = std::vector<std::byte>(4 * most_bytes);
  std::vector<std::byte> field = std::vector<std::byte>(field_bytes, std::byte{1});
  std::vector<std::byte> block = std::vector<std::byte>(4 * most_bytes);
  std::size_t blocks = 0;

  // Another one every time, so that it is in no cache.
  std::byte* next_block() { return field.data() + (blocks++ * 4 * most_bytes) % field_bytes; }
  std::vector<std::byte> file = std::vector<std::byte>(most_bytes);
  lq::Checksum sum;
  lq::kernels::WeightedSum weighted;
  std::uint32_t crc = 0;
};

void add_baselines(std::vector<Row>& rows, Buffers& at, std::uint64_t site_bytes) {
  const std::size_t sites = most_bytes / site_bytes;
  const std::size_t bytes = sites * site_bytes;
  rows.push_back({"memcpy", bytes, [=, &at] { std::memcpy(at.file.data(), at.memory.data(), bytes); }});
  rows.push_back({"CRC-32 of streams, whole block", bytes,
                  [=, &at] { at.crc ^= lq::kernels::crc32(0, lq::base::Bytes(at.file).first(bytes)); }});
  rows.push_back({"CRC-32, site by site, " + std::string(lq::kernels::crc32_provider()), bytes, [=, &at] {
                    lq::kernels::add_sites(at.sum, lq::base::Bytes(at.file).first(bytes), site_bytes, 0, 1);
                  }});
}

void add_packing(std::vector<Row>& rows, Buffers& at, InstructionSet set, const SiteForm& form, const char* what,
                 std::uint64_t gap) {
  const std::uint64_t file_site = form.numbers * (form.file == Precision::single ? 4 : 8);
  const std::uint64_t memory_site = form.numbers * (form.memory == Precision::single ? 4 : 8);
  const std::size_t sites = most_bytes / std::max(file_site, memory_site);
  const auto stride = static_cast<std::ptrdiff_t>(memory_site + gap);
  const SiteCrc crc(file_site, set);
  const std::string label = std::string(name(set)) + ", " + what;
  rows.push_back({"pack and sum: " + label, sites * file_site, [=, &at] {
                    pack_and_sum(form, crc, at.memory.data(), stride, sites, at.file.data(), 0, 1, at.sum);
                  }});
  rows.push_back({"unpack and sum: " + label, sites * file_site, [=, &at] {
                    unpack_and_sum(form, crc, at.file.data(), sites, at.memory.data(), stride, 0, 1, at.sum);
                  }});
}

void add_in_place(std::vector<Row>& rows, Buffers& at, InstructionSet set, std::uint64_t site_bytes, bool dense) {
  const std::size_t sites = most_bytes / site_bytes;
  const SiteCrc crc(site_bytes, set);
  const std::string label = std::string(name(set)) + ", " + std::to_string(site_bytes) + " bytes";
  if (dense) {
    const SiteForm form{site_bytes / 8, Precision::double_, Precision::double_, true};
    rows.push_back({"turn and sum in place: " + label, sites * site_bytes,
                    [=, &at] { turn_and_sum(form, crc, at.file.data(), sites, 0, 1, at.sum); }});
  }
  rows.push_back({"sum: " + label, sites * site_bytes,
                  [=, &at] { add_sites(at.sum, lq::base::Bytes(at.file).first(sites * site_bytes), crc, 0, 1); }});
}

// Of vectors that are read to their place: with the checksum alone, and with the 64-bit sum of a slice.
void add_vectors(std::vector<Row>& rows, Buffers& at, InstructionSet set) {
  const SiteForm form{24, Precision::single, Precision::single, true};
  const std::size_t sites = most_bytes / 96;
  const SiteCrc crc(96, set);
  const std::string label = "turn and sum in place: " + std::string(name(set));
  rows.push_back({label, sites * 96, [=, &at] { turn_and_sum(form, crc, at.file.data(), sites, 0, 1, at.sum); }});
  rows.push_back({label + ", 64-bit sum", sites * 96,
                  [=, &at] { turn_and_sum(form, crc, at.file.data(), sites, 0, 1, at.sum, &at.weighted); }});
}

void add_main_memory(std::vector<Row>& rows, Buffers& at, InstructionSet set) {
  const SiteForm form{72, Precision::double_, Precision::double_, true};
  const SiteCrc crc(576, set);
  const std::size_t bytes = block_sites * 576;
  const std::string label(name(set));
  rows.push_back({"pack and sum: " + label, bytes, [=, &at] {
                    pack_and_sum(form, crc, at.next_block(), 576, block_sites, at.block.data(), 0, 1, at.sum);
                  }});
  rows.push_back({"unpack and sum: " + label, bytes, [=, &at] {
                    unpack_and_sum(form, crc, at.block.data(), block_sites, at.next_block(), 576, 0, 1, at.sum);
                  }});
  rows.push_back({"turn and sum in place: " + label, bytes,
                  [=, &at] { turn_and_sum(form, crc, at.next_block(), block_sites, 0, 1, at.sum); }});
}

}  // namespace

int main() {
  Buffers at;
  for (std::size_t i = 0; i < at.memory.size(); ++i) at.memory[i] = static_cast<std::byte>(i * 37 % 251);
  std::vector<Row> rows;
  add_baselines(rows, at, 576);
  for (const InstructionSet set : lq::kernels::instruction_sets_here()) {
    const SiteForm same{72, Precision::double_, Precision::double_, true};
    add_packing(rows, at, set, same, "double, swap", 0);
    add_packing(rows, at, set, same, "double, swap, strided", 576);
    add_packing(rows, at, set, {72, Precision::double_, Precision::double_, false}, "double", 0);
    add_packing(rows, at, set, {144, Precision::single, Precision::single, true}, "single, swap", 0);
    add_packing(rows, at, set, {144, Precision::double_, Precision::single, true}, "double in memory, single, swap", 0);
    add_packing(rows, at, set, {72, Precision::single, Precision::double_, true}, "single in memory, double, swap", 0);
    add_in_place(rows, at, set, 576, true);
  }
  print("Sites of 576 bytes in the file, in cache", rows);
  for (const std::uint64_t site_bytes : {4u, 8u, 12u, 24u, 48u, 96u, 192u, 288u, 1536u, 16384u}) {
    rows.clear();
    add_baselines(rows, at, site_bytes);
    for (const InstructionSet set : lq::kernels::instruction_sets_here())
      add_in_place(rows, at, set, site_bytes, false);
    print(("Sites of " + std::to_string(site_bytes) + " bytes, in cache").c_str(), rows);
  }
  rows.clear();
  add_baselines(rows, at, 96);
  for (const InstructionSet set : lq::kernels::instruction_sets_here()) add_vectors(rows, at, set);
  print("Vectors of 96 bytes a site, single, swap, in cache", rows);
  rows.clear();
  const std::size_t bytes = block_sites * 576;
  rows.push_back({"memcpy", bytes, [&] { std::memcpy(at.block.data(), at.next_block(), bytes); }});
  const SiteForm swap{72, Precision::double_, Precision::double_, true};
  rows.push_back({"pack", bytes, [&] { pack_sites(swap, at.next_block(), 576, block_sites, at.block.data()); }});
  for (const InstructionSet set : lq::kernels::instruction_sets_here()) add_main_memory(rows, at, set);
  print("Blocks of 512 KiB, sites of 576 bytes, double, swap; the field in main memory", rows);
  std::printf("(%08x)\n", static_cast<unsigned>(at.crc ^ at.sum.suma));  // so that nothing is optimised away
  return 0;
}
