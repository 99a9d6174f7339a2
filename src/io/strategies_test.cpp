// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Whatever the strategy, the process grid and the nodes: the file is, byte for byte, the one that a single rank writes
// directly, and what is read is what was written.
#include <gtest/gtest.h>

#include <limequat/error.hpp>

#include "io/transfer.hpp"
#include "lattice/site_order.hpp"
#include "support/error_of.hpp"
#include "support/file_contents.hpp"
#include "support/formula_field.hpp"
#include "support/thread_comm.hpp"
#include "support/ways_here.hpp"

namespace lq::io {
namespace {

using testing::bytes_in;
using testing::formula_sites;

struct Route {
  const char* name;
  Extents lattice, processes;
  int ranks_per_node = 64;
  RouteOptions route = {};
  SiteOrder memory_order = {};
  Precision file = Precision::double_;
  bool by_function = false;
};
std::ostream& operator<<(std::ostream& out, const Route& trial) { return out << trial.name; }

constexpr std::uint64_t link_numbers = 18;

class Strategies : public ::testing::TestWithParam<std::tuple<Strategy, Route>> {
 protected:
  static RouteOptions route() {
    RouteOptions options = std::get<1>(GetParam()).route;
    options.strategy = std::get<0>(GetParam());
    return options;
  }
  static const Route& trial() { return std::get<1>(GetParam()); }
  static FieldSpec spec() { return generic_spec(Precision::double_, link_numbers, false); }

  // Runs `body` on the trial's ranks with its grid.
  void on_ranks(const std::function<void(const Grid&)>& body) const {
    testing::run_ranks(static_cast<int>(volume(trial().processes)),
                       [&](std::shared_ptr<comm::Comm> comm) {
                         body(Grid(Communicator(std::move(comm)), trial().lattice,
                                   {.processes = trial().processes, .idle_ranks = true}));
                       },
                       {.ranks_per_node = trial().ranks_per_node});
  }

  // What one rank writes directly.
  std::vector<std::byte> expected() {
    const Grid grid(trial().lattice);
    std::vector<double> values = formula_sites<double>(grid, link_numbers);
    write_field(*transport_, "expected.lime", grid, Field{spec(), values.data(), values.size(), {}, {}}, options());
    return bytes_in(*transport_, "expected.lime");
  }
  static WriteOptions options() { return {.format = "scidac", .precision = trial().file}; }

