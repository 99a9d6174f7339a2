// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A file written region by region is the file that is written at once, and one with holes is none.
#include <limequat/region_writer.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <random>

#include <limequat/limequat.hpp>

#include "support/error_of.hpp"
#include "support/scratch_directory.hpp"
#include "support/thread_comm.hpp"

namespace lq::io {
namespace {

using testing::error_of;

const Extents lattice_of_regions{4, 3, 2, 6};

std::string text_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Numbers that say where they belong.
double number_at(const Coord& x, std::uint64_t k) {
  return static_cast<double>(x[0] + 10 * x[1] + 100 * x[2] + 1000 * x[3]) + static_cast<double>(k) / 64;
}

// Of the sites of a box, the dimensions as `order` has them, fastest first.
std::vector<double> numbers_in(const Box& box, const SiteOrder& order = {0, 1, 2, 3}) {
  std::vector<double> numbers;
  for (std::uint64_t n = 0; n < box.volume(); ++n) {
    Coord x = box.lower;
    std::uint64_t left = n;
    for (const int d : order) {
      x[d] += static_cast<std::int64_t>(left % static_cast<std::uint64_t>(box.extents[d]));
      left /= static_cast<std::uint64_t>(box.extents[d]);
    }
    for (std::uint64_t k = 0; k < 24; ++k) numbers.push_back(number_at(x, k));
  }
  return numbers;
}

// Halves of halves along each axis in turn: boxes of many shapes.
std::vector<Box> pieces_of(const Box& box, int axis) {
  if (box.volume() <= 3) return {box};
  while (box.extents[axis] < 2) axis = (axis + 1) % 4;
  Box low = box, high = box;
  low.extents[axis] = box.extents[axis] / 2;
  high.lower[axis] += low.extents[axis];
  high.extents[axis] -= low.extents[axis];
  std::vector<Box> all = pieces_of(low, (axis + 1) % 4);
  std::ranges::copy(pieces_of(high, (axis + 1) % 4), std::back_inserter(all));
  return all;
}

class RegionByRegion : public ::testing::Test {
 protected:
  static WriteOptions without_time() {
    WriteOptions options;
    options.time_stamps = false;
    return options;
  }

