// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Statistics of repeated measurements, against numbers worked out by hand.
#include "bench/result.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace lq::bench {
namespace {

Series series(std::initializer_list<double> values) {
  Series all;
  for (const double value : values) all.add(value);
  return all;
}

TEST(Quantile, InterpolatesBetweenNeighbours) {
  EXPECT_EQ(quantile({4, 1, 3, 2}, 0.5), 2.5);
  EXPECT_EQ(quantile({5, 1, 3}, 0.5), 3);
  EXPECT_EQ(quantile({1, 2, 3, 4, 5}, 0.25), 2);
  EXPECT_EQ(quantile({1, 2, 3, 4}, 0.75), 3.25);
  EXPECT_EQ(quantile({7}, 0.25), 7);
  EXPECT_EQ(quantile({}, 0.5), 0);
}

TEST(Series, FirstStandsApart) {
  const Series all = series({100, 1, 2, 3});
  EXPECT_EQ(all.first(), 100);
  EXPECT_EQ(all.median(), 2);
  EXPECT_EQ(all.at(1), 3);
}

TEST(Series, MeanHasTheErrorOfTheMean) {
  const Series s = series({100, 1, 2, 3, 6});  // the first does not count
  EXPECT_DOUBLE_EQ(s.mean(), 3);
  EXPECT_DOUBLE_EQ(s.error(), std::sqrt((4.0 + 1 + 0 + 9) / (4 * 3)));
  EXPECT_EQ(series({5}).error(), 0);
}

TEST(Series, TrimmedMeanLeavesTheExtremesOut) {
  EXPECT_DOUBLE_EQ(series({100, 9, 1, 2, 3, 4}).trimmed_mean(), 3);
  EXPECT_DOUBLE_EQ(series({100, 1, 3}).trimmed_mean(), 2) << "of two none is left out";
}

TEST(StageWatch, StagesAddUpToTheWhole) {
  const base::Stopwatch whole;
  StageWatch watch;
  for (const Stage stage : {Stage::open, Stage::storage, Stage::storage, Stage::close}) watch.end_of(stage);
  const StageSeconds& stages = watch.stages();
  EXPECT_GT(stages[Stage::storage], 0);
  EXPECT_EQ(stages[Stage::pack], 0);
  EXPECT_LE(stages[Stage::open] + stages[Stage::storage] + stages[Stage::close], whole.seconds());
}

TEST(Series, OneMeasurementIsBetterThanNone) { EXPECT_EQ(series({5}).median(), 5); }

TEST(BenchResult, RatioIsRawOverOurs) {
  Result result;
  result.seconds = series({9, 2, 2, 2});
  result.raw = series({9, 1, 1, 1});
  EXPECT_EQ(result.ratio_to_raw(), 0.5);
}

TEST(BenchResult, HiddenShareIsThatOfTheShorter) {
  Result result;
  // 4 s of compute and 2 s of writing took 5 s together: one of the two seconds was hidden.
  result.seconds = series({0, 5});
  // Of the raw transfer, which takes 3 s by itself, nothing was.
  result.raw = series({0, 3});
  result.beside = OverlapTimes{"cache", series({0, 4}), series({0, 2}), series({0, 7})};
  EXPECT_EQ(result.hidden_share(), 0.5);
  EXPECT_EQ(result.ratio_to_longer(), 1.25);
  EXPECT_EQ(result.raw_to_longer(), 1.75);
}

TEST(BenchJson, StepsOfAPeerAreUnknown) {
  Result result;
  result.name = "hdf5";
  result.lattice = {4, 4, 4, 8};
  result.grid = {1, 1, 1, 2};
  const std::string json = to_json("{}", {result});
  EXPECT_NE(json.find(R"("steps":{"create":null,"barrier":null,"open":null,"pack":null,"exchange":null,)"
                      R"("write":null,"truncate":null,"sync":null,"close":null})"),
            std::string::npos)
      << json;
  EXPECT_NE(json.find(R"("lattice":"4x4x4x8","grid":"1x1x1x2")"), std::string::npos) << json;
}

}  // namespace
}  // namespace lq::bench
