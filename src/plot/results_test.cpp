// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Which chart results become, and what its lines and bars are called.
#include "plot/results.hpp"

#include <gtest/gtest.h>
#include <limequat/error.hpp>

namespace lq::plot {
namespace {

Result result(std::uint64_t ranks, const std::string& direction, double seconds) {
  Result r;
  r.name = "lattice", r.direction = direction, r.lattice = "4x4x4x8", r.grid = "1x1x1x" + std::to_string(ranks);
  r.strategy = "auto", r.verify = "checksum", r.precision = "double", r.cache = "warm";
  r.file_system = "tmpfs", r.processor = "P", r.mpi = "M";
  r.ranks = ranks, r.cores = 2, r.bytes = 2'000'000'000;
  r.seconds = {seconds, seconds, seconds};
  r.raw = {1, 1, 1};
  r.ratio_to_raw = 1 / seconds;
  r.steps = Steps{0.1, 0.2, 0.3, 0.4};
  return r;
}

Result stream(const std::string& name, const std::string& direction, std::uint64_t tasks, std::uint64_t files) {
  Result r = result(tasks, direction, 2);
  r.name = name, r.lattice = r.grid = r.strategy = r.precision = "", r.verify = "none";
  r.files = files;
  r.steps.reset();
  return r;
}

TEST(PlotKind, OfTasksIsTheirs) {
  EXPECT_EQ(kind_for({stream("multifile", "write", 4, 1)}), Kind::rate_by_files);
  EXPECT_EQ(kind_for({stream("multifile", "write", 4, 1), stream("multifile", "create", 4, 1)}), Kind::create_by_tasks);
}

TEST(CreateChart, HasALineForEachWay) {
  const LineChart chart =
      create_chart({stream("one file per task", "create", 8, 8), stream("multifile", "create", 8, 1),
                    stream("one file per task", "create", 1, 1), stream("multifile", "create", 1, 1)});
  ASSERT_EQ(chart.lines.size(), 2u);
  EXPECT_EQ(chart.lines[0].name, "one file per task");
  EXPECT_EQ(chart.lines[1].name, "multifile");
  ASSERT_EQ(chart.lines[1].points.size(), 2u);
  EXPECT_EQ(chart.lines[1].points[0].x, 1);
  EXPECT_EQ(chart.lines[1].points[1].y, 2000) << "ms";
  EXPECT_EQ(chart.subtitle, "create, no checksum, warm, tmpfs, P, 2 cores, M");
}

TEST(RateByFiles, StandsBesideOneFilePerTask) {
  const LineChart chart = rate_chart(
      {stream("multifile", "write", 4, 2), stream("multifile", "write", 4, 1), stream("checkpoint", "write", 4, 1)},
      Kind::rate_by_files);
  ASSERT_EQ(chart.lines.size(), 3u);
  EXPECT_EQ(chart.lines[0].name, "multifile");
  EXPECT_EQ(chart.lines[0].points[1].x, 2);
  EXPECT_EQ(chart.lines[2].name, "one file per task");
  EXPECT_TRUE(chart.lines[2].is_limit);
}

// A client of a file system of 2 servers.
Result client(const std::string& name, std::uint64_t clients, const std::string& split, std::uint64_t stripe_bytes) {
  Result r = result(clients, "write", 2);
  r.name = name, r.lattice = std::to_string(clients), r.split = split;
  r.servers = 2, r.stripe_bytes = stripe_bytes;
  return r;
}

TEST(RatePerServer, IsTheRateOverTheServers) {
  const LineChart chart = rate_chart({client("raw", 1, "t", 65536), client("lattice", 1, "t", 65536),
                                      client("lattice", 4, "t", 65536), client("own files", 4, "t", 65536)},
                                     Kind::rate_per_server);
  ASSERT_EQ(chart.lines.size(), 3u) << "the raw transfer is the limit, not a line of its own";
  EXPECT_EQ(chart.lines[0].name, "limequat");
  ASSERT_EQ(chart.lines[0].points.size(), 2u) << "lattices that grow with their clients are one line";
  EXPECT_EQ(chart.lines[0].points[1].x, 4);
  EXPECT_EQ(chart.lines[0].points[1].y, 0.5) << "2 GB in 2 s on 2 servers";
  EXPECT_TRUE(chart.lines[2].is_limit);
  EXPECT_NE(chart.subtitle.find("t split, stripes of 64 KiB, 2 servers"), std::string::npos) << chart.subtitle;
}

TEST(RatePerServer, SplitsAndStripesAreLinesOfTheirOwn) {
  const LineChart chart =
      rate_chart({client("lattice", 1, "t", 0), client("lattice", 1, "xyz", 1 << 20)}, Kind::rate_by_ranks);
  EXPECT_EQ(chart.lines[0].name, "t split");
  EXPECT_EQ(chart.lines[1].name, "xyz split, stripes of 1 MiB");
}

TEST(RatePerServer, NeedsServers) { EXPECT_THROW(draw_results({result(1, "write", 2)}, Kind::rate_per_server), Error); }

TEST(PlotKind, FollowsTheData) {
  EXPECT_EQ(kind_for({result(1, "write", 1), result(2, "write", 1)}), Kind::rate_by_ranks);
  EXPECT_EQ(kind_for({result(1, "write", 1), result(1, "read", 1)}), Kind::ratio);
  std::vector<Result> sizes(4, result(1, "write", 1));
  for (std::size_t i = 0; i < sizes.size(); ++i) sizes[i].bytes = 1000U << i;
  EXPECT_EQ(kind_for(sizes), Kind::rate_by_size);
}

TEST(RateChart, OneLinePerDirectionAndOneLimitEach) {
  const std::vector<Result> results = {result(2, "write", 0.5), result(1, "write", 1), result(1, "read", 2),
                                       result(2, "read", 1)};
  const LineChart chart = rate_chart(results, Kind::rate_by_ranks);
  ASSERT_EQ(chart.lines.size(), 4u);
  EXPECT_EQ(chart.lines[0].name, "write");
  EXPECT_EQ(chart.lines[2].name, "raw limit, write");
  EXPECT_TRUE(chart.lines[2].is_limit);
  ASSERT_EQ(chart.lines[0].points.size(), 2u);
  EXPECT_EQ(chart.lines[0].points[0].x, 1);
  EXPECT_EQ(chart.lines[0].points[0].y, 2) << "2 GB in 1 s";
  EXPECT_EQ(chart.lines[0].points[1].y, 4);
  EXPECT_EQ(chart.subtitle, "limequat, checksum, double, 4x4x4x8, warm, tmpfs, P, 2 cores, M");
}

TEST(RateByThreads, HasNoSecondLimitForVerifying) {
  std::vector<Result> results;
  for (const std::uint64_t threads : {1U, 4U}) {
    for (const char* direction : {"read", "verify"}) {
      Result r = result(1, direction, 1.0 / static_cast<double>(threads));
      r.threads = threads;
      results.push_back(r);
    }
  }
  EXPECT_EQ(kind_for(results), Kind::rate_by_threads);
  const LineChart chart = rate_chart(results, Kind::rate_by_threads);
  ASSERT_EQ(chart.lines.size(), 3u);
  EXPECT_EQ(chart.lines[1].name, "verify");
  ASSERT_EQ(chart.lines[1].points.size(), 2u);
  EXPECT_EQ(chart.lines[1].points[1].x, 4);
  EXPECT_EQ(chart.lines[1].points[1].y, 8) << "2 GB in a quarter of a second";
  EXPECT_EQ(chart.lines[2].name, "raw limit, read");
  EXPECT_THROW(draw_results({result(1, "read", 1)}, Kind::rate_by_threads), Error);
}

TEST(RateChart, SaysThatItTookTheFastest) {
  std::vector<Result> results = {result(2, "write", 2), result(2, "write", 1), result(1, "write", 1)};
  results[0].grid = "2x1x1x1";
  const LineChart chart = rate_chart(results, Kind::rate_by_ranks);
  EXPECT_EQ(chart.lines[0].points[1].y, 2);
  EXPECT_TRUE(chart.subtitle.ends_with("; of several results at one place the fastest")) << chart.subtitle;
}

TEST(RatioChart, LimitIsOne) {
  std::vector<Result> results = {result(2, "write", 2), result(2, "write", 1)};
  results[1].name = "hdf5";
  const BarChart chart = bar_chart(results, Kind::ratio);
  ASSERT_EQ(chart.bars.size(), 2u);
  EXPECT_EQ(chart.bars[0].label, "limequat");
  EXPECT_EQ(chart.bars[1].label, "hdf5");
  EXPECT_EQ(chart.bars[0].parts, std::vector<double>{0.5});
  EXPECT_EQ(chart.limit, 1.0);
}

TEST(StepsChart, LeavesOutWhoDoesNotTell) {
  std::vector<Result> results = {result(2, "write", 2), result(2, "read", 1)};
  results[1].steps.reset();
  const BarChart chart = bar_chart(results, Kind::steps);
  ASSERT_EQ(chart.bars.size(), 1u);
  ASSERT_EQ(chart.bars[0].parts.size(), 5u);
  EXPECT_DOUBLE_EQ(chart.bars[0].parts[3], 400);
  EXPECT_DOUBLE_EQ(chart.bars[0].parts[4], 1000) << "2 s less 0.1, 0.2, 0.3 and 0.4 s";
  EXPECT_EQ(chart.bars[0].limit, 1000.0);
}

TEST(DrawResults, NothingIsAnError) {
  EXPECT_THROW(draw_results({}, Kind::ratio), Error);
  Result silent = result(1, "write", 1);
  silent.steps.reset();
  EXPECT_THROW(draw_results({silent}, Kind::steps), Error);
  EXPECT_THROW(draw_results({silent}, Kind::create_by_tasks), Error);
}

}  // namespace
}  // namespace lq::plot
