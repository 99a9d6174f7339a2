// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The same bits on every process grid: observables and generated configurations, with uneven grids, odd extents,
// idle ranks and ranks that hold nothing; and the same error on every rank.
#include <cstring>
#include <limits>
#include <mutex>
#include <optional>

#include <gtest/gtest.h>
#include <limequat/error.hpp>
#include <limequat/physics.hpp>

#include "physics/naive.hpp"
#include "physics/split.hpp"
#include "support/error_of.hpp"

namespace lq {
namespace {

using testing::error_of;
using testing::local_links;
using testing::on_split;
using testing::Split;

struct Case {
  Extents extents;
  std::vector<Split> splits;
};

const Case even{{4, 4, 2, 8}, {{2, {1, 1, 1, 2}}, {4, {1, 1, 1, 4}}, {4, {2, 2, 1, 1}}, {8, {2, 1, 2, 2}}}};
const Case uneven{{5, 3, 2, 4}, {{2, {2, 1, 1, 1}}, {3, {3, 1, 1, 1}}, {4, {2, 2, 1, 1}}, {8, {2, 1, 2, 2}}}};
const Case crowded{{3, 5}, {{3, {1, 3}}, {4, {4, 1}}, {8, {1, 8}}, {8, {3, 2}}}};
const Case space{{4, 3, 5}, {{2, {1, 1, 2}}, {3, {1, 1, 3}}, {8, {2, 2, 2}}}};

class AnyGrid : public ::testing::TestWithParam<Case> {};

void expect_same_bits(const Physics& a, const Physics& b) {
  EXPECT_EQ(a.plaquette.average, b.plaquette.average);
  EXPECT_EQ(a.plaquette.spatial, b.plaquette.spatial);
  EXPECT_EQ(a.plaquette.temporal, b.plaquette.temporal);
  EXPECT_EQ(a.link_trace, b.link_trace);
  EXPECT_EQ(a.unitarity.largest, b.unitarity.largest);
  EXPECT_EQ(a.unitarity.mean, b.unitarity.mean);
  EXPECT_EQ(a.unitarity.largest_determinant, b.unitarity.largest_determinant);
  EXPECT_EQ(a.unitarity.far_links, b.unitarity.far_links);
  EXPECT_EQ(a.unitarity.worst_site, b.unitarity.worst_site);
  EXPECT_EQ(a.unitarity.worst_link, b.unitarity.worst_link);
  EXPECT_EQ(a.not_finite, b.not_finite);
}

void expect_physics_on_all(const Case& test, const naive::Lattice& lattice) {
  const auto links = lattice.links;
  const Physics alone = measure(Grid(lattice.extents), gauge(links, {.colors = lattice.colors}));
  for (const Split& split : test.splits) {
    on_split(test.extents, split, [&](const Grid& grid) {
      const auto mine = local_links<double>(grid, lattice);
      expect_same_bits(measure(grid, gauge(mine, {.colors = lattice.colors})), alone);
    });
  }
}

TEST_P(AnyGrid, ObservablesAreTheSame) {
  for (const int colors : {2, 3, 4})
    expect_physics_on_all(GetParam(), naive::random_links(GetParam().extents, colors, 1));
}

TEST_P(AnyGrid, TheWorstLinkIsTheFirstOfEquals) {
  auto lattice = naive::unit_links(GetParam().extents, 3);
  const std::size_t per_link = 9;
  for (std::size_t link = 5; link < lattice.links.size() / per_link; link += 7) lattice.links[link * per_link] = 2;
  expect_physics_on_all(GetParam(), lattice);
  const auto links = lattice.links;
  const auto worst = unitarity(Grid(lattice.extents), gauge(links));
  const auto directions = static_cast<std::size_t>(lattice.dimensions());
  EXPECT_EQ(worst.worst_site, lattice.coordinates(5 / directions));
  EXPECT_EQ(worst.worst_link, static_cast<int>(5 % directions));
}

std::vector<double> numbers_of(const lq::Observables& measured) {
  std::vector<double> numbers;
  const auto put = [&](const std::optional<double>& number) { numbers.push_back(number.value_or(-1e300)); };
  for (const WilsonLoop& loop : measured.wilson_loops) {
    numbers.insert(numbers.end(), {loop.average, loop.spatial, loop.temporal});
  }
  for (const FlowPoint& point : measured.flow) {
    numbers.insert(numbers.end(), {point.time, point.energy, point.energy_plaquette});
    put(point.charge);
  }
  put(measured.polyakov_loop ? std::optional(measured.polyakov_loop->real()) : std::nullopt);
  put(measured.polyakov_loop ? std::optional(measured.polyakov_loop->imag()) : std::nullopt);
  for (const auto& scale : {measured.t0, measured.w0, measured.t0_plaquette, measured.w0_plaquette}) put(scale);
  return numbers;
}

// Links near 1, which flow as those of simulations do.
naive::Lattice smooth_links(const Extents& extents, int colors) {
  naive::Lattice lattice = naive::random_links(extents, colors, 1);
  if (colors > 3) return lattice;
  const GenerateOptions options{.beta = 3.0 * colors, .sweeps = 4};
  generate(Grid(extents), gauge(lattice.links, {.colors = colors}), options);
  return lattice;
}

TEST_P(AnyGrid, LoopsAndFlowAreTheSame) {
  for (const int colors : {2, 3, 4}) {
    const naive::Lattice lattice = smooth_links(GetParam().extents, colors);
    const auto links = lattice.links;
    const ObservablesOptions options{.flow_steps = 4, .flow_step = 0.15};
    const auto alone = numbers_of(observables(Grid(lattice.extents), gauge(links, {.colors = colors}), options));
    for (const Split& split : GetParam().splits) {
      on_split(GetParam().extents, split, [&](const Grid& grid) {
        const auto mine = local_links<double>(grid, lattice);
        EXPECT_EQ(numbers_of(observables(grid, gauge(mine, {.colors = colors}), options)), alone);
      });
    }
    ObservablesOptions by_three = options;
    by_three.threads = 3;
    EXPECT_EQ(numbers_of(observables(Grid(lattice.extents), gauge(links, {.colors = colors}), by_three)), alone);
  }
}

TEST_P(AnyGrid, DensitiesAreTheSame) {
  const Extents& extents = GetParam().extents;
  const naive::Lattice lattice = naive::random_links(extents, 3, 4);
  const auto links = lattice.links;
  const auto plaquettes = plaquette_density(Grid(extents), gauge(links));
  const auto charges = extents.size() == 4 ? charge_density(Grid(extents), gauge(links)) : std::vector<double>();
  for (const Split& split : GetParam().splits) {
    on_split(extents, split, [&](const Grid& grid) {
      const auto mine = local_links<double>(grid, lattice);
      const auto own_plaquettes = plaquette_density(grid, gauge(mine));
      const auto own_charges = charges.empty() ? charges : charge_density(grid, gauge(mine));
      ASSERT_EQ(own_plaquettes.size(), grid.local_volume());
      testing::for_each_local_site(grid, {}, [&](std::size_t local, std::size_t site) {
        EXPECT_EQ(own_plaquettes[local], plaquettes[site]);
        if (!charges.empty()) {
          EXPECT_EQ(own_charges[local], charges[site]);
        }
      });
    });
  }
}

// The links of the whole lattice, put together from those of the ranks.
std::vector<std::complex<double>> generate_on(const Extents& extents, const Split& split, int colors,
                                              const GenerateOptions& options) {
  const auto per_site = static_cast<std::size_t>(extents.size() * colors * colors);
  std::vector<std::complex<double>> whole(volume(extents) * per_site);
  on_split(extents, split, [&](const Grid& grid) {
    std::vector<std::complex<double>> mine(static_cast<std::size_t>(grid.local_volume()) * per_site);
    generate(grid, gauge(mine, {.colors = colors}), options);
    testing::for_each_local_site(grid, {}, [&](std::size_t local, std::size_t site) {
      std::memcpy(&whole[site * per_site], &mine[local * per_site], per_site * sizeof(std::complex<double>));
    });
  });
  return whole;
}

TEST_P(AnyGrid, GeneratedConfigurationsAreTheSame) {
  for (const int colors : {2, 3}) {
    const GenerateOptions options{.beta = 5.5, .sweeps = 3, .over_relaxation = 2, .seed = 42, .hot_start = colors == 2};
    const Extents one_process = Extents::filled(GetParam().extents.size(), 1);
    const auto alone = generate_on(GetParam().extents, {1, one_process}, colors, options);
    for (const Split& split : GetParam().splits) {
      EXPECT_TRUE(generate_on(GetParam().extents, split, colors, options) == alone)
          << "SU(" << colors << ") on " << split.ranks << " ranks as " << to_string(split.processes);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Lattices, AnyGrid, ::testing::Values(even, uneven, crowded, space));

TEST(RanksThatHoldNothing, TakePart) {
  const auto lattice = naive::random_links({4, 4}, 3, 1);
  const auto links = lattice.links;
  const double alone = plaquette(Grid({4, 4}), gauge(links)).average;
  testing::run_ranks(3, [&](std::shared_ptr<comm::Comm> comm) {
    const bool holds = comm->rank() != 1;
    const Grid grid(Communicator(comm), {4, 4}, {.processes = Extents{1, 2}, .holds_sites = holds});
    const auto mine = local_links<double>(grid, lattice);
    EXPECT_EQ(plaquette(grid, gauge(mine)).average, alone);
    EXPECT_EQ(observables(grid, gauge(mine), {.flow_steps = 1}).wilson_loops.front().average, alone);
  });
}

// What every one of four ranks throws.
template <class Work>
void expect_error_everywhere(Code code, const Work& work) {
  on_split({4, 4}, {4, {2, 2}}, [&](const Grid& grid) {
    std::vector<std::complex<double>> links(static_cast<std::size_t>(grid.local_volume()) * 18);
    EXPECT_EQ(error_of([&] { work(grid, links); }).code(), code);
  });
}

TEST(OneRankFails, TooLittleMemoryIsAnErrorOfAll) {
  expect_error_everywhere(Code::invalid_argument, [](const Grid& grid, auto& links) {
    if (grid.rank() == 2) links.pop_back();
    measure(grid, gauge(links));
  });
}

TEST(OneRankFails, AnotherGroupIsADisagreement) {
  expect_error_everywhere(Code::ranks_disagree, [](const Grid& grid, auto& links) {
    unitarity(grid, gauge(links, {.colors = grid.rank() == 3 ? 2 : 3}));
  });
}

TEST(OneRankFails, AnotherSeedIsADisagreement) {
  expect_error_everywhere(Code::ranks_disagree, [](const Grid& grid, auto& links) {
    generate(grid, gauge(links), {.sweeps = 1, .seed = grid.rank() == 1 ? 2U : 1U});
  });
}

TEST(OneRankFails, AnotherFlowIsADisagreement) {
  expect_error_everywhere(Code::ranks_disagree, [](const Grid& grid, auto& links) {
    observables(grid, gauge(links), {.flow_steps = grid.rank() == 2 ? 1 : 0});
  });
}

TEST(OneRankFails, LinksOfOneRankThatAreNoneAreAnErrorOfAll) {
  expect_error_everywhere(Code::invalid_argument, [](const Grid& grid, auto& links) {
    for (std::size_t i = 0; i < links.size(); ++i) links[i] = i % 9 % 4 == 0 ? 1 : 0;
    if (grid.rank() == 3) links[5] = std::numeric_limits<double>::quiet_NaN();
    observables(grid, gauge(links));
  });
}

TEST(OneRankFails, AFunctionThatThrowsStopsAll) {
  expect_error_everywhere(Code::wrong_state, [](const Grid& grid, auto&) {
    const auto fetch = [&](const Coord&, std::span<double, 36>) {
      if (grid.rank() == 1) throw Error(Code::wrong_state, "no site for you");
    };
    plaquette(grid, gauge_from<double, 3, 2>(fetch));
  });
}

TEST(OneRankFails, AnObserverThatThrowsStopsAll) {
  expect_error_everywhere(Code::wrong_state, [](const Grid& grid, auto& links) {
    GenerateOptions options{.sweeps = 3};
    options.after_sweep = [&](int sweep, const Field&) {
      if (grid.rank() == 3 && sweep == 2) throw Error(Code::wrong_state, "enough");
    };
    generate(grid, gauge(links), options);
  });
}

}  // namespace
}  // namespace lq
