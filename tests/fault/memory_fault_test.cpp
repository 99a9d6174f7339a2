// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// For every k: allocation number k of one rank fails, alone, or with all behind it. Claim: nobody waits for ever, all
// ranks throw the same error or none, what existed is intact, and nothing half-written is left.
#include <gtest/gtest.h>
#include <unistd.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <limequat/async.hpp>
#include <limequat/error.hpp>
#include <limequat/file.hpp>
#include <limequat/file_system.hpp>
#include <limequat/inspect.hpp>
#include <limequat/physics.hpp>

#include "support/formula_field.hpp"
#include "support/memory_fault.hpp"
#include "support/scratch_directory.hpp"

namespace lq {
namespace {

using testing::MemoryFaults;

const Extents lattice{4, 2, 2, 6};
constexpr int ranks = 3;

struct Scenario {
  const char* name;
  // What a rank does; `values` are its numbers.
  void (*live)(const std::string& path, const Communicator& all, std::vector<double>& values, Strategy strategy);
  bool writes;
};

Grid grid_of(const Communicator& all) { return Grid(all, lattice, {.processes = Extents{ranks, 1, 1, 1}}); }

WriteOptions write_options(Strategy strategy) {
  return {.verify = Verify::read_back, .overwrite = true, .route = {.strategy = strategy, .chunk_bytes = 4096}};
}

void write_field(const std::string& path, const Communicator& all, std::vector<double>& values, Strategy strategy) {
  write(path, grid_of(all), gauge(values), write_options(strategy));
}

void read_field(const std::string& path, const Communicator& all, std::vector<double>& values, Strategy strategy) {
  read(path, grid_of(all), gauge(values), {.route = {.strategy = strategy, .chunk_bytes = 4096}});
}

// Sites in another order than usual.
void write_slowest_first(const std::string& path, const Communicator& all, std::vector<double>& values,
                         Strategy strategy) {
  Field field;
  std::exception_ptr failure;
  try {
    field = gauge(values, {.order = {3, 2, 1, 0}});
  } catch (...) {
    failure = std::current_exception();
  }
  all.agree(failure);
  write(path, grid_of(all), field, write_options(strategy));
}

void write_in_background(const std::string& path, const Communicator& all, std::vector<double>& values,
                         Strategy strategy) {
  Pending pending = write_async(path, grid_of(all), gauge(values), write_options(strategy));
  pending.test();
  pending.wait();
}

void read_in_background(const std::string& path, const Communicator& all, std::vector<double>& values,
                        Strategy strategy) {
  Pending pending =
      read_async(path, grid_of(all), gauge(values), {.route = {.strategy = strategy, .chunk_bytes = 4096}});
  pending.test();
  pending.wait();
}

void read_open_file(const std::string& path, const Communicator& all, std::vector<double>& values, Strategy strategy) {
  const ReadOptions options{.route = {.strategy = strategy, .chunk_bytes = 4096}};
  const File file = open(path, all);
  file.read(grid_of(all), gauge(values), options);
  read_async(file, grid_of(all), gauge(values), options).wait();
}

void verify_file(const std::string& path, const Communicator& all, std::vector<double>&, Strategy) {
  verify(path, all, {.physics = Measure::never});
}

void verify_with_physics(const std::string& path, const Communicator& all, std::vector<double>&, Strategy) {
  verify(path, all, {.physics = Measure::always});
}

void measure_field(const std::string&, const Communicator& all, std::vector<double>& values, Strategy) {
  measure(grid_of(all), gauge(values));
}

void generate_field(const std::string&, const Communicator& all, std::vector<double>& values, Strategy) {
  generate(grid_of(all), gauge(values), {.sweeps = 1, .over_relaxation = 1, .hot_start = true});
}

// The program's own arguments are there before.
const Metadata note{{"note", "of the first field, too long for a string that needs no memory"}};

void write_several(const std::string& path, const Communicator& all, std::vector<double>& values, Strategy strategy) {
  WriteOptions options = write_options(strategy);
  options.format = "scidac";
  Writer writer = create(path, grid_of(all), options);
  writer.write("first", gauge(values), note);
  writer.write_record("a-record", "with contents");
  writer.write("second", gauge(values));
  writer.close();
}

class MemoryRunsOut : public ::testing::TestWithParam<std::tuple<Scenario, Strategy, int, bool>> {
 protected:
  testing::ScratchDirectory directory_;
  std::string path_ = directory_ / "a file whose name is too long for a string that needs no memory.lime";
};

TEST_P(MemoryRunsOut, OnOneRankAndAllKnow) {
  const auto& [scenario, strategy, bad_rank, for_good] = GetParam();
  if (scenario.writes && strategy == Strategy::direct && file_system_of(directory_.path()).needs_single_owner) {
    GTEST_SKIP() << "ranks are on two nodes, and two clients must not write into one block here";
  }
  const auto live = [&, &scenario = scenario, strategy = strategy](const Communicator& all, double factor) {
    auto values = testing::formula_sites<double>(grid_of(all), 72);
    for (double& value : values) value *= factor;
    return [&scenario, strategy, all, this, values = std::move(values)]() mutable {
      scenario.live(path_, all, values, strategy);
    };
  };
  // The old file is that of the same operation with other numbers; what reads gets one that was written.
  const auto write_first = [&, &scenario = scenario](double factor) {
    testing::run_ranks(ranks, [&](std::shared_ptr<comm::Comm> comm) {
      const Communicator all(std::move(comm));
      if (scenario.writes) return live(all, factor)();
      auto values = testing::formula_sites<double>(grid_of(all), 72);
      write_field(path_, all, values, Strategy::direct);
    });
    return testing::contents(path_);
  };
  const std::string after = write_first(2);
  const std::string before = write_first(1);
  MemoryFaults faults(ranks, bad_rank, for_good);
  while (faults.next([&](const Communicator& all) { return live(all, 2); })) {
    const std::string now = testing::contents(path_);
    EXPECT_TRUE(now == before || now == after);
    EXPECT_EQ(testing::count_files_in(directory_.path()), 1U);
    if (faults.succeeded()) {
      EXPECT_EQ(now, scenario.writes ? after : before);
    }
    ASSERT_FALSE(HasFailure());
    testing::put_contents(path_, before);
  }
  EXPECT_GE(faults.failures(), 10);
}

// Two files from one, or two held against each other.
class ConversionWithoutMemory : public ::testing::TestWithParam<std::tuple<int, bool>> {
 protected:
  void SetUp() override {
    testing::run_ranks(ranks, [&](std::shared_ptr<comm::Comm> comm) {
      const Communicator all(std::move(comm));
      auto values = testing::formula_sites<double>(grid_of(all), 72);
      write_field(from_, all, values, Strategy::direct);
    });
  }
  testing::ScratchDirectory directory_;
  std::string from_ = directory_ / "a file whose name is too long for a string that needs no memory.ildg";
  std::string to_ = directory_ / "another file whose name is too long for a string without memory.scidac";
};

TEST_P(ConversionWithoutMemory, MakesAWholeFileOrNone) {
  const auto& [bad_rank, for_good] = GetParam();
  MemoryFaults faults(ranks, bad_rank, for_good);
  while (faults.next([&](const Communicator& all) { return [this, all] { convert(from_, to_, all); }; })) {
    EXPECT_EQ(testing::count_files_in(directory_.path()), std::filesystem::exists(to_) ? 2U : 1U);
    EXPECT_TRUE(!faults.succeeded() || std::filesystem::exists(to_));
    if (std::filesystem::exists(to_)) {
      EXPECT_TRUE(diff(from_, to_).same);
    }
    std::filesystem::remove(to_);
    ASSERT_FALSE(HasFailure());
  }
  EXPECT_GE(faults.failures(), 10);
}

TEST_P(ConversionWithoutMemory, ComparesAllOrNothing) {
  const auto& [bad_rank, for_good] = GetParam();
  convert(from_, to_);
  MemoryFaults faults(ranks, bad_rank, for_good);
  while (
      faults.next([&](const Communicator& all) { return [this, all] { EXPECT_TRUE(diff(from_, to_, all).same); }; })) {
    ASSERT_FALSE(HasFailure());
  }
  EXPECT_GE(faults.failures(), 10);
}

INSTANTIATE_TEST_SUITE_P(OnOneRank, ConversionWithoutMemory,
                         ::testing::Combine(::testing::Values(0, 1), ::testing::Bool()), [](const auto& by) {
                           return "rank" + std::to_string(std::get<0>(by.param)) +
                                  (std::get<1>(by.param) ? "_for_good" : "_once");
                         });

constexpr Scenario writing{"Write", write_field, true};
constexpr Scenario reading{"Read", read_field, false};

std::string name_of(const ::testing::TestParamInfo<MemoryRunsOut::ParamType>& info) {
  const auto& [scenario, strategy, bad_rank, for_good] = info.param;
  return std::string(scenario.name) + "_" + std::string(name(strategy)) + "_rank" + std::to_string(bad_rank) +
         (for_good ? "_for_good" : "_once");
}

INSTANTIATE_TEST_SUITE_P(InATransfer, MemoryRunsOut,
                         ::testing::Combine(::testing::Values(writing, reading),
                                            ::testing::Values(Strategy::direct, Strategy::shared, Strategy::pull,
                                                              Strategy::messages),
                                            ::testing::Values(0, 1), ::testing::Bool()),
                         name_of);
INSTANTIATE_TEST_SUITE_P(InAnotherOrder, MemoryRunsOut,
                         ::testing::Combine(::testing::Values(Scenario{"Write", write_slowest_first, true}),
                                            ::testing::Values(Strategy::shared, Strategy::messages),
                                            ::testing::Values(0, 1), ::testing::Values(false)),
                         name_of);
INSTANTIATE_TEST_SUITE_P(InTheBackground, MemoryRunsOut,
                         ::testing::Combine(::testing::Values(Scenario{"Write", write_in_background, true},
                                                              Scenario{"Read", read_in_background, false},
                                                              Scenario{"OpenFile", read_open_file, false}),
                                            ::testing::Values(Strategy::direct, Strategy::shared, Strategy::messages),
                                            ::testing::Values(0, 1), ::testing::Bool()),
                         name_of);
INSTANTIATE_TEST_SUITE_P(WithSeveralFields, MemoryRunsOut,
                         ::testing::Combine(::testing::Values(Scenario{"Writer", write_several, true}),
                                            ::testing::Values(Strategy::direct, Strategy::messages),
                                            ::testing::Values(0, 1), ::testing::Bool()),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Verifying, MemoryRunsOut,
                         ::testing::Combine(::testing::Values(Scenario{"Verify", verify_file, false},
                                                              Scenario{"VerifyAll", verify_with_physics, false},
                                                              Scenario{"Measure", measure_field, false},
                                                              Scenario{"Generate", generate_field, false}),
                                            ::testing::Values(Strategy::automatic), ::testing::Values(0, 1),
                                            ::testing::Bool()),
                         name_of);

}  // namespace
}  // namespace lq
