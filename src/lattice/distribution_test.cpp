// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Distributions and their intersections, against plain loops over all numbers of a small field.
#include "lattice/distribution.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include <limequat/error.hpp>

#include "lattice/decomposition.hpp"
#include "lattice/runs.hpp"
#include "support/error_of.hpp"
#include "support/random_geometry.hpp"

namespace lq::lattice {
namespace {

using testing::error_of;
using testing::RandomGeometry;

// All numbers, the first axis fastest.
std::vector<Index> all_of(const Index& extents) {
  std::vector<Index> all{Index::filled(extents.size(), 0)};
  for (int axis = 0; axis < extents.size(); ++axis) {
    const std::vector<Index> before = all;
    all.clear();
    for (std::int64_t i = 0; i < extents[axis]; ++i) {
      for (Index x : before) {
        x[axis] = i;
        all.push_back(x);
      }
    }
  }
  return all;
}

int parity_of(const Index& x, int dimensions) {
  std::int64_t sum = 0;
  for (int d = 0; d < dimensions; ++d) sum += x[d];
  return static_cast<int>(sum % 2);
}

// --- what is laid, against formulas written by hand -------------------------------------------------------------

TEST(Distribution, OfAnIldgFileRunsFromReOrImToT) {
  // x y z t mu row column part
  const Index extents{4, 3, 2, 5, 4, 3, 3, 2};
  Distribution file(extents);
  for (const int axis : {7, 6, 5, 4, 0, 1, 2, 3}) file.append_axis(axis);
  for (const Index& x : all_of(extents)) {
    const std::int64_t site = x[0] + 4 * (x[1] + 3 * (x[2] + 2 * x[3]));
    const Place expected{0, ((((site * 4 + x[4]) * 3 + x[5]) * 3 + x[6]) * 2 + x[7])};
    ASSERT_EQ(file.place_of(x), expected);
  }
}

TEST(Distribution, OfAProcessGridIsThatOfADecomposition) {
  const Extents extents{7, 5, 4}, processes{3, 2, 1};
  const Decomposition decomposition(extents, processes);
  Distribution memory{Index(extents)};
  for (int d = 0; d < 3; ++d) memory.cut_into_blocks(d, static_cast<std::uint64_t>(processes[d]));
  for (int d = 0; d < 3; ++d) memory.append_axis(d);
  for (const Index& x : all_of(Index(extents))) {
    const Coord site{x[0], x[1], x[2]};
    const int rank = decomposition.owner(site);
    const Box box = decomposition.box_of(rank);
    const std::vector<Coord> sites = testing::sites_of(box);
    const std::int64_t number = std::find(sites.begin(), sites.end(), site) - sites.begin();
    ASSERT_EQ(memory.place_of(x), (Place{static_cast<std::uint64_t>(rank), number}));
  }
}

TEST(Distribution, OfFourArraysHasOneForEachDirection) {
  const Index extents{2, 2, 2, 2, 4, 18};
  Distribution arrays(extents);
  arrays.cut_into_blocks(4, 4);
  for (const int axis : {4, 5, 0, 1, 2, 3}) arrays.append_axis(axis);
  for (const Index& x : all_of(extents)) {
    const std::int64_t site = x[0] + 2 * (x[1] + 2 * (x[2] + 2 * x[3]));
    ASSERT_EQ(arrays.place_of(x), (Place{static_cast<std::uint64_t>(x[4]), site * 18 + x[5]}));
  }
}

TEST(Distribution, OfBlocksOfFourNumbersPutsThemBesideTheSites) {
  // 24 numbers of a site in blocks of 4: number n of site s is number n mod 4 of the four at (n / 4) * sites + s.
  const Index extents{3, 4, 24};
  Distribution device(extents);
  device.append_digit(2, 1, 4).append_axis(0).append_axis(1).append_digit(2, 4, 0);
  for (const Index& x : all_of(extents)) {
    const std::int64_t site = x[0] + 3 * x[1];
    ASSERT_EQ(device.place_of(x).position, ((x[2] / 4) * 12 + site) * 4 + x[2] % 4);
  }
}

TEST(Distribution, OfLanesPutsSitesThatLieFarApartSideBySide) {
  // Two lanes in x and two in y: virtual nodes of 3 by 2 sites.
  const Index extents{6, 4};
  Distribution lanes(extents);
  lanes.append_digit(0, 3, 2).append_digit(1, 2, 2).append_digit(0, 1, 3).append_digit(1, 1, 2);
  for (const Index& x : all_of(extents)) {
    const std::int64_t lane = x[0] / 3 + 2 * (x[1] / 2), inner = x[0] % 3 + 3 * (x[1] % 2);
    ASSERT_EQ(lanes.place_of(x).position, inner * 4 + lane);
  }
}

TEST(Distribution, OfEvenAndOddSitesCountsEachParityInItsOwnOrder) {
  for (const Index& extents : {Index{4, 4, 2}, Index{3, 4, 5}, Index{3, 3, 3}, Index{5, 2, 1}}) {
    Distribution memory(extents);
    memory.append_even_odd({0, 1, 2}).append_parity();
    const std::vector<Index> all = all_of(extents);
    const auto half = static_cast<std::int64_t>((all.size() + 1) / 2);
    std::int64_t seen[2] = {0, 0};
    for (const Index& x : all) {
      const int parity = parity_of(x, 3);
      ASSERT_EQ(memory.place_of(x).position, parity * half + seen[parity]);
      ++seen[parity];
    }
  }
}

TEST(Distribution, OfOneParityHoldsNothingElse) {
  Distribution odd(Index{4, 6});
  odd.keep_parity(1).append_even_odd({0, 1});
  const Part part = odd.part(0);
  std::int64_t seen = 0;
  for (const Index& x : all_of(odd.extents())) {
    ASSERT_EQ(part.holds(x), parity_of(x, 2) == 1);
    if (!part.holds(x)) continue;
    ASSERT_EQ(part.position(x), seen++);
  }
}

TEST(Distribution, WithAHaloLeavesRoomOnBothSides) {
  Distribution memory(Index{4, 3});
  memory.append_padded(0, 1, 2).append_padded(1, 2, 1);
  EXPECT_EQ(memory.place_of({0, 0}).position, 1 + 7 * 2);
  EXPECT_EQ(memory.place_of({3, 2}).position, 4 + 7 * 4);
  EXPECT_EQ(memory.positions(0), 42u);
}

TEST(Distribution, DealsOutBlockCyclically) {
  Distribution cyclic(Index{11});
  cyclic.cut_cyclically(0, 2, 3).append_axis(0);
  const std::map<std::int64_t, Place> some{{0, {0, 0}}, {1, {0, 1}}, {2, {1, 0}}, {5, {2, 1}},
                                           {6, {0, 2}}, {9, {1, 3}}, {10, {2, 2}}};
  for (const auto& [x, place] : some) EXPECT_EQ(cyclic.place_of({x}), place) << x;
}

TEST(Distribution, RefusesWhatIsNotLaidJustOnce) {
  const auto refused = [](Distribution distribution) { return error_of([&] { (void)distribution.part(0); }).code(); };
  const Distribution square(Index{4, 4});
  EXPECT_EQ(refused(Distribution(square).append_axis(0)), Code::invalid_argument);
  EXPECT_EQ(refused(Distribution(square).append_axis(0).append_axis(1).append_axis(0)), Code::invalid_argument);
  EXPECT_EQ(refused(Distribution(square).append_axis(0).append_digit(1, 1, 3)), Code::invalid_argument);
  EXPECT_EQ(refused(Distribution(square).append_axis(0).append_digit(1, 1, 2).append_digit(1, 1, 2)),
            Code::invalid_argument);
  EXPECT_EQ(refused(Distribution(square).append_even_odd({0, 1})), Code::invalid_argument);
  EXPECT_EQ(refused(Distribution(square).append_axis(0).append_axis(1).append_parity()), Code::invalid_argument);
  EXPECT_EQ(refused(Distribution(Index{12}).cut_cyclically(0, 3, 2).cut_cyclically(0, 2, 2).append_axis(0)),
            Code::invalid_argument);
  EXPECT_EQ(refused(Distribution(Index{12}).cut_cyclically(0, 1, 2).cut_into_blocks(0, 2).append_digit(0, 1, 3)),
            Code::ok);
  EXPECT_EQ(error_of([&] { Distribution(Index{4, 0}); }).code(), Code::invalid_argument);
  EXPECT_EQ(error_of([&] { Distribution(Index{std::int64_t{1} << 62, 4}); }).code(), Code::too_large);
}

// --- laws, for whatever distribution ----------------------------------------------------------------------------

// Divisors of a number, 1 and itself among them.
std::int64_t random_divisor(RandomGeometry& random, std::int64_t number) {
  std::vector<std::int64_t> divisors;
  for (std::int64_t d = 1; d <= number; ++d) {
    if (number % d == 0) divisors.push_back(d);
  }
  return divisors[static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(divisors.size()) - 1))];
}

