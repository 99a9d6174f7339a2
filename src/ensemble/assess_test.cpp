// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ensemble/ensemble.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "ensemble/files.hpp"
#include "ensemble/remarks.hpp"

namespace lq::ensemble {
namespace {

TEST(TrajectoryGaps, AreAtTheStepThatMostHave) {
  const auto gaps = gaps_in({100, 10, 20, 30, 60, 70, 70, 80});
  ASSERT_TRUE(gaps);
  EXPECT_EQ(gaps->first, 10);
  EXPECT_EQ(gaps->last, 100);
  EXPECT_EQ(gaps->step, 10);
  EXPECT_EQ(gaps->count, 3U);
  EXPECT_EQ(gaps->missing, (std::vector<std::int64_t>{40, 50, 90}));
}

TEST(TrajectoryGaps, CountNamesInUnitsOfTheTexts) {
  // conf.0010 states trajectory 1, conf.0020 2, ...; conf.0080 is empty, conf.0085 does not fit.
  std::vector<Member> series;
  for (const std::int64_t number : {1, 2, 3, 4, 5, 6}) {
    series.emplace_back().in_text = number;
    series.back().in_name = 10 * number;
  }
  series.emplace_back().in_name = 80;
  series.emplace_back().in_name = 85;
  EXPECT_EQ(numbers_of(series), (std::vector<std::int64_t>{1, 2, 3, 4, 5, 6, 8}));
}

TEST(TrajectoryGaps, AreNoneBetweenNamesAndANumberThatBothTextsState) {
  std::vector<Member> series(2);
  series[0].in_name = 10, series[1].in_name = 20;
  for (Member& file : series) file.in_text = 2;  // sweeps
  EXPECT_EQ(numbers_of(series), (std::vector<std::int64_t>{10, 20}));
  for (Member& file : series) file.in_name = 2;  // conf.2 and conf.002
  EXPECT_EQ(numbers_of(series), (std::vector<std::int64_t>{2, 2, 2, 2}));
}

TEST(TrajectoryGaps, AreNoneInWholeOrShortSeries) {
  EXPECT_FALSE(gaps_in({5, 10, 15, 20}));
  EXPECT_FALSE(gaps_in({1, 100}));
  EXPECT_FALSE(gaps_in({7, 7, 7}));
  EXPECT_FALSE(gaps_in({}));
}

TEST(TrajectoryGaps, AreNoneWhereTheStepChanges) {
  std::vector<std::int64_t> numbers;
  for (std::int64_t t = 0; t <= 100; t += 10) numbers.push_back(t);
  for (std::int64_t t = 120; t <= 220; t += 20) numbers.push_back(t);
  EXPECT_FALSE(gaps_in(numbers));
  std::erase(numbers, 50);
  std::erase(numbers, 180);
  const auto gaps = gaps_in(numbers);
  ASSERT_TRUE(gaps);
  EXPECT_EQ(gaps->missing.front(), 50);
}

// Steps of 10, then of 20: one missing number in each part, and none at the change.
TEST(TrajectoryGaps, AreCountedInTheStepsAroundThem) {
  std::vector<std::int64_t> numbers;
  for (std::int64_t t = 10; t <= 500; t += 10) numbers.push_back(t);
  for (std::int64_t t = 520; t <= 1200; t += 20) numbers.push_back(t);
  EXPECT_FALSE(gaps_in(numbers));
  std::erase(numbers, 200);
  std::erase(numbers, 1000);
  for (const bool is_reversed : {false, true}) {
    if (is_reversed) {
      for (std::int64_t& number : numbers) number = 2000 - number;
    }
    const auto gaps = gaps_in(numbers);
    ASSERT_TRUE(gaps);
    EXPECT_EQ(gaps->count, 2U);
    const std::vector<std::int64_t> missing = {200, 1000};
    EXPECT_EQ(gaps->missing, is_reversed ? (std::vector<std::int64_t>{1000, 1800}) : missing);
  }
}

// Of a number typed wrong: counted, but not all listed.
TEST(TrajectoryGaps, OfAnyLengthTakeBoundedMemory) {
  const auto gaps = gaps_in({1, 2, 3, INT64_MAX});
  ASSERT_TRUE(gaps);
  EXPECT_EQ(gaps->count, static_cast<std::uint64_t>(INT64_MAX) - 4);
  EXPECT_EQ(gaps->missing.size(), 1000U);
}

TEST(PlaquetteOutliers, AreFarFromTheMedianOfEnough) {
  std::vector<double> numbers;
  for (int k = 0; k < 20; ++k) numbers.push_back(0.59 + 1e-4 * (k % 5));
  numbers.push_back(0.61);
  EXPECT_EQ(outliers_of(numbers), (std::vector<std::size_t>{20}));
  EXPECT_NEAR(spread_of(numbers).median, 0.5902, 1e-12);
  numbers.resize(7);
  numbers.front() = 0.7;
  EXPECT_TRUE(outliers_of(numbers).empty());
}

TEST(PlaquetteOutliers, AreNotWhatRoundingMakes) {
  std::vector<double> numbers(20, 0.5);
  numbers.back() += 1e-12;
  EXPECT_TRUE(outliers_of(numbers).empty());
  numbers.back() += 1e-4;
  EXPECT_EQ(outliers_of(numbers), (std::vector<std::size_t>{19}));
}

// median 3, distances 2 1 0 1 97: their median is 1.
TEST(PlaquetteSpread, IsAMedianOfDistances) {
  const Spread spread = spread_of({1, 2, 3, 4, 100});
  EXPECT_EQ(spread.median, 3);
  EXPECT_NEAR(spread.deviation, 1.4826, 1e-4);
  EXPECT_EQ(spread_of({4, 1, 3, 2}).median, 2.5);
}

TEST(Parameters, AreKnownByAWordOfTheirNames) {
  for (const char* name : {"beta", "kappa_l", "kappa2", "light_mass", "gauge.beta", "n_ape", "mass1", "csw",
                           "boundary t", "gauge_action", "m0", "am_s", "hmc:theta"}) {
    EXPECT_TRUE(is_parameter(name)) << name;
  }
  for (const char* name : {"trajectory", "seed", "host", "accepted", "massive", "alphabet", "date", "plaquette", "",
                           "_", "time", "deltah", "ensembles2go"}) {
    EXPECT_FALSE(is_parameter(name)) << name;
  }
}

constexpr std::int64_t one_day = std::int64_t{24} * 3600 * 1'000'000'000, this_day = 20'000 * one_day;

std::vector<Member> series_of(int count) {
  std::vector<Member> series;
  for (int k = 0; k < count; ++k) {
    Member member;
    member.path = "/x/conf." + std::to_string(100 + k);
    member.series = "/x/conf.*";
    member.in_name = 100 + k;
    member.fields = "1";
    member.parameters = {{"beta", "6"}};
    series.push_back(std::move(member));
  }
  return series;
}

std::vector<std::string> told(const std::vector<Member>& series, const std::string& rule) {
  std::vector<bool> alike;
  std::vector<std::string> paths;
  for (const Remark& remark : remarks_on(series, this_day, alike)) {
    if (remark.rule == rule) paths.insert(paths.end(), remark.paths.begin(), remark.paths.end());
  }
  return paths;
}

TEST(Series, NamesFilesThatLackAParameterIfNearlyAllOthersStateIt) {
  std::vector<Member> series = series_of(20);
  EXPECT_TRUE(told(series, "parameter-differs").empty());
  series[4].parameters.clear();
  EXPECT_EQ(told(series, "parameter-differs"), std::vector<std::string>{series[4].path});
  series[4].is_whole = false;  // why it lacks the text is told by its verification
  EXPECT_TRUE(told(series, "parameter-differs").empty());
  series[4].is_whole = true;
  for (std::size_t k = 10; k < 20; ++k) series[k].parameters.clear();
  EXPECT_TRUE(told(series, "parameter-differs").empty());
}

TEST(Series, NamesFilesWithMoreFieldsThanTheOthers) {
  std::vector<Member> series = series_of(9);
  series[3].fields = "2";
  EXPECT_EQ(told(series, "fields-differ"), std::vector<std::string>{series[3].path});
}

TEST(Series, NamesFilesOfAnotherFormatOnce) {
  std::vector<Member> series = series_of(9);
  for (Member& file : series) {
    file.path += ".ildg";
    file.format = "ildg";
  }
  series[1].format = "scidac";  // differs from the others, though its suffix is right
  series[2].format = "nersc";
  series[4].format = "nersc";
  series[4].is_whole = false;
  EXPECT_EQ(told(series, "format-differs"), (std::vector<std::string>{series[2].path, series[1].path}));
  EXPECT_EQ(told({series[2]}, "format-differs"), std::vector<std::string>{series[2].path});
  EXPECT_TRUE(told({series[1]}, "format-differs").empty());
}

TEST(Series, NamesFilesFromTheFuture) {
  std::vector<Member> series = series_of(3);
  series[0].modified = this_day + one_day - 1;  // clocks differ a little
  series[1].modified = this_day + one_day;
  series[2].modified = INT64_MIN;
  EXPECT_EQ(told(series, "time-differs"), std::vector<std::string>{series[1].path});
}

TEST(Series, AreOneInUpperAndLowerCase) {
  std::vector<Member> members;
  for (const std::int64_t number : {110, 120}) {
    Member& file = members.emplace_back();
    file.path = "/x/Conf." + std::to_string(number);
    file.series = "/x/Conf.*";
    file.in_name = number;
  }
  for (const Member& file : series_of(6)) members.push_back(file);
  std::vector<Remark> remarks = join_similar_series(members);
  ASSERT_EQ(remarks.size(), 1U);
  EXPECT_EQ(remarks[0].rule, "name-differs");
  EXPECT_EQ(remarks[0].paths, (std::vector<std::string>{"/x/Conf.110", "/x/Conf.120"}));
  for (std::size_t k = 0; k < members.size(); ++k) EXPECT_EQ(members[k].series, "/x/conf.*") << k;
  EXPECT_EQ(members[6].path, "/x/Conf.110");
  EXPECT_EQ(members[7].path, "/x/Conf.120");

  std::vector<Member> two = series_of(2);  // none of them is usual
  Member other = two[0];
  other.path = "/x/Conf.100", other.series = "/x/Conf.*";
  two.insert(two.begin(), other);
  EXPECT_TRUE(join_similar_series(two).empty());
  EXPECT_EQ(two[0].series, "/x/Conf.*");
}

TEST(Series, TakeInFilesWithMisspeltNames) {
  std::vector<Member> members = series_of(40);
  const auto add = [&](const std::string& series, std::int64_t number, const std::string& kind) {
    Member& file = members.emplace_back();
    file.series = series;
    file.in_name = number;
    file.path = series.substr(0, series.find('*')) + std::to_string(number);
    file.kind = kind;
  };
  add("/x/cnof.*", 140, "");
  add("/x/conf_*", 141, "");
  add("/x/conf.*.src", 142, "spinor");                                       // of another kind
  add("/y/cnof.*", 143, "");                                                 // in another folder
  for (const std::int64_t number : {1, 2, 3}) add("/x/cons.*", number, "");  // a series of its own
  std::ranges::sort(members, {}, &Member::series);
  const std::vector<Remark> remarks = join_similar_series(members);
  ASSERT_EQ(remarks.size(), 1U);
  EXPECT_EQ(remarks[0].rule, "name-differs");
  EXPECT_EQ(remarks[0].paths, (std::vector<std::string>{"/x/cnof.140", "/x/conf_141"}));
  EXPECT_EQ(std::ranges::count(members, "/x/conf.*", &Member::series), 42);
}

TEST(Series, SetOldVersionsApart) {
  std::vector<Member> members = series_of(3);
  const auto add = [&](const std::string& path) {
    const NameParts name = parts_of(path);
    Member& file = members.emplace_back();
    file.path = path;
    file.series = name.series;
    file.in_name = name.number;
  };
  add("/x/conf.101.bak");
  add("/x/conf.200.old");  // of a number that does not exist
  add("/x/other.100.old");
  const std::vector<Remark> remarks = set_old_versions_apart(members);
  ASSERT_EQ(remarks.size(), 2U);
  EXPECT_EQ(remarks[0].rule, "old-version");
  EXPECT_EQ(remarks[0].sentence,
            "/x/conf.101.bak: by its name an old or temporary version of conf.101; it belongs to no series");
  EXPECT_EQ(remarks[1].paths, std::vector<std::string>{"/x/conf.200.old"});
  EXPECT_NE(remarks[1].sentence.find("which does not exist"), std::string::npos);
  EXPECT_EQ(std::ranges::count(members, "/x/conf.*", &Member::series), 3);
}

// Files with plaquettes and link traces as independent configurations of that lattice have them.
std::vector<Member> chain_of(std::size_t count, const std::string& lattice, double deviation) {
  std::vector<Member> series = series_of(static_cast<int>(count));
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  for (Member& file : series) {
    file.kind = "gauge";
    file.lattice = lattice;
    file.precision = "double";
    file.checksum = file.path;
    file.plaquette = 0.59 + deviation * normal(random);
    file.link_trace = 0.01 + deviation * normal(random);
    file.inode = *file.in_name;
  }
  return series;
}

TEST(SameConfigurations, AreNamedUpToGaugeTransformations) {
  std::vector<Member> series = chain_of(50, "8x8x8x16", 1e-3);
  EXPECT_TRUE(same_configurations(series).empty());
  series[7].plaquette = *series[31].plaquette + 1e-15;
  const std::vector<Remark> remarks = same_configurations(series);
  ASSERT_EQ(remarks.size(), 1U);
  EXPECT_EQ(remarks[0].rule, "same-up-to-gauge");
  EXPECT_EQ(remarks[0].paths, (std::vector<std::string>{series[7].path, series[31].path}));
  series[7].link_trace = series[31].link_trace;
  EXPECT_EQ(same_configurations(series)[0].rule, "same-in-other-format");
  // Texts that state five digits agree by chance.
  for (Member& file : series) file.plaquette = std::round(*file.plaquette * 1e5) / 1e5;
  series[7].link_trace = 0.02;
  EXPECT_TRUE(same_configurations(series).empty());
}

// On large lattices in single precision, many plaquettes and link traces are within the rounding of each other.
TEST(SameConfigurations, AreNotNamedIfTheyAgreeByChance) {
  std::vector<Member> series = chain_of(3000, "64x64x64x128", 1e-5);
  for (Member& file : series) file.precision = "single";
  EXPECT_TRUE(same_configurations(series).empty());
  series[70].plaquette = *series[71].plaquette + 1e-11;
  series[70].link_trace = *series[71].link_trace - 1e-11;
  ASSERT_EQ(same_configurations(series).size(), 1U);
}

}  // namespace
}  // namespace lq::ensemble
