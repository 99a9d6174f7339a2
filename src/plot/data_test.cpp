// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a benchmark writes is read; everything else is an error that says where.
#include "plot/data.hpp"

#include <functional>

#include <gtest/gtest.h>
#include <limequat/error.hpp>

#include "bench/result.hpp"

namespace lq::plot {
namespace {

std::string good() {
  bench::Result result;
  result.lattice = {4, 4, 4, 8};
  result.grid = {1, 1, 1, 2};
  result.ranks = 2;
  result.verify = "checksum", result.precision = "single", result.format = "ildg";
  result.bytes = 1000;
  for (const double seconds : {9.0, 2.0, 4.0, 6.0}) result.seconds.add(seconds), result.raw.add(seconds / 2);
  result.stages.emplace().add(bench::stages_of({.open = 0.5, .pack = 1, .exchange = 2, .storage = 3, .sync = 4}));
  return bench::to_json(R"({"file_system":"tmpfs","cores":2,"mpi":"none","processor":"P"})", {result});
}

Error failure_of(const std::string& text) {
  try {
    read_results(text, "r.json");
  } catch (const Error& error) {
    return error;
  }
  return {Code::ok, ""};
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(ReadResults, ReadsWhatBenchWrites) {
  const std::vector<Result> results = read_results(good(), "r.json");
  ASSERT_EQ(results.size(), 1u);
  const Result& r = results[0];
  EXPECT_EQ(r.lattice, "4x4x4x8");
  EXPECT_EQ(r.precision, "single");
  EXPECT_EQ(r.ranks, 2u);
  EXPECT_EQ(r.seconds.median, 4);
  EXPECT_EQ(r.seconds.low, 3);
  EXPECT_EQ(r.raw.high, 2.5);
  EXPECT_EQ(r.ratio_to_raw, 0.5);
  EXPECT_EQ(r.steps->sync, 4);
  EXPECT_EQ(r.file_system, "tmpfs");
}

TEST(ReadResults, TakesSeveralRunsInOneFile) {
  EXPECT_EQ(read_results("[" + good() + "," + good() + "]", "r.json").size(), 2u);
}

TEST(ReadResults, KeysOfTheContractSuffice) {
  const std::string text = R"({"environment": {}, "results": [{"name": "lattice", "direction": "read", "lattice": "8x8",
    "grid": "1x1", "ranks": 1, "strategy": "auto", "format": "ildg", "verify": "none", "bytes": 10,
    "seconds": {"min": 1, "median": 2, "max": 3, "first": 4}, "raw_seconds": {"min": 1, "median": 2, "max": 3, "first": 4},
    "ratio_to_raw": 1, "steps": {"pack": 0, "exchange": 0, "write": 1, "sync": 0}}]})";
  const Result result = read_results(text, "r.json").at(0);
  EXPECT_EQ(result.seconds.low, 1);
  EXPECT_EQ(result.seconds.high, 3);
}

TEST(ReadResults, ReadsStreamsOfTasks) {
  bench::TaskResult create;
  create.part = "create", create.name = "multifile", create.direction = "create", create.tasks = 8;
  bench::TaskResult write = create;
  write.part = "transfer", write.direction = "write", write.files = 2, write.block = 3072, write.bytes = 4096;
  for (bench::TaskResult* result : {&create, &write}) result->seconds.add(2), result->raw.add(1);
  const auto results = read_results(to_json(R"({"file_system":"tmpfs"})", std::vector{create, write}), "r.json");
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results[0].direction, "create");
  EXPECT_EQ(results[0].ranks, 8u);
  EXPECT_EQ(results[1].files, 2u);
  EXPECT_EQ(results[1].block, 3072u);
  EXPECT_EQ(results[1].ratio_to_raw, 0.5);
  EXPECT_TRUE(results[1].is_of_tasks());
}

TEST(ReadResults, ReadsClientsOfAFileSystem) {
  bench::Result r;
  r.lattice = r.grid = {2, 2, 2, 2};
  r.bytes = 9216;
  r.servers = 4, r.stripe_bytes = 65536, r.split = "xyz";
  r.seconds.add(2), r.raw.add(1);
  const std::vector<Result> read = read_results(bench::to_json("{}", std::vector<bench::Result>{r}), "f");
  ASSERT_EQ(read.size(), 1u);
  EXPECT_EQ(read[0].servers, 4u);
  EXPECT_EQ(read[0].stripe_bytes, 65536u);
  EXPECT_EQ(read[0].split, "xyz");
}

TEST(ReadResults, PassesOverOtherResults) {
  EXPECT_TRUE(read_results(R"({"environment": {}, "results": [{"name": "memcpy"}]})", "r.json").empty());
}

TEST(ReadResults, EveryBeginningOfAFileIsRefused) {
  const std::string text = good();
  for (std::size_t length = 0; length < text.size(); length += 7) {
    const Error error = failure_of(text.substr(0, length));
    ASSERT_EQ(error.code(), Code::malformed) << length;
    ASSERT_NE(std::string(error.what()).find("ends early"), std::string::npos) << error.what();
  }
}

TEST(ReadResults, SaysWhichKeyIsWrong) {
  const auto message = [](const std::string& text) { return std::string(failure_of(text).what()); };
  EXPECT_EQ(message("[]"), "");
  EXPECT_EQ(message("{}"), "r.json: \"environment\" is missing; \"lq plot\" reads what \"lq bench --json\" writes");
  EXPECT_NE(message("7").find("the document is not an object"), std::string::npos);
  const std::string text = good();
  EXPECT_NE(message(replaced(text, "\"ranks\":2", "\"ranks\":-2")).find("\"results[0].ranks\" is not a whole number"),
            std::string::npos);
  EXPECT_NE(message(replaced(text, "\"median\":4.0", "\"median\":0.0")).find("results[0].seconds.median"),
            std::string::npos);
  EXPECT_NE(message(replaced(text, "\"bytes\":1000", "\"bytes\":0")).find("results[0].bytes"), std::string::npos);
  EXPECT_NE(message(replaced(text, "\"pack\":1.0", "\"pack\":\"x\"")).find("results[0].steps.pack"), std::string::npos);
  EXPECT_NE(message(replaced(text, "\"raw_seconds\"", "\"raw\"")).find("\"results[0].raw_seconds\" is missing"),
            std::string::npos);
}

TEST(ReadResults, DeepNestingIsNoCrash) { EXPECT_EQ(failure_of(std::string(1'000'000, '[')).code(), Code::malformed); }

}  // namespace
}  // namespace lq::plot
