// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sets of modes over MPI: the file is that of one process, whatever the process grid, the storage and the strategy;
// each rank reads its part of any mode; errors are those of all ranks.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include <limequat/limequat.hpp>

#include "mpi/harness.hpp"
#include "support/contents.hpp"

namespace lq::modes {
namespace {

using lq::testing::same_error_of;
using lq::testing::SharedDirectory;

const Extents lattice{4, 6, 2, 8};

// Numbers that tell where they belong.
std::vector<double> vector_number(const Grid& grid, std::uint64_t k) {
  std::vector<double> values;
  const Box box = grid.local_box();
  Coord x = box.lower;
  for (std::uint64_t i = 0; i < grid.local_volume(); ++i) {
    std::int64_t site = 0;
    for (int d = 4; d-- > 0;) site = site * lattice[d] + x[d];
    for (int n = 0; n < 24; ++n) values.push_back(static_cast<double>(1000 * k) + static_cast<double>(site) + n / 32.0);
    for (int d = 0; d < 4; ++d) {
      if (++x[d] < box.lower[d] + box.extents[d]) break;
      x[d] = box.lower[d];
    }
  }
  return values;
}

Mode mode_number(std::uint64_t k) { return {{0.25 * static_cast<double>(k), 0}, 1e-10}; }

class Sets : public ::testing::TestWithParam<Storage> {
 protected:
  static Description described() {
    Description description;
    description.lattice = lattice;
    description.storage = GetParam();
    description.room = 2;
    return description;
  }
  static void add(Writer& writer, const Grid& grid, std::uint64_t from, std::uint64_t to) {
    for (std::uint64_t k = from; k < to; ++k) {
      const auto values = vector_number(grid, k);
      writer.append(spinor(values), mode_number(k));
    }
  }
  SharedDirectory folder_;
};

TEST_P(Sets, AreThoseOfOneProcess) {
  const Grid alone(lattice);
  const std::string own = folder_ / ("alone" + std::to_string(lq::testing::world_rank()));
  Writer by_one(own, alone, described());
  add(by_one, alone, 0, 5);
  for (const Strategy strategy : {Strategy::automatic, Strategy::direct, Strategy::shared, Strategy::messages}) {
    const std::string path = folder_ / ("all" + std::to_string(static_cast<int>(strategy)));
    for (const SiteOrder& ranks : {SiteOrder{0, 1, 2, 3}, SiteOrder{3, 2, 1, 0}}) {
      const Grid grid(mpi::communicator(), lattice, {.rank_order = ranks, .idle_ranks = true});
      WriteOptions options;
      options.overwrite = true;
      options.route.strategy = strategy;
      {
        Writer by_all(path, grid, described(), options);
        add(by_all, grid, 0, 3);
        EXPECT_EQ(same_error_of([&] { Writer another(path, grid, options); }).code(), Code::io);
      }
      Writer later(path, grid, options);
      EXPECT_EQ(later.size(), 3U);
      add(later, grid, 3, 5);
      mpi::communicator().barrier();
      EXPECT_EQ(testing::contents(path), testing::contents(own)) << name(strategy);
    }
  }
}

TEST_P(Sets, AreReadOnAnyGrid) {
  const std::string path = folder_ / "low.modes";
  {
    const Grid grid(mpi::communicator(), lattice, {.idle_ranks = true});
    Writer writer(path, grid, described());
    add(writer, grid, 0, 5);
  }
  const Set set(path, mpi::communicator());
  ASSERT_EQ(set.size(), 5U);
  const int ranks = lq::testing::world_size();
  for (const int split : {0, 3}) {
    Extents processes{1, 1, 1, 1};
    processes[split] = lattice[split] % ranks == 0 ? ranks : 1;
    const Grid grid(mpi::communicator(), lattice, {.processes = processes, .idle_ranks = true});
    std::vector<float> one(grid.local_volume() * 24), other(one.size());
    const std::vector<const std::vector<float>*> memory{&one, &other};
    ReadAhead arriving = set.read_ahead(1, 5, grid, {spinor(one), spinor(other)});
    for (std::uint64_t k = 1; k < 5; ++k) {
      const auto arrival = arriving.next();
      ASSERT_TRUE(arrival);
      EXPECT_EQ(arrival->report.status, ChecksumStatus::ok);
      EXPECT_EQ(set.mode(k), mode_number(k));
      const auto expected = vector_number(grid, k);
      for (std::size_t i = 0; i < expected.size(); ++i) {
        const double bound = GetParam() == Storage::fixed16 ? 5400.0 / 65000 : 1e-3;
        ASSERT_NEAR((*memory[arrival->buffer])[i], expected[i], bound);
      }
    }
  }
  const std::string small = folder_ / "small.modes";
  EXPECT_EQ(convert(path, small, mpi::communicator(), {.storage = Storage::fixed16, .last = 3}), 3U);
  EXPECT_EQ(Set(small, mpi::communicator()).size(), 3U);
  EXPECT_TRUE(lq::verify(small, mpi::communicator()).ok);
}

TEST_P(Sets, AreRefusedByAllRanks) {
  const std::string path = folder_ / "low.modes";
  const Grid grid(mpi::communicator(), lattice, {.idle_ranks = true});
  Writer writer(path, grid, described());
  const auto values = vector_number(grid, 0);
  Mode mode = mode_number(0);
  mode.eigenvalue += static_cast<double>(lq::testing::world_rank());
  const bool is_alone = lq::testing::world_size() == 1;
  EXPECT_EQ(same_error_of([&] { writer.append(spinor(values), mode); }).code(),
            is_alone ? Code::ok : Code::ranks_disagree);
  EXPECT_EQ(same_error_of([&] { Writer again(path, grid, described()); }).code(), Code::exists);
  Description odd = described();
  odd.lattice = {4, 6, 2, 9};
  EXPECT_EQ(same_error_of([&] { Writer other(folder_ / "other", grid, odd); }).code(), Code::invalid_argument);
  EXPECT_EQ(same_error_of([&] { Set missing(folder_ / "missing", mpi::communicator()); }).code(), Code::not_found);
  add(writer, grid, writer.size(), 2);
  const Set set(path, mpi::communicator());
  EXPECT_EQ(set.size(), 2U);
  std::vector<double> back(grid.local_volume() * 24);
  EXPECT_EQ(same_error_of([&] { set.read(2, grid, spinor(back)); }).code(), Code::no_such_record);
}

// Vectors that are made up of those of modes 0 and 1, block by block.
std::vector<double> coherent_vector(const Grid& grid, std::uint64_t k) {
  std::vector<double> vector = vector_number(grid, k);
  if (k < 2) return vector;
  const std::vector<double> first = vector_number(grid, 0), second = vector_number(grid, 1);
  const Box box = grid.local_box();
  Coord x = box.lower;
  for (std::size_t i = 0; i < grid.local_volume(); ++i) {
    const auto weight = static_cast<double>(k) + static_cast<double>(x[0] / 2 + 3 * (x[1] / 3) + 7 * (x[3] / 4)) / 8;
    for (std::size_t n = 24 * i; n < 24 * i + 24; ++n) vector[n] = first[n] * weight - second[n] / weight;
    for (int d = 0; d < 4; ++d) {
      if (++x[d] < box.lower[d] + box.extents[d]) break;
      x[d] = box.lower[d];
    }
  }
  return vector;
}

TEST_P(Sets, WithCoherenceAreThoseOfOneProcessAndReadOnAnyGrid) {
  Description description = described();
  description.coherence = {.basis = 2, .block = {2, 3, 2, 4}, .tolerance = 0.001};
  const auto add_coherent = [](Writer& writer, const Grid& grid, std::uint64_t from, std::uint64_t to) {
    for (std::uint64_t k = from; k < to; ++k) {
      const auto values = coherent_vector(grid, k);
      writer.append(spinor(values), mode_number(k));
    }
  };
  const Grid alone(lattice);
  const std::string own = folder_ / ("alone" + std::to_string(lq::testing::world_rank()));
  Writer by_one(own, alone, description);
  add_coherent(by_one, alone, 0, 6);
  const std::string path = folder_ / "all";
  const int ranks = lq::testing::world_size();
  for (const int split : {0, 1, 3}) {
    Extents processes{1, 1, 1, 1};
    processes[split] = lattice[split] >= ranks ? ranks : 1;
    const Grid grid(mpi::communicator(), lattice, {.processes = processes, .idle_ranks = true});
    {
      WriteOptions options;
      options.overwrite = true;
      {
        Writer by_all(path, grid, description, options);
        add_coherent(by_all, grid, 0, 4);
      }
      Writer later(path, grid, options);
      add_coherent(later, grid, 4, 6);
      mpi::communicator().barrier();
      EXPECT_EQ(testing::contents(path), testing::contents(own)) << split;
    }
    const Set set(path, mpi::communicator());
    std::vector<double> values(grid.local_volume() * 24);
    for (std::uint64_t k = 6; k-- > 0;) {
      EXPECT_EQ(set.mode(k).error.has_value(), k >= 2) << k;
      set.read(k, grid, spinor(values));
      const auto expected = coherent_vector(grid, k);
      double wrong = 0, norm = 0;
      for (std::size_t i = 0; i < expected.size(); ++i) {
        wrong += (values[i] - expected[i]) * (values[i] - expected[i]);
        norm += expected[i] * expected[i];
      }
      EXPECT_LE(std::sqrt(wrong), 0.002 * std::sqrt(norm)) << k;
    }
    EXPECT_TRUE(lq::verify(path, mpi::communicator()).ok);
  }
}

INSTANTIATE_TEST_SUITE_P(Stored, Sets, ::testing::Values(Storage::double_, Storage::single, Storage::fixed16),
                         [](const auto& param) { return std::string(name(param.param)); });

}  // namespace
}  // namespace lq::modes