struct Sketch {
  int axis = 0;
  std::uint64_t unit = 0, radix = 0;  // unit 0: the whole axis
  std::uint64_t halo = 0;
};

std::vector<int> order_of(RandomGeometry& random, int axes) {
  SiteOrder order = random.order(axes);
  for (int axis = 0; order.size() < static_cast<std::size_t>(axes); ++axis) order.push_back(axis);
  return order;
}

void lay_in_random_order(RandomGeometry& random, Distribution& distribution, std::vector<Sketch> digits) {
  for (const int k : order_of(random, static_cast<int>(digits.size()))) {
    const Sketch& digit = digits[static_cast<std::size_t>(k)];
    if (digit.unit > 0) {
      distribution.append_digit(digit.axis, digit.unit, digit.radix);
    } else if (digit.halo > 0) {
      distribution.append_padded(digit.axis, digit.halo, digit.halo - 1);
    } else {
      distribution.append_axis(digit.axis);
    }
  }
}

Distribution random_distribution(RandomGeometry& random, const Index& extents) {
  Distribution distribution(extents);
  std::vector<Sketch> digits;
  const bool even_odd = random.between(0, 2) == 0;
  const int dimensions = even_odd ? static_cast<int>(random.between(1, extents.size())) : 0;
  for (int axis = 0; axis < extents.size(); ++axis) {
    const std::int64_t all = extents[axis];
    switch (random.between(0, 4)) {
      case 0:
        distribution.cut_into_blocks(axis, static_cast<std::uint64_t>(random.between(1, all)));
        break;
      case 1:
        if (axis >= dimensions) {
          distribution.cut_cyclically(axis, static_cast<std::uint64_t>(random.between(1, 2)),
                                      static_cast<std::uint64_t>(random.between(1, 3)));
        }
        break;
      default:
        if (axis >= dimensions) {
          // Blocks of the same extent, or one; three digits within each.
          const std::int64_t blocks = random.between(0, 1) == 0 ? random_divisor(random, all) : 1;
          const std::int64_t extent = all / blocks;
          if (blocks > 1) distribution.cut_into_blocks(axis, static_cast<std::uint64_t>(blocks));
          const std::int64_t inner = random_divisor(random, extent);
          const std::int64_t middle = random_divisor(random, extent / inner);
          digits.push_back({axis, 1, static_cast<std::uint64_t>(inner)});
          digits.push_back({axis, static_cast<std::uint64_t>(inner), static_cast<std::uint64_t>(middle)});
          digits.push_back({axis, static_cast<std::uint64_t>(inner * middle), 0});
        }
        continue;
    }
    if (axis >= dimensions) digits.push_back({axis, 0, 0, static_cast<std::uint64_t>(random.between(0, 2))});
  }
  if (!even_odd) {
    lay_in_random_order(random, distribution, digits);
    return distribution;
  }
  distribution.append_even_odd(order_of(random, dimensions));
  const bool keeps_one = random.between(0, 1) == 0;
  if (keeps_one) distribution.keep_parity(static_cast<int>(random.between(0, 1)));
  lay_in_random_order(random, distribution, digits);
  if (!keeps_one) distribution.append_parity();
  return distribution;
}

