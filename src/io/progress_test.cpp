// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Who waits for a transfer is told how far it is, by whatever way the sites travel.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>
#include <limequat/limequat.hpp>

#include "io/transfer.hpp"
#include "support/formula_field.hpp"
#include "support/thread_comm.hpp"
#include "support/ways_here.hpp"

namespace lq::io {
namespace {

using testing::formula_sites;

constexpr std::uint64_t told_numbers = 18;
const Extents told_lattice{8, 8, 8, 12};
constexpr std::uint64_t message_bytes = 8 * 8 * 8 * 12 * told_numbers * sizeof(double);

struct ToldWay {
  Strategy strategy = Strategy::direct;
  Extents processes;
  int ranks_per_node = 64;
  int threads = 1;
};

std::string name_of_way(const ::testing::TestParamInfo<ToldWay>& one) {
  const ToldWay& way = one.param;
  return fmt::format("{}_{}_ranks_{}_a_node_{}_threads", name(way.strategy), volume(way.processes), way.ranks_per_node,
                     way.threads);
}

// What one rank was told.
struct Told {
  std::vector<std::uint64_t> done;
  Progress listener() {
    return [this](std::uint64_t now, std::uint64_t total) {
      EXPECT_EQ(total, message_bytes);
      done.push_back(now);
    };
  }
};

class ProgressOf : public ::testing::TestWithParam<ToldWay> {
 protected:
  static void on_ranks(const std::function<void(const Grid&)>& body) {
    const ToldWay& way = GetParam();
    testing::run_ranks(static_cast<int>(volume(way.processes)),
                       [&](std::shared_ptr<comm::Comm> comm) {
                         body(Grid(Communicator(std::move(comm)), told_lattice, {.processes = way.processes}));
                       },
                       {.ranks_per_node = way.ranks_per_node});
  }
  static RouteOptions route() {
    return {
        .strategy = GetParam().strategy, .chunk_bytes = 64 * 1024, .alignment = 4096, .threads = GetParam().threads};
  }
  void write(const Grid& grid, const Progress& progress) {
    std::vector<double> sites = formula_sites<double>(grid, told_numbers, {});
    write_field(*transport_, "field", grid, sites_of(sites),
                {.format = "scidac", .block_bytes = 4096, .route = route(), .progress = progress});
  }
  void read(const Grid& grid, const Progress& progress) {
    std::vector<double> sites(static_cast<std::size_t>(grid.local_volume() * told_numbers));
    const FieldSpec spec = generic_spec(Precision::double_, told_numbers, false);
    read_field(*transport_, "field", grid, MutableField{spec, sites.data(), sites.size(), {}, {}},
               {.block_bytes = 4096, .route = route(), .progress = progress});
  }
  static Field sites_of(std::vector<double>& sites) {
    return {generic_spec(Precision::double_, told_numbers, false), sites.data(), sites.size(), {}, {}};
  }
  static void expect_all(const Told& told, const Grid& grid) {
    if (grid.rank() != 0) {
      EXPECT_TRUE(told.done.empty());
      return;
    }
    ASSERT_FALSE(told.done.empty());
    EXPECT_EQ(std::ranges::adjacent_find(told.done, std::greater_equal()), told.done.end());  // no number twice
    EXPECT_EQ(told.done.back(), message_bytes);
    if (GetParam().threads > 1) return;  // the others may do all while the one that tells waits for a core
    EXPECT_GE(told.done.size(), 3U);
    EXPECT_LT(told.done.front(), message_bytes);
  }

  std::shared_ptr<storage::Transport> transport_ = storage::make_memory();
};

TEST_P(ProgressOf, AWriteAndAReadIsToldOnRankZero) {
  on_ranks([&](const Grid& grid) {
    Told told;
    write(grid, told.listener());
    expect_all(told, grid);
  });
  on_ranks([&](const Grid& grid) {
    Told told;
    read(grid, told.listener());
    expect_all(told, grid);
  });
}

TEST_P(ProgressOf, AListenerThatThrowsEndsTheTransferOnAllRanks) {
  const Progress throws = [](std::uint64_t, std::uint64_t) { throw std::runtime_error("enough"); };
  const auto expect_failure = [](const auto& transfer) {
    try {
      transfer();
      ADD_FAILURE() << "nothing was thrown";
    } catch (const std::exception& error) {
      EXPECT_NE(std::string(error.what()).find("enough"), std::string::npos) << error.what();
    }
  };
  on_ranks([&](const Grid& grid) { expect_failure([&] { write(grid, throws); }); });
  EXPECT_EQ(transport_->kind("field"), storage::PathKind::absent);
  on_ranks([&](const Grid& grid) { write(grid, {}); });
  on_ranks([&](const Grid& grid) { expect_failure([&] { read(grid, throws); }); });
}

INSTANTIATE_TEST_SUITE_P(
    Ways, ProgressOf,
    ::testing::ValuesIn(testing::ways_here(
        std::vector{ToldWay{Strategy::direct, {1, 1, 1, 1}}, ToldWay{Strategy::direct, {1, 1, 1, 2}},
                    ToldWay{Strategy::direct, {1, 1, 1, 1}, 64, 3},
                    ToldWay{Strategy::shared, {2, 1, 1, 2}}, ToldWay{Strategy::pull, {2, 2, 1, 1}},
                    ToldWay{Strategy::messages, {2, 1, 2, 1}, 1}, ToldWay{Strategy::shared, {2, 2, 1, 2}, 4, 2}},
        &ToldWay::strategy)),
    name_of_way);

}  // namespace
}  // namespace lq::io
