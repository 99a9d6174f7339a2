// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Checksums per slice and in all, against the published vectors of the SciDAC checksum.
#include "pump/site_packer.hpp"

#include <gtest/gtest.h>

#include "kernels/digest.hpp"

namespace lq::pump {
namespace {

// Byte k of site r is (7r + k) & 255; 576 bytes per site on 4x4x4x8.
Payload vector_payload() {
  Payload payload;
  payload.spec = gauge_spec(Precision::double_, 3, 4);
  payload.spec.numbers = 72;
  payload.extents = {4, 4, 4, 8};
  payload.stored = whole(payload.extents);
  return payload;
}

std::vector<std::byte> vector_bytes() {
  std::vector<std::byte> bytes(512 * 576);
  for (std::size_t r = 0; r < 512; ++r) {
    for (std::size_t k = 0; k < 576; ++k) bytes[r * 576 + k] = static_cast<std::byte>((7 * r + k) & 255);
  }
  return bytes;
}

const SitePacker& packer() {
  static const SitePacker one(vector_payload(), Precision::double_, true);
  return one;
}

TEST(SliceSums, TotalIsThePublishedChecksumHoweverTheSitesArrive) {
  const std::vector<std::byte> bytes = vector_bytes();
  for (std::size_t step : {1U, 5U, 64U, 100U, 512U}) {
    SliceSums sums(vector_payload());
    for (std::size_t site = 0; site < 512; site += step) {
      const std::size_t n = std::min(step, 512 - site);
      packer().sum(base::Bytes(bytes).subspan(site * 576, n * 576), {site, n, site, 1}, sums);
    }
    EXPECT_EQ(sums.total(), (Checksum{0x5e8de3fc, 0xa4da5b58}));
    EXPECT_EQ(sums.slices().size(), 8U);
  }
}

TEST(SliceSums, OfASliceAreTheSumsOfItsSitesAlone) {
  const std::vector<std::byte> bytes = vector_bytes();
  SliceSums sums(vector_payload());
  packer().sum(bytes, {0, 512, 0, 1}, sums);
  Checksum third;
  kernels::add_sites(third, base::Bytes(bytes).subspan(3 * 64 * 576, 64 * 576), 576, 3 * 64, 1);
  EXPECT_EQ(sums.slices().at(3), third);
}

TEST(SliceSums, OfTooManySlicesAreKeptInAllOnly) {
  Payload payload = vector_payload();
  payload.extents = {1, 1, 1, std::int64_t{1} << 40};
  payload.stored = whole(payload.extents);
  const SliceSums sums(payload);
  EXPECT_TRUE(sums.slices().empty());
}

}  // namespace
}  // namespace lq::pump
