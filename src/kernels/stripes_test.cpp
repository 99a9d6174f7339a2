// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Stripes of sites against plain loops over bytes, and the CRC-32 of streams.
#include "kernels/pack.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "kernels/crc32.hpp"

namespace lq::kernels {
namespace {

// Sites whose stripes of these lengths lie in memory in another order than in the site, each in an array of its own.
class Stripes {
 public:
  Stripes(const std::vector<std::size_t>& lengths, Precision precision, std::size_t sites)
      : number_bytes_(precision == Precision::single ? 4 : 8), sites_(sites) {
    const std::size_t longest = std::ranges::max(lengths);
    std::mt19937 random(5);
    for (const std::size_t length : lengths) {
      auto& array = arrays_.emplace_back(longest * places);
      std::ranges::generate(array, [&] { return static_cast<std::byte>(random()); });
      stripes_.push_back({array.data(), site_bytes_, length});
      site_bytes_ += length;
    }
    if (equal_pieces(stripes_) == 0) std::shuffle(stripes_.begin(), stripes_.end(), random);
    form_ = {site_bytes_ / number_bytes_, precision, precision, true};
    for (std::size_t k = 0; k < sites; ++k) {
      places_.push_back(static_cast<std::int64_t>((7 * k + 3) % places * (longest / number_bytes_)));
    }
    file_.resize(sites * site_bytes_ + 1);
    set_expected();
  }

  // Out of memory and back, in two runs of stripes or one, by the loops of a set.
  void check(InstructionSet set, bool sorted, std::size_t ahead) {
    const SiteCrc crc(site_bytes_, set);
    ASSERT_TRUE(has_stripe_loops(form_, crc));
    const std::size_t pieces = equal_pieces(stripes_);
    const auto memory = arrays_;
    std::ranges::fill(file_, std::byte{});
    move(sorted, ahead, [&](const isa::StripeRun& run) { take_stripes(form_, crc, pieces, run); });
    EXPECT_TRUE(file_ == expected_ && arrays_ == memory);
    for (auto& array : arrays_) std::ranges::fill(array, std::byte{});
    move(sorted, ahead, [&](const isa::StripeRun& run) { give_stripes(form_, crc, pieces, run); });
    EXPECT_TRUE(file_ == expected_ && arrays_ == given_);
    for (std::size_t a = 0; a < memory.size(); ++a) std::ranges::copy(memory[a], arrays_[a].begin());
  }

 private:
  static constexpr std::size_t places = 41;

  // What comes to be in the file, and in memory that was zero.
  void set_expected() {
    expected_ = file_;
    for (const auto& array : arrays_) given_.emplace_back(array.size());
    for (std::size_t k = 0; k < sites_; ++k) {
      std::byte* const site = expected_.data() + 1 + k * site_bytes_;
      for (const Stripe& stripe : stripes_) {
        std::size_t a = 0;
        while (stripe.memory != arrays_[a].data()) ++a;
        for (std::size_t i = 0; i < stripe.bytes; ++i) {
          const std::size_t at = static_cast<std::size_t>(places_[k]) * number_bytes_ + i;
          const std::size_t turned = i / number_bytes_ * number_bytes_ + number_bytes_ - 1 - i % number_bytes_;
          site[stripe.in_site + turned] = given_[a][at] = arrays_[a][at];
        }
      }
      crcs_.push_back(crc32_portable(0, {site, site_bytes_}));
    }
  }

  // Two runs, where there are two stripes, of bytes that are not aligned.
  template <class Move>
  void move(bool sorted, std::size_t ahead, const Move& go) {
    std::vector<std::size_t> order(sites_), file_at;
    std::iota(order.begin(), order.end(), 0U);
    std::shuffle(order.begin(), order.end(), std::mt19937(9));
    for (const std::size_t k : order) file_at.push_back(k * site_bytes_);
    struct alignas(64) Line {
      std::byte bytes[64];
    };
    std::vector<Line> sums(sites_);
    std::vector<std::uint32_t> crcs(sites_);
    const std::size_t half = stripes_.size() / 2;
    for (const bool is_last : {false, true}) {
      const std::size_t begin = is_last ? half : 0, end = is_last ? stripes_.size() : half;
      if (begin == end) continue;
      go({.stripes = stripes_.data() + begin,
          .count = end - begin,
          .places = places_.data(),
          .number_bytes = static_cast<std::ptrdiff_t>(number_bytes_),
          .sites = sites_,
          .file = file_.data() + 1,
          .order = sorted ? order.data() : nullptr,
          .file_at = file_at.data(),
          .site_bytes = site_bytes_,
          .ahead = ahead,
          .shared_by = 1 + ahead % 3,
          .sums = sums.data(),
          .is_first = begin == 0,
          .crcs = is_last ? crcs.data() : nullptr});
    }
    EXPECT_EQ(crcs, crcs_);
  }

  std::size_t number_bytes_, sites_, site_bytes_ = 0;
  SiteForm form_;
  std::vector<std::vector<std::byte>> arrays_, given_;
  std::vector<Stripe> stripes_;
  std::vector<std::int64_t> places_;
  std::vector<std::byte> file_, expected_;
  std::vector<std::uint32_t> crcs_;
};

TEST(Stripes, GoToFilesAndBackWithTheirSums) {
  const std::vector<std::vector<std::size_t>> all = {{144, 144, 144, 144},
                                                     {576},
                                                     {72, 72, 72, 72},
                                                     std::vector<std::size_t>(36, 16),
                                                     std::vector<std::size_t>(9, 16),
                                                     std::vector<std::size_t>(36, 8),
                                                     std::vector<std::size_t>(26, 8),
                                                     {8, 24, 16, 48},
                                                     {40, 8},
                                                     {16},
                                                     {192, 64, 8, 8, 32}};
  for (const InstructionSet set : instruction_sets_here()) {
    if (!has_stripe_loops({1, Precision::single, Precision::single, true}, SiteCrc(16, set))) continue;
    for (const auto& lengths : all) {
      for (const Precision precision : {Precision::single, Precision::double_}) {
        for (const std::size_t sites : {1U, 3U, 4U, 21U}) {
          Stripes stripes(lengths, precision, sites);
          for (const bool sorted : {false, true}) {
            for (const std::size_t ahead : {0U, 4U, 16U}) stripes.check(set, sorted, ahead);
          }
          if (HasFailure()) FAIL() << name(set) << ", stripes of " << lengths.front() << " bytes";
        }
      }
    }
  }
}

// Other forms take the way by a buffer.
TEST(Stripes, HaveLoopsWhereOnlyTheByteOrderTurns) {
  const SiteCrc whole(576), odd(572);
  const bool has_loops = has_stripe_loops({144, Precision::single, Precision::single, true}, whole);
  EXPECT_EQ(has_loops, whole.loops().take_stripes[0].any != nullptr);
  EXPECT_FALSE(has_stripe_loops({144, Precision::single, Precision::single, false}, whole));
  EXPECT_FALSE(has_stripe_loops({144, Precision::double_, Precision::single, true}, whole));
  EXPECT_FALSE(has_stripe_loops({143, Precision::single, Precision::single, true}, odd));
}

}  // namespace
}  // namespace lq::kernels
