// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Write, then read, is the identity, and the file does not depend on who wrote it: random lattices, process grids,
// orders, kinds and precisions, on ranks that are threads over files in memory.
#include <gtest/gtest.h>

#include <random>

#include <limequat/error.hpp>

#include "io/field_writer.hpp"
#include "io/transfer.hpp"
#include "support/error_of.hpp"
#include "support/file_contents.hpp"
#include "support/formula_field.hpp"
#include "support/thread_comm.hpp"

namespace lq::io {
namespace {

using testing::bytes_in;
using testing::error_of;
using testing::formula_sites;
using testing::run_ranks;

template <class T>
MutableField memory_field(std::vector<T>& values, FieldSpec spec, SiteOrder order = {}) {
  spec.precision = precision_of<T>;
  return {spec, values.data(), values.size(), std::move(order), {}};
}

template <class T>
void write_formula(storage::Transport& transport, const std::string& path, int ranks, const Extents& extents,
                   const FieldSpec& spec, const GridOptions& grid_options = {}, const WriteOptions& options = {},
                   const SiteOrder& order = {}) {
  run_ranks(ranks, [&](std::shared_ptr<comm::Comm> comm) {
    const Grid grid(Communicator(std::move(comm)), extents, grid_options);
    std::vector<T> values = formula_sites<T>(grid, spec.numbers, order);
    const Report report = write_field(transport, path, grid, memory_field(values, spec, order), options);
    EXPECT_EQ(report.bytes, grid.volume() * report.spec.site_bytes());
  });
}

template <class T>
void expect_formula(storage::Transport& transport, const std::string& path, int ranks, const Extents& extents,
                    const FieldSpec& spec, const GridOptions& grid_options = {}, const SiteOrder& order = {}) {
  run_ranks(ranks, [&](std::shared_ptr<comm::Comm> comm) {
    const Grid grid(Communicator(std::move(comm)), extents, grid_options);
    std::vector<T> values(static_cast<std::size_t>(grid.local_volume() * spec.numbers), T{-1});
    const Report report = read_field(transport, path, grid, memory_field(values, spec, order), {});
    EXPECT_EQ(report.status, ChecksumStatus::ok);
    EXPECT_EQ(values, formula_sites<T>(grid, spec.numbers, order));
  });
}

struct Trial {
  Extents extents;
  FieldSpec spec;
  int writers, readers;
  SiteOrder write_order, read_order;
};

Trial random_trial(std::mt19937& random) {
  const auto up_to = [&](int n) { return 1 + static_cast<int>(random() % static_cast<unsigned>(n)); };
  Trial trial;
  const int dimensions = up_to(5);
  trial.extents = Coord::filled(dimensions, 1);
  for (int d = 0; d < dimensions; ++d) trial.extents[d] = up_to(6);
  switch (random() % 4) {
    case 0:
      trial.spec = spinor_spec(Precision::double_);
      break;
    case 1:
      trial.spec = propagator_spec(Precision::double_);
      break;
    case 2:
      trial.spec = generic_spec(Precision::double_, static_cast<std::uint64_t>(up_to(9)), false);
      break;
    default:
      trial.spec = gauge_spec(Precision::double_, 1 + up_to(3), dimensions);
      trial.spec.numbers = 2ULL * static_cast<std::uint64_t>(dimensions * trial.spec.colors * trial.spec.colors);
  }
  trial.writers = up_to(5);
  trial.readers = up_to(5);
  for (int d = 0; d < dimensions; ++d) trial.write_order.push_back(d);
  trial.read_order = trial.write_order;
  std::shuffle(trial.write_order.begin(), trial.write_order.end(), random);
  std::shuffle(trial.read_order.begin(), trial.read_order.end(), random);
  return trial;
}

TEST(RoundTrip, IsTheIdentityForRandomLatticesGridsOrdersAndKinds) {
  std::mt19937 random(20260);
  for (int i = 0; i < 60; ++i) {
    const Trial trial = random_trial(random);
    SCOPED_TRACE(::testing::Message() << "trial " << i << " lattice " << to_string(trial.extents) << " kind "
                                      << name(trial.spec.kind) << " ranks " << trial.writers << " -> "
                                      << trial.readers);
    const auto transport = storage::make_memory();
    write_formula<double>(*transport, "f", trial.writers, trial.extents, trial.spec, {}, {.format = "scidac"},
                          trial.write_order);
    expect_formula<double>(*transport, "f", trial.readers, trial.extents, trial.spec, {}, trial.read_order);
  }
}

TEST(RoundTrip, ConvertsPrecisionOnTheWay) {
  const FieldSpec spec = spinor_spec(Precision::double_);
  for (const Precision in_file : {Precision::single, Precision::double_}) {
    const auto transport = storage::make_memory();
    write_formula<double>(*transport, "f", 2, {4, 4, 4, 4}, spec, {}, {.format = "scidac", .precision = in_file});
    expect_formula<double>(*transport, "f", 3, {4, 4, 4, 4}, spec);
    expect_formula<float>(*transport, "f", 3, {4, 4, 4, 4}, spec);
  }
}

TEST(RoundTrip, TheFileDoesNotDependOnTheProcessGridOrMemoryOrder) {
  FieldSpec spec = gauge_spec(Precision::double_, 3, 4);
  spec.numbers = 72;
  const Extents extents{4, 3, 5, 6};
  const auto transport = storage::make_memory();
  write_formula<double>(*transport, "reference", 1, extents, spec);
  const std::vector<std::byte> reference = bytes_in(*transport, "reference");
  const std::vector<std::pair<int, GridOptions>> grids = {
      {2, {.processes = Extents{2, 1, 1, 1}}},
      {3, {}},
      {4, {.processes = Extents{1, 1, 2, 2}, .rank_order = {3, 2, 1, 0}}},
      {4, {.processes = Extents{2, 1, 1, 2}, .ranks = {2, 3, 1, 0}}},
      {6, {.processes = Extents{1, 2, 2, 1}, .ranks = {5, 1, 4, 0}, .idle_ranks = true}},
      {6, {.processes = Extents{1, 1, 1, 4}, .idle_ranks = true}},
      {8, {.processes = Extents{2, 2, 2, 1}}},
      {7, {.processes = Extents{7, 1, 1, 1}}}};  // more ranks than sites in x
  int number = 0;
  for (const auto& [ranks, options] : grids) {
    const std::string path = "grid" + std::to_string(number++);
    write_formula<double>(*transport, path, ranks, extents, spec, options, {}, {2, 0, 3, 1});
    EXPECT_EQ(bytes_in(*transport, path), reference) << path;
  }
}

TEST(RoundTrip, WorksWhereASubsetOfTheRanksHoldsNothing) {
  const FieldSpec spec = spinor_spec(Precision::double_);
  const auto transport = storage::make_memory();
  run_ranks(5, [&](std::shared_ptr<comm::Comm> comm) {
    const bool holds = comm->rank() == 1 || comm->rank() == 4;
    const Grid grid(Communicator(std::move(comm)), {4, 4, 4, 4}, {.holds_sites = holds});
    EXPECT_EQ(grid.local_volume(), holds ? 128U : 0U);
    std::vector<double> values = formula_sites<double>(grid, spec.numbers);
    write_field(*transport, "f", grid, memory_field(values, spec), {.format = "scidac"});
  });
  expect_formula<double>(*transport, "f", 2, {4, 4, 4, 4}, spec);
}

TEST(RoundTrip, OfAnAccessorFieldIsTheSame) {
  const auto transport = storage::make_memory();
  const Extents extents{4, 2, 2, 6};
  run_ranks(3, [&](std::shared_ptr<comm::Comm> comm) {
    const Grid grid(Communicator(std::move(comm)), extents);
    const auto fetch = [&](const Coord& x, std::span<double, 72> site) {
      for (std::size_t n = 0; n < 72; ++n) site[n] = testing::formula(lattice::site_rank(x, extents), n);
    };
    write_field(*transport, "f", grid, gauge_from<double>(fetch), {});
    std::uint64_t wrong = 0, seen = 0;
    const auto store = [&](const Coord& x, std::span<const float, 72> site) {
      ++seen;
      for (std::size_t n = 0; n < 72; ++n) {
        wrong += static_cast<double>(site[n]) != testing::formula(lattice::site_rank(x, extents), n);
      }
    };
    read_field(*transport, "f", grid, gauge_into<float>(store), {});
    EXPECT_EQ(seen, grid.local_volume());
    EXPECT_EQ(wrong, 0U);
  });
  FieldSpec spec = gauge_spec(Precision::double_, 3, 4);
  spec.numbers = 72;
  expect_formula<double>(*transport, "f", 2, extents, spec);
}

class Regions : public ::testing::TestWithParam<std::pair<Box, ChecksumStatus>> {};

TEST_P(Regions, AreReadOnAnyGridAndCheckedWhereChecksumsCoverThem) {
  const Box& region = GetParam().first;
  const Extents extents{4, 3, 5, 6};
  const FieldSpec spec = spinor_spec(Precision::double_);
  const auto transport = storage::make_memory();
  write_formula<double>(*transport, "f", 2, extents, spec, {}, {.format = "scidac"});
  run_ranks(3, [&](std::shared_ptr<comm::Comm> comm) {
    const Grid grid(Communicator(std::move(comm)), region.extents);
    std::vector<double> values(static_cast<std::size_t>(grid.local_volume() * spec.numbers));
    const Report report = read_field(*transport, "f", grid, memory_field(values, spec), {.region = region});
    EXPECT_EQ(report.status, GetParam().second);
    EXPECT_EQ(values, formula_sites<double>(grid, spec.numbers, {}, extents, region.lower));
  });
}

INSTANTIATE_TEST_SUITE_P(Boxes, Regions,
                         ::testing::Values(std::pair{Box{{0, 0, 0, 2}, {4, 3, 5, 3}}, ChecksumStatus::ok},
                                           std::pair{Box{{0, 0, 0, 0}, {4, 3, 5, 6}}, ChecksumStatus::ok},
                                           std::pair{Box{{1, 0, 2, 1}, {2, 3, 2, 4}}, ChecksumStatus::unchecked},
                                           std::pair{Box{{3, 2, 4, 5}, {1, 1, 1, 1}}, ChecksumStatus::unchecked}));

TEST(Reading, OnAGridOfAnotherLatticeNamesBoth) {
  const FieldSpec spec = spinor_spec(Precision::double_);
  const auto transport = storage::make_memory();
  write_formula<double>(*transport, "f", 1, {4, 4, 4, 4}, spec, {}, {.format = "scidac"});
  const Grid grid(Extents{4, 4, 4, 8});
  std::vector<double> values(static_cast<std::size_t>(grid.volume() * spec.numbers));
  const Error error = error_of([&] { read_field(*transport, "f", grid, memory_field(values, spec), {}); });
  EXPECT_EQ(error.code(), Code::invalid_argument);
  EXPECT_EQ(error.facts().expected, "4x4x4x4");
  EXPECT_EQ(error.facts().found, "4x4x4x8");
}

TEST(Reading, AFieldOfAnotherKindIsRefused) {
  const auto transport = storage::make_memory();
  write_formula<double>(*transport, "f", 1, {4, 4, 4, 4}, spinor_spec(Precision::double_), {}, {.format = "scidac"});
  const Grid grid(Extents{4, 4, 4, 4});
  std::vector<double> values(static_cast<std::size_t>(grid.volume() * 288));
  const auto read_as = [&](const FieldSpec& spec) {
    return error_of([&] { read_field(*transport, "f", grid, memory_field(values, spec), {}); }).code();
  };
  EXPECT_EQ(read_as(propagator_spec(Precision::double_)), Code::invalid_argument);
  EXPECT_EQ(read_as(generic_spec(Precision::double_, 24, true)), Code::ok);
}

TEST(Writing, WithMemoryTooSmallForTheGridFailsOnAllRanksBeforeAFileExists) {
  const auto transport = storage::make_memory();
  const FieldSpec spec = spinor_spec(Precision::double_);
  const auto outcomes = testing::outcomes_of_ranks(3, [&](std::shared_ptr<comm::Comm> comm) {
    const bool small = comm->rank() == 1;
    const Grid grid(Communicator(std::move(comm)), {4, 4, 4, 4});
    std::vector<double> values(small ? 10 : static_cast<std::size_t>(grid.local_volume() * spec.numbers));
    write_field(*transport, "f", grid, memory_field(values, spec), {.format = "scidac"});
  });
  for (const std::exception_ptr& outcome : outcomes) {
    const Error error = error_of([&] { std::rethrow_exception(outcome); });
    EXPECT_EQ(error.code(), Code::invalid_argument);
    EXPECT_EQ(error.facts().rank, 1);
  }
  EXPECT_EQ(transport->kind("f"), storage::PathKind::absent);
}

TEST(Writing, DifferentOptionsOnTwoRanksIsAnError) {
  const auto transport = storage::make_memory();
  const FieldSpec spec = spinor_spec(Precision::double_);
  const auto outcomes = testing::outcomes_of_ranks(2, [&](std::shared_ptr<comm::Comm> comm) {
    const int rank = comm->rank();
    const Grid grid(Communicator(std::move(comm)), {4, 4, 4, 4});
    std::vector<double> values = formula_sites<double>(grid, spec.numbers);
    write_field(*transport, "f", grid, memory_field(values, spec),
                {.format = "scidac", .metadata = {{"note", rank == 0 ? "a" : "b"}}});
  });
  for (const std::exception_ptr& outcome : outcomes) {
    EXPECT_EQ(error_of([&] { std::rethrow_exception(outcome); }).code(), Code::ranks_disagree);
  }
}

// Fields in single precision on one rank and in double on the other; `precision` as asked of the file.
std::vector<std::exception_ptr> write_mixed(storage::Transport& transport, std::optional<Precision> precision) {
  return testing::outcomes_of_ranks(2, [&](std::shared_ptr<comm::Comm> comm) {
    const bool is_single = comm->rank() == 1;
    const Grid grid(Communicator(std::move(comm)), {4, 4, 4, 4});
    std::vector<float> singles = formula_sites<float>(grid, 24);
    std::vector<double> doubles = formula_sites<double>(grid, 24);
    const Field field = is_single ? Field(spinor(singles)) : Field(spinor(doubles));
    write_field(transport, "f", grid, field, {.format = "scidac", .precision = precision});
  });
}

TEST(Writing, FromSingleOnOneRankAndDoubleOnAnotherNeedsAPrecision) {
  const auto transport = storage::make_memory();
  for (const std::exception_ptr& outcome : write_mixed(*transport, {})) {
    EXPECT_EQ(error_of([&] { std::rethrow_exception(outcome); }).code(), Code::ranks_disagree);
  }
  EXPECT_EQ(transport->kind("f"), storage::PathKind::absent);
  for (const std::exception_ptr& outcome : write_mixed(*transport, Precision::single)) EXPECT_EQ(outcome, nullptr);
  EXPECT_EQ(transport->kind("f"), storage::PathKind::file);
}

TEST(Writing, RecordsOfDifferentTypesOnTwoRanksIsAnError) {
  const auto transport = storage::make_memory();
  const auto outcomes = testing::outcomes_of_ranks(2, [&](std::shared_ptr<comm::Comm> comm) {
    const std::string type = comm->rank() == 0 ? "note" : "remark";
    FieldWriter writer(*transport, Communicator(std::move(comm)), "f", {.format = "scidac"});
    writer.append_record(type, "text");
  });
  for (const std::exception_ptr& outcome : outcomes) {
    const Error error = error_of([&] { std::rethrow_exception(outcome); });
    EXPECT_EQ(error.code(), Code::ranks_disagree);
    EXPECT_EQ(error.facts().found, "remark");
  }
}

TEST(Writing, ToADirectoryThatIsMissingNamesTheFileAskedFor) {
  std::vector<double> values(16 * 24);
  const std::string path = "no/such/directory/f.scidac";
  const Error error = error_of([&] { write_field(storage::posix(), path, Grid({2, 2, 2, 2}), spinor(values), {}); });
  EXPECT_EQ(error.code(), Code::not_found);
  EXPECT_EQ(error.facts().path, path);
  EXPECT_TRUE(std::string_view(error.what()).starts_with(path + ": ")) << error.what();
}

TEST(Writing, ToAPathWithANulIsRefused) {
  const auto transport = storage::make_memory();
  std::vector<double> values(16 * 24);
  const Error error = error_of([&] {
    write_field(*transport, std::string("a\0b", 3), Grid({2, 2, 2, 2}), spinor(values), {.format = "scidac"});
  });
  EXPECT_EQ(error.code(), Code::invalid_argument);
}

}  // namespace
}  // namespace lq::io