Index random_extents(RandomGeometry& random) { return Index(random.extents(12, 400)); }

TEST(Distribution, PutsEveryNumberInOnePlaceOfItsOwn) {
  for (std::uint32_t seed = 0; seed < 400; ++seed) {
    RandomGeometry random(seed);
    const Distribution distribution = random_distribution(random, random_extents(random));
    std::vector<Part> parts;
    for (std::uint64_t number = 0; number < distribution.parts(); ++number) parts.push_back(distribution.part(number));
    std::set<std::pair<std::uint64_t, std::int64_t>> taken;
    for (const Index& x : all_of(distribution.extents())) {
      std::vector<std::uint64_t> holders;
      for (std::uint64_t number = 0; number < parts.size(); ++number) {
        if (parts[number].holds(x)) holders.push_back(number);
      }
      const std::uint64_t home = distribution.part_of(x);
      const bool left_out = parts[home].parity && holders.empty();
      if (left_out) continue;
      ASSERT_EQ(holders, std::vector<std::uint64_t>{home}) << "seed " << seed;
      const std::int64_t position = parts[home].position(x);
      ASSERT_GE(position, 0) << "seed " << seed;
      ASSERT_LT(position, static_cast<std::int64_t>(distribution.positions(home))) << "seed " << seed;
      ASSERT_TRUE(taken.emplace(home, position).second) << "seed " << seed;
    }
  }
}