  testing::ScratchDirectory directory_;
  std::string path_ = directory_ / "regions.scidac", whole_ = directory_ / "whole.scidac";
  FieldSpec spec_ = spinor_spec(Precision::double_);
  WriteOptions options_ = without_time();
};

TEST_F(RegionByRegion, InAnyOrderMakeTheFileThatIsWrittenAtOnce) {
  const Grid grid(lattice_of_regions);
  const std::vector<double> all = numbers_in(whole(lattice_of_regions));
  write(whole_, grid, spinor(all), options_);
  std::vector<Box> pieces = pieces_of(whole(lattice_of_regions), 0);
  std::shuffle(pieces.begin(), pieces.end(), std::mt19937(7));
  RegionWriter writer(path_, grid, spec_, options_);
  std::uint64_t left = grid.volume();
  for (const Box& piece : pieces) {
    EXPECT_EQ(writer.missing(), left);
    const std::vector<double> numbers = numbers_in(piece);
    writer.write(piece, spinor(numbers));
    left -= piece.volume();
    EXPECT_FALSE(std::filesystem::exists(path_));
  }
  EXPECT_EQ(writer.missing(), 0U);
  EXPECT_TRUE(writer.close().stored.has_value());
  EXPECT_EQ(text_of_file(path_), text_of_file(whole_));
  EXPECT_EQ(error_of([&] { writer.close(); }).code(), Code::wrong_state);
  EXPECT_EQ(error_of([&] { writer.write(whole(lattice_of_regions), spinor(all)); }).code(), Code::wrong_state);
}

TEST_F(RegionByRegion, LeaveNoFileWithHolesUntilTheyAreFilled) {
  const Grid grid(lattice_of_regions);
  const Box first{{0, 0, 0, 0}, {4, 3, 2, 5}}, last{{0, 0, 0, 5}, {4, 3, 2, 1}};
  const std::vector<double> wrong(static_cast<std::size_t>(24 * 120), -1.0);
  const std::vector<double> head = numbers_in(first), tail = numbers_in(last);
  {
    RegionWriter abandoned(path_, grid, spec_, options_);
    abandoned.write(first, spinor(head));
  }
  EXPECT_TRUE(std::filesystem::is_empty(std::filesystem::path(path_).parent_path()));
  RegionWriter writer(path_, grid, spec_, options_);
  writer.write(first, spinor(wrong));
  writer.write(first, spinor(head));  // counts as given last
  const Error error = error_of([&] { writer.close(); });
  EXPECT_EQ(error.code(), Code::wrong_state);
  EXPECT_NE(
      std::string(error.what()).find("24 of 144 sites of this rank's box were not given, the first of them 0x0x0x5"),
      std::string::npos)
      << error.what();
  EXPECT_FALSE(std::filesystem::exists(path_));
  writer.write(last, spinor(tail));
  writer.close();
  std::vector<double> found(static_cast<std::size_t>(24 * 144));
  read(path_, grid, spinor(found));
  EXPECT_EQ(found, numbers_in(whole(lattice_of_regions)));
}

TEST_F(RegionByRegion, ComeOutOfAnyMemory) {
  const Grid grid(lattice_of_regions);
  RegionWriter writer(path_, grid, spec_, options_);
  const Box low{{0, 0, 0, 0}, {4, 3, 2, 3}}, high{{0, 0, 0, 3}, {4, 3, 2, 3}};
  writer.write(low, field_from<double, 24>(spec_, [&](const Coord& x, std::span<double, 24> site) {
                 for (std::uint64_t k = 0; k < 24; ++k) site[static_cast<std::size_t>(k)] = number_at(x, k);
               }));
  const SiteOrder turned{3, 2, 1, 0};
  const std::vector<double> numbers = numbers_in(high, turned);
  writer.write(high, spinor(numbers, {.order = turned}));
  writer.close();
  std::vector<double> found(static_cast<std::size_t>(24 * 144));
  read(path_, grid, spinor(found));
  EXPECT_EQ(found, numbers_in(whole(lattice_of_regions)));
}

TEST_F(RegionByRegion, OutsideOfTheLatticeOrOfAnotherKindAreRefused) {
  const Grid grid(lattice_of_regions);
  RegionWriter writer(path_, grid, spec_, options_);
  const std::vector<double> numbers(static_cast<std::size_t>(24 * 144));
  constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();
  for (const Box& bad : {Box{{0, 0, 0, 1}, {4, 3, 2, 6}}, Box{{-1, 0, 0, 0}, {4, 3, 2, 6}},
                         Box{{0, 0, 0, 0}, {4, 3, 2, 0}}, Box{{0, 0, 0, 0}, {4, 3, 2, -1}}, Box{{0, 0, 0}, {4, 3, 2}},
                         Box{{0, 0, 0, huge}, {4, 3, 2, 2}}, Box{{0, 0, 0, 2}, {4, 3, 2, huge}}}) {
    EXPECT_EQ(error_of([&] { writer.write(bad, spinor(numbers)); }).code(), Code::invalid_argument);
  }
  const std::vector<float> single(static_cast<std::size_t>(24 * 144));
  const Box all = whole(lattice_of_regions);
  EXPECT_EQ(error_of([&] { writer.write(all, spinor(single)); }).code(), Code::invalid_argument);
  EXPECT_EQ(error_of([&] { writer.write(all, sites(numbers)); }).code(), Code::invalid_argument);
  EXPECT_EQ(error_of([&] { writer.write(all, spinor(std::span(numbers).first(24 * 143))); }).code(),
            Code::invalid_argument);
  EXPECT_EQ(writer.missing(), 144U);
}

TEST_F(RegionByRegion, OfSeveralRanksAreOneFileAndAHoleOnOneIsTheErrorOfAll) {
  const std::vector<double> all = numbers_in(whole(lattice_of_regions));
  write(whole_, Grid(lattice_of_regions), spinor(all), options_);
  testing::run_ranks(4, [&](std::shared_ptr<comm::Comm> comm) {
    const Grid grid(Communicator(std::move(comm)), lattice_of_regions, {.processes = Extents{2, 1, 1, 2}});
    RegionWriter writer(path_, grid, spec_, options_);
    const std::vector<Box> pieces = pieces_of(grid.local_box(), 1);
    for (const Box& piece : pieces) {
      if (grid.rank() == 2 && piece == pieces.back()) continue;
      const std::vector<double> numbers = numbers_in(piece);
      writer.write(piece, spinor(numbers));
    }
    const Error error = error_of([&] { writer.close(); });
    EXPECT_EQ(error.code(), Code::wrong_state);
    EXPECT_EQ(error.facts().rank, 2);
    const std::vector<double> numbers = numbers_in(pieces.back());
    writer.write(pieces.back(), spinor(numbers));
    writer.close();
  });
  EXPECT_EQ(text_of_file(path_), text_of_file(whole_));
}

// Slices and pieces that cross boxes, dealt to ranks that hold none or some of their sites, one rank idle.
TEST_F(RegionByRegion, MayBeGivenByAnyRank) {
  const std::vector<double> all = numbers_in(whole(lattice_of_regions));
  write(whole_, Grid(lattice_of_regions), spinor(all), options_);
  std::vector<Box> pieces = pieces_of(whole(lattice_of_regions), 3);
  std::ranges::copy(std::vector<Box>{{{0, 0, 0, 2}, {4, 3, 2, 1}}, {{1, 1, 0, 0}, {2, 1, 1, 6}}},
                    std::back_inserter(pieces));
  std::shuffle(pieces.begin(), pieces.end(), std::mt19937(3));
  for (const Extents& processes :
       {Extents{2, 1, 1, 2}, Extents{3, 1, 1, 1}, Extents{1, 2, 2, 1}, Extents{1, 1, 1, 1}}) {
    std::filesystem::remove(path_);
    testing::run_ranks(5, [&](std::shared_ptr<comm::Comm> comm) {
      const Grid grid(Communicator(std::move(comm)), lattice_of_regions, {.processes = processes, .idle_ranks = true});
      RegionWriter writer(path_, grid, spec_, options_);
      for (std::size_t n = 0; n < pieces.size(); ++n) {
        if (static_cast<int>(n) % grid.size() != grid.rank()) continue;
        const std::vector<double> numbers = numbers_in(pieces[n]);
        writer.write(pieces[n], spinor(numbers));
      }
      writer.close();
      EXPECT_EQ(writer.missing(), 0U);
    });
    EXPECT_EQ(text_of_file(path_), text_of_file(whole_));
  }
}

TEST_F(RegionByRegion, OfSeveralRanksTheOwnerCountsAndThenTheHighest) {
  const Box all = whole(lattice_of_regions), last{{0, 0, 0, 5}, {4, 3, 2, 1}};
  const auto constant = [](const Box& box, double number) {
    return std::vector<double>(static_cast<std::size_t>(24 * box.volume()), number);
  };
  testing::run_ranks(3, [&](std::shared_ptr<comm::Comm> comm) {
    const Grid grid(Communicator(std::move(comm)), lattice_of_regions, {.processes = Extents{1, 1, 1, 3}});
    RegionWriter writer(path_, grid, spec_, options_);
    const int rank = grid.rank();
    const auto hole = [&] { return error_of([&] { writer.close(); }); };
    if (rank == 0) writer.write(last, spinor(constant(last, 9)));
    EXPECT_EQ(hole().facts().rank, 0);  // what others gave of its box is known now
    EXPECT_EQ(writer.missing(), rank == 2 ? 24U : 48U);
    if (rank != 2) writer.write(all, spinor(constant(all, 7)));
    if (rank != 2) writer.write(all, spinor(constant(all, rank)));  // counts as given last
    writer.close();
  });
  std::vector<double> found(static_cast<std::size_t>(24 * 144));
  read(path_, Grid(lattice_of_regions), spinor(found));
  std::vector<double> expected = constant(all, 0);
  std::fill(expected.begin() + 24 * 48, expected.end(), 1.0);
  EXPECT_EQ(found, expected);
}

}  // namespace
}  // namespace lq::io
