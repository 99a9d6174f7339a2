// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sites in a file of the caller's, against the layout: site k of the small_lattice at offset + k * site bytes,
// big-endian.
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <mutex>

#include <limequat/error.hpp>
#include <limequat/storage.hpp>

#include "support/error_of.hpp"
#include "support/formula_field.hpp"
#include "support/thread_comm.hpp"
#include "support/ways_here.hpp"

namespace lq {
namespace {

// Bytes in memory, some of them before and after the sites.
class MemoryStorage final : public Storage {
 public:
  explicit MemoryStorage(std::size_t bytes) : bytes_(bytes, std::byte{0x55}) {}
  std::string path() const override { return "mine"; }
  void write_at(std::uint64_t offset, std::span<const std::byte> bytes) override {
    const std::lock_guard lock(mutex_);
    ASSERT_LE(offset + bytes.size(), bytes_.size());
    std::memcpy(bytes_.data() + offset, bytes.data(), bytes.size());
  }
  std::size_t read_at(std::uint64_t offset, std::span<std::byte> bytes) override {
    const std::lock_guard lock(mutex_);
    const std::size_t count = offset < bytes_.size() ? std::min(bytes.size(), bytes_.size() - offset) : 0;
    std::memcpy(bytes.data(), bytes_.data() + offset, count);
    return count;
  }
  double number(std::size_t at) const {
    std::uint64_t bits = 0;
    std::memcpy(&bits, bytes_.data() + at, 8);
    return std::bit_cast<double>(std::endian::native == std::endian::little ? __builtin_bswap64(bits) : bits);
  }
  std::byte byte(std::size_t at) const { return bytes_[at]; }
  void truncate(std::size_t bytes) { bytes_.resize(bytes); }

 private:
  std::vector<std::byte> bytes_;
  std::mutex mutex_;
};

const Extents small_lattice{4, 4, 2, 6};
constexpr std::size_t sites = 4 * 4 * 2 * 6, site_bytes = 144, offset = 1001;

class SitesInStorage : public ::testing::TestWithParam<Strategy> {
 protected:
  static void on_ranks(const std::function<void(const Grid&)>& body) {
    testing::run_ranks(4, [&](std::shared_ptr<comm::Comm> comm) {
      body(Grid(Communicator(std::move(comm)), small_lattice, {.processes = Extents{2, 2, 1, 1}}));
    });
  }
  static SiteOptions options() { return {.route = {.strategy = GetParam(), .chunk_bytes = 4096}}; }
  MemoryStorage storage_{offset + sites * site_bytes + 77};
};

TEST_P(SitesInStorage, LieAtTheirPlacesAndNothingElseIsTouched) {
  on_ranks([&](const Grid& grid) {
    const std::vector<double> values = testing::formula_sites<double>(grid, 18);
    const FieldSpec spec = generic_spec(Precision::double_, 18, false);
    const Payload payload = payload_at(offset, spec, small_lattice);
    const Report report = write_sites(storage_, payload, grid, field_in(values, spec), options());
    EXPECT_EQ(report.bytes, sites * site_bytes);
    std::vector<double> back(values.size());
    const Report read = read_sites(storage_, payload, grid, field_in(back, spec), options());
    EXPECT_EQ(back, values);
    EXPECT_EQ(read.checksum, report.checksum);
    EXPECT_NE(read.checksum, Checksum{});
  });
  for (std::size_t site = 0; site < sites; ++site) {
    for (std::size_t n = 0; n < 18; ++n) {
      ASSERT_EQ(storage_.number(offset + site * site_bytes + n * 8), testing::formula(site, n));
    }
  }
  for (std::size_t i = 0; i < offset; ++i) EXPECT_EQ(storage_.byte(i), std::byte{0x55});
  for (std::size_t i = 0; i < 77; ++i) EXPECT_EQ(storage_.byte(offset + sites * site_bytes + i), std::byte{0x55});
}

TEST_P(SitesInStorage, ThatEndsEarlyAreTruncatedOnAllRanks) {
  storage_.truncate(offset + sites * site_bytes / 2);
  on_ranks([&](const Grid& grid) {
    std::vector<double> back(static_cast<std::size_t>(grid.local_volume() * 18));
    const FieldSpec spec = generic_spec(Precision::double_, 18, false);
    const Error error = testing::error_of(
        [&] { read_sites(storage_, payload_at(offset, spec, small_lattice), grid, field_in(back, spec), options()); });
    EXPECT_EQ(error.code(), Code::truncated);
    EXPECT_EQ(error.facts().path, "mine");
  });
}

TEST_P(SitesInStorage, OfAnotherLatticeAreRefused) {
  on_ranks([&](const Grid& grid) {
    const std::vector<double> values(static_cast<std::size_t>(grid.local_volume() * 18));
    const FieldSpec spec = generic_spec(Precision::double_, 18, false);
    const Error error = testing::error_of([&] {
      write_sites(storage_, payload_at(offset, spec, {4, 4, 2, 7}), grid, field_in(values, spec), options());
    });
    EXPECT_EQ(error.code(), Code::invalid_argument);
  });
}

INSTANTIATE_TEST_SUITE_P(By, SitesInStorage, ::testing::ValuesIn(testing::strategies_here()));

}  // namespace
}  // namespace lq