  std::shared_ptr<storage::Transport> transport_ = storage::make_memory();
};

TEST_P(Strategies, WriteTheSameBytes) {
  on_ranks([&](const Grid& grid) {
    const std::vector<double> values = formula_sites<double>(grid, link_numbers, trial().memory_order);
    Field field{spec(), values.data(), values.size(), trial().memory_order, {}};
    if (trial().by_function) {
      field.data = nullptr;
      field.fetch = [&](const Coord& x, void* site) {
        for (std::uint64_t n = 0; n < link_numbers; ++n) {
          static_cast<double*>(site)[n] = testing::formula(lattice::site_rank(x, grid.extents()), n);
        }
      };
    }
    WriteOptions how = options();
    how.route = route();
    const bool impossible = how.route.strategy == Strategy::pull &&
                            (trial().by_function || (grid.size() > 1 && !trial().memory_order.empty()));
    if (impossible) {
      EXPECT_EQ(testing::error_of([&] { write_field(*transport_, "found.lime", grid, field, how); }).code(),
                Code::unsupported);
      how.route.strategy = Strategy::shared;
    }
    const Report report = write_field(*transport_, "found.lime", grid, field, how);
    EXPECT_EQ(report.strategy, how.route.strategy);
    EXPECT_EQ(report.bytes, grid.volume() * link_numbers * (trial().file == Precision::single ? 4 : 8));
  });
  EXPECT_EQ(bytes_in(*transport_, "found.lime"), expected());
}

TEST_P(Strategies, ReadTheSameNumbers) {
  expected();
  on_ranks([&](const Grid& grid) {
    std::vector<double> values(static_cast<std::size_t>(grid.local_volume() * link_numbers), -1);
    MutableField field{spec(), values.data(), values.size(), trial().memory_order, {}};
    if (trial().by_function) {
      field.data = nullptr;
      field.store = [&](const Coord& x, const void* site) {
        const std::uint64_t at = lattice::site_number(x, grid.local_box(), lattice::resolve_order({}, x.size()));
        std::copy_n(static_cast<const double*>(site), link_numbers,
                    &values[static_cast<std::size_t>(at * link_numbers)]);
      };
    }
    const Report report = read_field(*transport_, "expected.lime", grid, field, {.route = route()});
    EXPECT_EQ(report.status, ChecksumStatus::ok);
    EXPECT_EQ(report.bytes, grid.volume() * link_numbers * (trial().file == Precision::single ? 4 : 8));
    EXPECT_EQ(values, formula_sites<double>(grid, link_numbers, trial().memory_order));
  });
}

TEST_P(Strategies, ReadAnyRegion) {
  expected();
  Box region = whole(trial().lattice);
  for (int d = 0; d < region.lower.size(); ++d) {
    if (region.extents[d] < 4) continue;
    region.lower[d] = 1;
    region.extents[d] -= 2;
  }
  testing::run_ranks(static_cast<int>(volume(trial().processes)),
                     [&](std::shared_ptr<comm::Comm> comm) {
                       const Grid grid(Communicator(std::move(comm)), region.extents,
                                       {.processes = trial().processes, .idle_ranks = true});
                       std::vector<double> values(static_cast<std::size_t>(grid.local_volume() * link_numbers), -1);
                       read_field(*transport_, "expected.lime", grid,
                                  MutableField{spec(), values.data(), values.size(), {}, {}},
                                  {.region = region, .route = route()});
                       EXPECT_EQ(values, formula_sites<double>(grid, link_numbers, {}, trial().lattice, region.lower));
                     },
                     {.ranks_per_node = trial().ranks_per_node});
}

// Chunks of some sites only, so that there are many of them.
const RouteOptions small_chunks{.chunk_bytes = 4096, .alignment = 4096};
const Route trials[] = {
    {"one_rank", {4, 4, 4, 4}, {1, 1, 1, 1}, 64, small_chunks},
    {"x_split", {8, 4, 4, 8}, {2, 1, 1, 1}, 64, small_chunks},
    {"xyz_split", {8, 4, 6, 8}, {2, 2, 2, 1}, 64, small_chunks},
    {"xyzt_split_on_four_nodes", {8, 4, 4, 8}, {2, 2, 2, 2}, 4, small_chunks},
    {"uneven_with_idle_ranks", {3, 5, 2, 7}, {4, 1, 1, 2}, 3, small_chunks},
    {"single_precision", {8, 4, 4, 8}, {2, 1, 2, 1}, 2, small_chunks, {}, Precision::single},
    {"sites_from_a_function", {8, 4, 4, 4}, {2, 2, 1, 1}, 2, small_chunks, {}, Precision::double_, true},
    {"t_fastest_in_memory", {8, 4, 4, 4}, {2, 1, 1, 2}, 64, small_chunks, {3, 2, 1, 0}},
    {"two_aggregators", {8, 4, 4, 8}, {2, 2, 2, 1}, 4, {.aggregators = 2, .chunk_bytes = 4096, .alignment = 4096}},
    {"large_chunks", {8, 8, 8, 8}, {2, 2, 1, 1}, 64, {}},
    {"every_rank_a_node", {8, 4, 4, 4}, {4, 1, 1, 1}, 1, small_chunks},
    {"three_dimensions", {16, 8, 8}, {4, 2, 1}, 4, small_chunks},
};
INSTANTIATE_TEST_SUITE_P(Grids, Strategies,
                         ::testing::Combine(::testing::ValuesIn(testing::strategies_here()),
                                            ::testing::ValuesIn(trials)),
                         [](const auto& trial) {
                           return std::string(name(std::get<0>(trial.param))) + "_" + std::get<1>(trial.param).name;
                         });

}  // namespace
}  // namespace lq::io