// Cuts one after the other, as lists of the coordinates that each part has left.
struct PlainCut {
  int axis = 0;
  std::int64_t unit = 0, parts = 1;  // unit 0: blocks
};

std::vector<std::int64_t> left_by(const PlainCut& cut, std::int64_t value, const std::vector<std::int64_t>& before) {
  std::vector<std::int64_t> left;
  const auto all = static_cast<std::int64_t>(before.size());
  for (std::int64_t k = 0; k < all; ++k) {
    // The first all mod parts blocks have one more.
    const std::int64_t small = all / cut.parts, more = all % cut.parts, in_large = more * (small + 1);
    const std::int64_t block =
        k < in_large ? k / (small + 1) : more + (k - in_large) / std::max<std::int64_t>(small, 1);
    if ((cut.unit == 0 ? block : k / cut.unit % cut.parts) == value)
      left.push_back(before[static_cast<std::size_t>(k)]);
  }
  return left;
}

// One axis or two, cut up to five times with units of which each divides the next or the other way round.
std::vector<PlainCut> random_cuts(RandomGeometry& random, int axes) {
  std::vector<PlainCut> cuts;
  for (std::int64_t n = random.between(1, 5); n > 0; --n) {
    const std::int64_t unit = random.between(0, 1) == 0 ? 0 : std::int64_t{1} << random.between(0, 2);
    cuts.push_back({static_cast<int>(random.between(0, axes - 1)), unit,
                    unit == 0 ? random.between(1, 3) : std::int64_t{1} << random.between(0, 2)});
  }
  return cuts;
}

Distribution cut_like(const Index& extents, const std::vector<PlainCut>& cuts) {
  Distribution distribution(extents);
  for (const PlainCut& cut : cuts) {
    const auto parts = static_cast<std::uint64_t>(cut.parts);
    if (cut.unit == 0) {
      distribution.cut_into_blocks(cut.axis, parts);
    } else {
      distribution.cut_cyclically(cut.axis, static_cast<std::uint64_t>(cut.unit), parts);
    }
  }
  for (int axis = 0; axis < extents.size(); ++axis) distribution.append_axis(axis);
  return distribution;
}

TEST(Distribution, CutsAgainWithinThePartsThatThereAre) {
  int fitting = 0;
  for (std::uint32_t seed = 0; seed < 1500; ++seed) {
    RandomGeometry random(seed);
    const Index extents{random.between(1, 40), random.between(1, 5)};
    const std::vector<PlainCut> cuts = random_cuts(random, 2);
    const Distribution distribution = cut_like(extents, cuts);
    for (std::uint64_t number = 0; number < distribution.parts(); ++number) {
      std::vector<std::vector<std::int64_t>> left(2);
      for (int axis = 0; axis < 2; ++axis) {
        for (std::int64_t x = 0; x < extents[axis]; ++x) left[static_cast<std::size_t>(axis)].push_back(x);
      }
      std::uint64_t rest = number;
      for (const PlainCut& cut : cuts) {
        auto& axis = left[static_cast<std::size_t>(cut.axis)];
        axis = left_by(cut, static_cast<std::int64_t>(rest % static_cast<std::uint64_t>(cut.parts)), axis);
        rest /= static_cast<std::uint64_t>(cut.parts);
      }
      Part part;
      const Error error = error_of([&] { part = distribution.part(number); });
      if (error.code() != Code::ok) {  // units that do not fit blocks of what was dealt out before
        ASSERT_EQ(error.code(), Code::invalid_argument) << "seed " << seed;
        continue;
      }
      ++fitting;
      std::int64_t position = 0;
      for (const std::int64_t y : left[1]) {
        for (const std::int64_t x : left[0]) {
          ASSERT_EQ(distribution.part_of({x, y}), number) << "seed " << seed;
          ASSERT_TRUE(part.holds({x, y})) << "seed " << seed;
          ASSERT_EQ(part.position({x, y}), position++) << "seed " << seed;
        }
      }
      ASSERT_EQ(static_cast<std::int64_t>(distribution.positions(number)), position) << "seed " << seed;
      const std::vector<Index> all = all_of(extents);
      ASSERT_EQ(std::ranges::count_if(all, [&](const Index& x) { return part.holds(x); }), position) << "seed " << seed;
    }
  }
  EXPECT_GT(fitting, 5000);
}

