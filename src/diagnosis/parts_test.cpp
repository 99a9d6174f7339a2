// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "diagnosis/parts.hpp"

#include <gtest/gtest.h>
#include <limequat/error.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <mutex>
#include <set>

#include "support/error_of.hpp"
#include "support/faulty.hpp"
#include "support/scratch_directory.hpp"
#include "support/thread_comm.hpp"

namespace lq::diagnosis {
namespace {

using testing::error_of;
using testing::run_ranks;
using testing::ScratchDirectory;

PartsOptions tiny() {
  PartsOptions options;
  options.seconds = 0.01;
  options.file_bytes = 1;
  options.memory_bytes = 1;
  options.rounds = 1;
  return options;
}

Parts measured(int ranks, storage::Transport& transport, const std::string& folder, const PartsOptions& options) {
  std::mutex mutex;
  std::vector<Parts> all;
  run_ranks(ranks, [&](const std::shared_ptr<comm::Comm>& comm) {
    Parts mine = measure_parts(*comm, transport, folder, options);
    const std::lock_guard lock(mutex);
    all.push_back(std::move(mine));
  });
  for (const Parts& other : all) {
    EXPECT_EQ(other.parts.size(), all[0].parts.size());
    EXPECT_EQ(other.machine.write_rate, all[0].machine.write_rate);
    EXPECT_EQ(other.machine.name, all[0].machine.name);
  }
  return all[0];
}

PartsOptions patient() {
  PartsOptions options = tiny();
  options.seconds = 60;
  return options;
}

TEST(Parts, AreAllMeasuredAndLeaveNoFile) {
  const ScratchDirectory folder;
  for (const int ranks : {1, 2, 3}) {
    const Parts found = measured(ranks, storage::posix(), folder.path(), patient());
    std::set<std::string> names;
    for (const Part& part : found.parts) {
      names.insert(part.name);
      EXPECT_EQ(part.seconds.count, 1u) << part.name;
      EXPECT_GT(part.seconds.median, 0) << part.name;
      EXPECT_EQ(part.bytes > 0, part.bytes_per_second > 0) << part.name;
    }
    EXPECT_EQ(names.size(), found.parts.size());
    for (const char* name : {"memcpy, large", "crc32, sites", "pack with checksum", "write, 4 KiB", "read, 4 MiB",
                             "sync", "create, close, rename"}) {
      EXPECT_EQ(names.count(name), 1u) << name;
    }
    const auto expected = [&](bool is_permitted) { return ranks > 1 && is_permitted ? 1u : 0u; };
    EXPECT_EQ(names.count("message, 8 B"), expected(true));
    EXPECT_EQ(names.count("exchange"), expected(true));
    EXPECT_EQ(names.count("write, 4 MiB, all ranks"), expected(true));
    EXPECT_EQ(names.count("shared memory"), expected(found.machine.shared_memory_permitted));
    EXPECT_EQ(names.count("neighbour's memory"), expected(found.machine.pull_permitted));
    EXPECT_EQ(found.machine.ranks_per_node, static_cast<std::uint64_t>(ranks));
    EXPECT_EQ(found.machine.nodes, 1u);
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  }
}

// No round is begun late, and the first is cut short.
TEST(Parts, StopWhenTheTimeIsUp) {
  const ScratchDirectory folder;
  PartsOptions options = tiny();
  options.seconds = 1e-9;
  options.rounds = 1000000;
  const Parts found = measured(2, storage::posix(), folder.path(), options);
  ASSERT_EQ(found.parts.size(), 1u);
  EXPECT_EQ(found.parts[0].seconds.count, 1u);
  EXPECT_EQ(found.machine.write_rate, Machine{}.write_rate);
}

TEST(Parts, RefuseImpossibleOptions) {
  const ScratchDirectory folder;
  const auto comm = comm::make_self();
  for (const double seconds : {0.0, -1.0, std::nan(""), HUGE_VAL}) {
    PartsOptions options = tiny();
    options.seconds = seconds;
    const Error error = error_of([&] { measure_parts(*comm, storage::posix(), folder.path(), options); });
    EXPECT_EQ(error.code(), Code::invalid_argument);
  }
}

TEST(Parts, OfAFolderThatIsNotThereAreAnError) {
  const auto comm = comm::make_self();
  const Error error = error_of([&] { measure_parts(*comm, storage::posix(), "/no/such/folder", tiny()); });
  EXPECT_EQ(error.code(), Code::not_found);
}

// The error, on every rank, or a result where tidying up failed; never a hang, never a file.
TEST(Parts, EndInTheSameErrorOnAllRanksWhereverStorageFails) {
  for (std::int64_t k = 0; k < 60; k += 3) {
    const ScratchDirectory folder;
    testing::FaultyTransport faulty(storage::posix(), k);
    const auto outcomes = testing::outcomes_of_ranks(
        2, [&](const std::shared_ptr<comm::Comm>& comm) { measure_parts(*comm, faulty, folder.path(), patient()); });
    std::set<std::string> sentences;
    for (const std::exception_ptr& outcome : outcomes) {
      const Error error = error_of([&] {
        if (outcome) std::rethrow_exception(outcome);
      });
      sentences.insert(error.what());
    }
    EXPECT_EQ(sentences.size(), 1u) << k;
    EXPECT_NE(sentences.begin()->find("injected fault"), std::string::npos) << *sentences.begin();
    EXPECT_TRUE(std::filesystem::is_empty(folder.path())) << k;
  }
}

TEST(Summary, IsMedianAndExtremes) {
  const Repetitions odd = summarise({5, 1, 9});
  EXPECT_EQ(odd.first, 5);
  EXPECT_EQ(odd.min, 1);
  EXPECT_EQ(odd.median, 5);
  EXPECT_EQ(odd.max, 9);
  EXPECT_EQ(odd.count, 3u);
  EXPECT_EQ(summarise({4, 1, 2, 10}).median, 3);
  EXPECT_EQ(summarise({7}).median, 7);
}

TEST(LineFit, FindsRateAndCallOfExactPoints) {
  std::vector<CallTime> points;
  for (const std::uint64_t piece : piece_sizes) {
    const auto bytes = static_cast<double>(piece);
    points.push_back({bytes, bytes / 2.5e9 + 1.5e-6});
  }
  const Line line = fit_line(points);
  EXPECT_NEAR(line.rate, 2.5e9, 1);
  EXPECT_NEAR(line.call, 1.5e-6, 1e-15);
}

TEST(LineFit, IsNeverNegative) {
  // Small pieces faster than large ones: no call time explains that.
  const Line line = fit_line(std::vector<CallTime>{{4096, 1e-6}, {65536, 20e-6}, {1048576, 500e-6}});
  EXPECT_EQ(line.call, 0);
  EXPECT_GT(line.rate, 1048576 / 500e-6);
  EXPECT_LT(line.rate, 4096 / 1e-6);
  // Large pieces in less time than small ones: nothing explains that.
  const Line odd = fit_line(std::vector<CallTime>{{4096, 1e-3}, {1048576, 1e-4}});
  EXPECT_GE(odd.rate, 0);
  EXPECT_GE(odd.call, 0);
  EXPECT_EQ(fit_line({}).rate, 0);
  const Line one = fit_line(std::vector<CallTime>{{1000, 1e-6}});
  EXPECT_NEAR(one.rate, 1e9, 1);
}

TEST(MachineFit, KeepsWhatWasNotMeasured) {
  const Machine machine = fit_machine({}, Machine{}, false);
  EXPECT_EQ(machine.write_rate, Machine{}.write_rate);
  EXPECT_EQ(machine.latency, Machine{}.latency);
  EXPECT_EQ(machine.pull_rate, Machine{}.pull_rate);
  Machine forbidden;
  forbidden.pull_permitted = false;
  EXPECT_EQ(fit_machine({}, forbidden, false).pull_rate, 0);
}

TEST(MachineFit, TakesRatesOfOneRankFromThoseOfAll) {
  Part part{"neighbour's memory", 4000, 2, 4, summarise({1e-6}), 4e9};
  EXPECT_EQ(fit_machine({part}, Machine{}, false).pull_rate, 1e9);
  part = {"message, 8 B", 16, 2, 2, summarise({6e-6}), 1};
  EXPECT_EQ(fit_machine({part}, Machine{}, true).latency, 3e-6);
  EXPECT_EQ(fit_machine({part}, Machine{}, false).latency, Machine{}.latency);  // within a node
}

}  // namespace
}  // namespace lq::diagnosis