using Pairs = std::vector<std::pair<std::int64_t, std::int64_t>>;

Pairs pairs_by_counting(const Index& extents, const Part& a, const Part& b) {
  Pairs pairs;
  for (const Index& x : all_of(extents)) {
    if (a.holds(x) && b.holds(x)) pairs.emplace_back(a.position(x), b.position(x));
  }
  std::ranges::sort(pairs);
  return pairs;
}

std::vector<SpacedRun> runs_of(const Part& a, const Part& b, Runs::Lead lead) {
  const std::array<const Part*, 2> parts{&a, &b};
  Runs runs(parts, lead);
  std::vector<SpacedRun> result;
  for (SpacedRun run; runs.next(run);) result.push_back(run);
  return result;
}

Pairs pairs_by_runs(const std::vector<SpacedRun>& runs) {
  Pairs pairs;
  for (const SpacedRun& run : runs) {
    for (std::uint64_t k = 0; k < run.count; ++k) {
      const auto n = static_cast<std::int64_t>(k);
      pairs.emplace_back(run.position[0] + n * run.stride[0], run.position[1] + n * run.stride[1]);
    }
  }
  return pairs;
}

TEST(Runs, CoverWhatTwoPartsHaveInCommonOnceAndFromFrontToBack) {
  for (std::uint32_t seed = 0; seed < 600; ++seed) {
    RandomGeometry random(seed);
    const Index extents = random_extents(random);
    const Distribution one = random_distribution(random, extents), other = random_distribution(random, extents);
    for (int trial = 0; trial < 4; ++trial) {
      const Part a =
          one.part(static_cast<std::uint64_t>(random.between(0, static_cast<std::int64_t>(one.parts()) - 1)));
      const Part b =
          other.part(static_cast<std::uint64_t>(random.between(0, static_cast<std::int64_t>(other.parts()) - 1)));
      const Pairs expected = pairs_by_counting(extents, a, b);
      const std::vector<SpacedRun> spaced = runs_of(a, b, Runs::Lead::evenly_spaced);
      Pairs found = pairs_by_runs(spaced);
      for (std::size_t k = 1; k < spaced.size(); ++k) {
        ASSERT_LT(spaced[k - 1].position[0], spaced[k].position[0]) << "seed " << seed;
      }
      std::ranges::sort(found);
      ASSERT_EQ(found, expected) << "seed " << seed;
      // Without gaps in the leading part they ascend throughout.
      const std::vector<SpacedRun> contiguous = runs_of(a, b, Runs::Lead::contiguous);
      ASSERT_EQ(pairs_by_runs(contiguous), expected) << "seed " << seed;
    }
  }
}

TEST(Runs, CoverWhatPartsOfPartsHaveInCommon) {
  for (std::uint32_t seed = 0; seed < 600; ++seed) {
    RandomGeometry random(seed);
    const Index extents{random.between(1, 40), random.between(1, 5)};
    const Distribution one = cut_like(extents, random_cuts(random, 2)),
                       other = cut_like(extents, random_cuts(random, 2));
    const auto a = static_cast<std::uint64_t>(random.between(0, static_cast<std::int64_t>(one.parts()) - 1));
    const auto b = static_cast<std::uint64_t>(random.between(0, static_cast<std::int64_t>(other.parts()) - 1));
    std::vector<Part> parts;
    if (error_of([&] { parts = {one.part(a), other.part(b)}; }).code() != Code::ok) continue;
    ASSERT_EQ(pairs_by_runs(runs_of(parts[0], parts[1], Runs::Lead::contiguous)),
              pairs_by_counting(extents, parts[0], parts[1]))
        << "seed " << seed;
  }
}

// Whether `next` only goes on where `run` ends.
bool continues(const SpacedRun& run, const SpacedRun& next) {
  for (std::size_t p = 0; p < 2; ++p) {
    const std::int64_t step = run.count > 1 ? run.stride[p] : next.position[p] - run.position[p];
    if (next.position[p] != run.position[p] + static_cast<std::int64_t>(run.count) * step) return false;
    if (next.count > 1 && next.stride[p] != step) return false;
    if (p == 0 && step != 1) return false;
  }
  return true;
}

TEST(Runs, AreAsLongAsTheyCanBe) {
  for (std::uint32_t seed = 0; seed < 400; ++seed) {
    RandomGeometry random(seed);
    const Index extents = random_extents(random);
    const Part a = random_distribution(random, extents).part(0), b = random_distribution(random, extents).part(0);
    const std::vector<SpacedRun> runs = runs_of(a, b, Runs::Lead::contiguous);
    for (std::size_t k = 1; k < runs.size(); ++k) {
      ASSERT_FALSE(continues(runs[k - 1], runs[k])) << "seed " << seed << ", run " << k;
    }
  }
}

TEST(Runs, BeginWhereTheyAreSought) {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    RandomGeometry random(seed);
    const Index extents = random_extents(random);
    const Part a = random_distribution(random, extents).part(0), b = random_distribution(random, extents).part(0);
    const Pairs all = pairs_by_counting(extents, a, b);
    const std::array<const Part*, 2> parts{&a, &b};
    Runs runs(parts, Runs::Lead::contiguous);
    for (int trial = 0; trial < 10; ++trial) {
      const std::int64_t sought = random.between(-1, 420);
      runs.seek(sought);
      Pairs found;
      for (SpacedRun run; runs.next(run);) {
        for (std::uint64_t k = 0; k < run.count; ++k) {
          const std::int64_t lead = run.position[0] + static_cast<std::int64_t>(k);
          if (lead < sought) continue;
          found.emplace_back(lead, run.position[1] + static_cast<std::int64_t>(k) * run.stride[1]);
        }
        ASSERT_GE(run.position[0] + static_cast<std::int64_t>(run.count) - 1, sought) << "seed " << seed;
      }
      const Pairs expected(std::ranges::lower_bound(all, std::pair(sought, std::int64_t{-1})), all.end());
      ASSERT_EQ(found, expected) << "seed " << seed << ", position " << sought;
    }
  }
}

TEST(Runs, FollowThreePartsAtOnce) {
  const Part lead = Part::of_box({0, 0}, {4, 6}, {0, 1}), memory = Part::of_box({1, 2}, {2, 3}, {1, 0}),
             place = Part::of_box({0, 0}, {4, 6}, {1, 0});
  const std::array<const Part*, 3> parts{&lead, &memory, &place};
  Runs runs(parts, Runs::Lead::contiguous);
  EXPECT_EQ(runs.count(), 3u);
  SpacedRun run;
  ASSERT_TRUE(runs.next(run));
  EXPECT_EQ(run.count, 2u);
  EXPECT_EQ(run.position, (std::array<std::int64_t, 3>{9, 0, 8}));
  EXPECT_EQ(run.stride, (std::array<std::int64_t, 3>{1, 3, 6}));
}

TEST(Runs, OfTheSameEvenOddOrderAreOne) {
  Distribution memory(Index{4, 4, 4, 3});
  memory.append_axis(3).append_even_odd({0, 1, 2}).append_parity();
  const Part part = memory.part(0);
  const std::vector<SpacedRun> runs = runs_of(part, part, Runs::Lead::contiguous);
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].count, 192u);
}

TEST(Runs, OfPartsThatHaveNothingInCommonAreNone) {
  Distribution slices(Index{4, 4});
  slices.cut_into_blocks(1, 2).append_axis(0).append_axis(1);
  EXPECT_TRUE(runs_of(slices.part(0), slices.part(1), Runs::Lead::contiguous).empty());
  Distribution dealt(Index{6});
  dealt.cut_cyclically(0, 1, 2).append_axis(0);
  EXPECT_TRUE(runs_of(dealt.part(0), dealt.part(1), Runs::Lead::contiguous).empty());
}

TEST(Runs, OfAnEmptyPartOfOneParityAreNone) {
  Distribution halves(Index{1, 2});
  halves.cut_into_blocks(0, 2).keep_parity(0).append_even_odd({0, 1});
  const Part empty = halves.part(1);  // the second block of an axis of one coordinate
  EXPECT_TRUE(runs_of(empty, halves.part(0), Runs::Lead::contiguous).empty());
  EXPECT_EQ(halves.positions(1), 0U);
}

}  // namespace
}  // namespace lq::lattice
