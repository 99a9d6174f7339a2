// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Local coherence on this process: what is stored as coefficients comes back within the error that the set states, and
// the bytes are those of formats/modes.md 6.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>

#include <limequat/inspect.hpp>
#include <limequat/modes.hpp>

#include "base/bytes.hpp"
#include "io/verify.hpp"
#include "lattice/site_order.hpp"
#include "support/contents.hpp"
#include "support/error_of.hpp"
#include "support/scratch_directory.hpp"
#include "support/thread_comm.hpp"

namespace lq::modes {
namespace {

using lq::testing::error_of;
using Vector = std::vector<std::complex<double>>;

constexpr std::uint64_t basis_modes = 3;

Description coherent(Storage storage = Storage::double_) {
  Description description;
  description.lattice = {4, 4, 2, 6};
  description.site = spinor_spec(storage == Storage::double_ ? Precision::double_ : Precision::single, 3, 1);
  description.storage = storage;
  description.room = 4;
  description.coherence = {.basis = basis_modes, .block = {2, 2, 2, 3}, .tolerance = 0.01};
  return description;
}

// The block that a site lies in, both numbered with x fastest.
std::size_t block_of(std::size_t site, const Extents& sites, const Extents& block) {
  std::size_t number = 0, stride = 1;
  for (int d = 0; d < sites.size(); ++d) {
    const auto extent = static_cast<std::size_t>(sites[d]), part = static_cast<std::size_t>(block[d]);
    number += site % extent / part * stride;
    stride *= extent / part;
    site /= extent;
  }
  return number;
}

// Modes 0 to 2 are random; the later ones are these, weighted again in each block, and a part `noise` of their own.
Vector vector_number(std::uint64_t k, const Description& description, double noise = 1e-4) {
  const Extents sites = description.sites();
  const std::size_t numbers = static_cast<std::size_t>(description.field().numbers / 2);
  std::mt19937 random(static_cast<unsigned>(100 + k));
  const auto number = [&] { return static_cast<double>(random() % 20001) / 10000 - 1; };
  Vector vector(static_cast<std::size_t>(volume(sites)) * numbers);
  if (k < basis_modes) {
    for (auto& one : vector) one = {number(), number()};
    return vector;
  }
  std::vector<std::complex<double>> weights(static_cast<std::size_t>(volume(description.blocks())) * basis_modes);
  for (auto& weight : weights) weight = {number(), number()};
  for (std::uint64_t i = 0; i < basis_modes; ++i) {
    const Vector mode = vector_number(i, description);
    for (std::size_t n = 0; n < vector.size(); ++n) {
      const std::size_t block = block_of(n / numbers, sites, description.coherence.block);
      vector[n] += weights[block * basis_modes + static_cast<std::size_t>(i)] * mode[n];
    }
  }
  for (auto& one : vector) one += noise * std::complex<double>(number(), number());
  return vector;
}

Mode known_of(std::uint64_t k) { return {{0.5 + static_cast<double>(k), 0}, 1e-8}; }

Field field_of(const Vector& vector, const Description& description) {
  FieldSpec spec = description.field();
  spec.precision = Precision::double_;
  return {.spec = spec, .data = vector.data(), .available = 2 * vector.size()};
}

MutableField field_of(Vector& vector, const Description& description) {
  FieldSpec spec = description.field();
  spec.precision = Precision::double_;
  return {.spec = spec, .data = vector.data(), .available = 2 * vector.size()};
}

double distance(const Vector& a, const Vector& b) {
  double wrong = 0, norm = 0;
  for (std::size_t n = 0; n < a.size(); ++n) {
    wrong += std::norm(a[n] - b[n]);
    norm += std::norm(a[n]);
  }
  return std::sqrt(wrong / norm);
}

class Coherent : public ::testing::Test {
 protected:
  void add(Writer& writer, std::uint64_t from, std::uint64_t to) {
    for (std::uint64_t k = from; k < to; ++k) {
      const Vector vector = vector_number(k, writer.description());
      writer.append(field_of(vector, writer.description()), known_of(k));
    }
  }
  void write_set(const Description& description, std::uint64_t modes) {
    Writer writer(path_, Grid(description.sites()), description, {.overwrite = true});
    add(writer, 0, modes);
  }
  Vector read_mode(std::uint64_t k) {
    const Set set(path_);
    const Description& known = set.description();
    Vector vector(static_cast<std::size_t>(volume(known.sites()) * known.field().numbers / 2));
    set.read(k, Grid(set.description().sites()), field_of(vector, set.description()));
    return vector;
  }

  lq::testing::ScratchDirectory folder_;
  std::string path_ = folder_ / "low.modes";
};

class CoherentModes : public Coherent, public ::testing::WithParamInterface<Storage> {};

TEST_P(CoherentModes, AreWrongByWhatTheSetSays) {
  const Description description = coherent(GetParam());
  write_set(description, 8);
  const Set set(path_);
  EXPECT_EQ(set.description(), description);
  for (std::uint64_t k = 0; k < set.size(); ++k) {
    EXPECT_EQ(set.mode(k).eigenvalue, known_of(k).eigenvalue);
    EXPECT_EQ(set.mode(k).residual, known_of(k).residual);
    ASSERT_EQ(set.mode(k).error.has_value(), k >= basis_modes) << k;
    if (k < basis_modes) continue;
    const double wrong = distance(vector_number(k, description), read_mode(k)), said = *set.mode(k).error;
    EXPECT_LE(wrong, said) << k;
    EXPECT_GE(wrong, 0.999 * said) << k;
    EXPECT_GT(said, 1e-5) << k;  // the noise
    EXPECT_LE(said, description.coherence.tolerance);
  }
  EXPECT_TRUE(io::verify(path_).ok);
  EXPECT_TRUE(io::broken_rules(path_, {}).empty());
}
INSTANTIATE_TEST_SUITE_P(Stored, CoherentModes, ::testing::Values(Storage::double_, Storage::single, Storage::fixed16),
                         [](const auto& param) { return std::string(name(param.param)); });

// A second reader that knows nothing but the page: coefficients big-endian, blocks and modes in their order.
TEST_F(Coherent, CoefficientsAreTheBytesOfThePage) {
  const Description description = coherent();
  write_set(description, 5);
  const Set set(path_);
  const FieldEntry& entry = set.field(4);
  EXPECT_EQ(entry.payload.extents, (Extents{2, 2, 1, 2}));
  EXPECT_EQ(entry.payload.length, 8 * 3 * 16U);
  const std::string bytes = testing::contents(path_);
  const auto* const at = reinterpret_cast<const std::byte*>(bytes.data()) + entry.payload.offset;
  const auto real = [&](std::size_t n) { return std::bit_cast<double>(base::load_be<std::uint64_t>(at + 8 * n)); };
  const Vector read = read_mode(4);
  Vector expected(read.size());
  for (std::size_t i = 0; i < basis_modes; ++i) {
    const Vector mode = vector_number(i, description);
    for (std::size_t n = 0; n < read.size(); ++n) {
      const std::size_t c = block_of(n / 3, description.sites(), description.coherence.block) * basis_modes + i;
      expected[n] += std::complex<double>(real(2 * c), real(2 * c + 1)) * mode[n];
    }
  }
  EXPECT_LE(distance(expected, read), 1e-14);
}

TEST_F(Coherent, ModesThatAreNotMadeUpAreStoredWhole) {
  const Description description = coherent();
  Writer writer(path_, Grid(description.sites()), description);
  add(writer, 0, 4);
  const Vector strange = vector_number(9, description, 0.1);
  writer.append(field_of(strange, description), known_of(4));
  add(writer, 5, 6);
  const Set set(path_);
  EXPECT_TRUE(set.mode(3).error);
  EXPECT_FALSE(set.mode(4).error);
  EXPECT_TRUE(set.mode(5).error);
  EXPECT_EQ(read_mode(4), strange);
  EXPECT_TRUE(io::broken_rules(path_, {}).empty());
}

TEST_F(Coherent, ModesAreTheSameBytesHoweverTheyAreAdded) {
  const Description description = coherent(Storage::fixed16);
  const Grid grid(description.sites());
  write_set(description, 9);
  const std::string later = folder_ / "later.modes", at_once = folder_ / "at_once.modes";
  Writer(later, grid, description);
  for (std::uint64_t k = 0; k < 9; ++k) {
    Writer writer(later, grid);  // reads the basis from the file
    EXPECT_EQ(writer.description(), description);
    add(writer, k, k + 1);
  }
  EXPECT_EQ(testing::contents(later), testing::contents(path_));
  std::vector<Vector> memory;
  std::vector<Field> fields;
  std::vector<Mode> modes;
  for (std::uint64_t k = 0; k < 9; ++k) {
    memory.push_back(vector_number(k, description));
    modes.push_back(known_of(k));
    modes.back().error = 0.5;  // writers find it out
  }
  for (const Vector& vector : memory) fields.push_back(field_of(vector, description));
  write(at_once, grid, description, fields, modes);
  EXPECT_EQ(testing::contents(at_once), testing::contents(path_));
}

TEST_F(Coherent, ModesOfOneParityWithAFifthDimensionAndInOtherOrderComeBack) {
  Description description = coherent(Storage::single);
  description.lattice = {8, 4, 2, 6};
  description.parity = Parity::even;
  description.ls = 2;
  const Grid grid(description.sites());
  Writer writer(path_, grid, description);
  add(writer, 0, 5);
  const Set set(path_);
  const Vector expected = vector_number(4, description);
  std::vector<std::complex<float>> vector(expected.size());
  FieldSpec spec = description.field();
  MutableField field{spec, vector.data(), 2 * vector.size(), {3, 2, 1, 0}, {}};
  set.read(4, grid, field);
  const std::size_t numbers = 6;
  for (std::size_t site = 0; site < grid.volume(); ++site) {
    const std::size_t x = site % 4, y = site / 4 % 4, z = site / 16 % 2, t = site / 32;
    const std::size_t in_memory = t + 6 * (z + 2 * (y + 4 * x));
    for (std::size_t n = 0; n < numbers; ++n) {
      const auto number = static_cast<std::complex<double>>(vector[in_memory * numbers + n]);
      ASSERT_NEAR(std::abs(number - expected[site * numbers + n]), 0, 0.003);
    }
  }
  // A region, whose borders are not those of blocks.
  const Box region{{1, 1, 0, 2}, {2, 3, 2, 3}};
  Vector part(region.volume() * numbers);
  spec.precision = Precision::double_;
  set.read(4, Grid(region.extents), {spec, part.data(), 2 * part.size(), {}, {}}, {.region = region});
  const Vector all = read_mode(4);
  for (std::size_t site = 0; site < region.volume(); ++site) {
    const std::size_t x = site % 2 + 1, y = site / 2 % 3 + 1, z = site / 6 % 2, t = site / 12 + 2;
    for (std::size_t n = 0; n < numbers; ++n) {
      ASSERT_EQ(part[site * numbers + n], all[(x + 4 * (y + 4 * (z + 2 * t))) * numbers + n]);
    }
  }
}

// The sites of a rank out of a whole vector.
Vector part_of(const Vector& whole, const Box& box, const Extents& sites, std::size_t numbers) {
  Vector part;
  for (std::uint64_t i = 0; i < box.volume(); ++i) {
    const Coord x = lattice::site_at(i, box, {0, 1, 2, 3});
    const auto site = static_cast<std::ptrdiff_t>(lattice::site_rank(x, sites) * numbers);
    part.insert(part.end(), whole.begin() + site, whole.begin() + site + static_cast<std::ptrdiff_t>(numbers));
  }
  return part;
}

// Also where borders of ranks are not those of blocks, and where there are more ranks than blocks in a direction.
TEST_F(Coherent, ModesAreTheSameBytesFromAnyProcessGridAndReadOnAny) {
  const Description description = coherent(Storage::single);
  write_set(description, 6);
  const std::string expected = testing::contents(path_);
  const std::vector<std::pair<Extents, std::vector<int>>> dealings{
      {{2, 1, 1, 2}, {}}, {{1, 1, 1, 4}, {}},           {{4, 1, 1, 1}, {}},
      {{1, 3, 1, 1}, {}}, {{2, 1, 1, 2}, {2, 0, 3, 1}}, {{2, 1, 1, 1}, {3, 1}}};
  for (const auto& dealing : dealings) {
    const Extents& processes = dealing.first;
    const std::vector<int>& holders = dealing.second;
    const std::string path = folder_ / ("of" + to_string(processes) + (holders.empty() ? "" : "_dealt"));
    testing::run_ranks(4, [&](std::shared_ptr<comm::Comm> comm) {
      const Communicator ranks(std::move(comm));
      const Grid grid(ranks, description.sites(), {.processes = processes, .ranks = holders, .idle_ranks = true});
      {
        Writer writer(path, grid, description);
        for (std::uint64_t k = 0; k < 6; ++k) {
          const Vector mine = part_of(vector_number(k, description), grid.local_box(), description.sites(), 3);
          writer.append(field_of(mine, description), known_of(k));
        }
      }
      const Set set(path, ranks);
      for (std::uint64_t k = 6; k-- > 0;) {
        const Vector whole = vector_number(k, description);
        Vector mine(static_cast<std::size_t>(grid.local_volume()) * 3);
        set.read(k, grid, field_of(mine, description));
        const Vector wanted = part_of(whole, grid.local_box(), description.sites(), 3);
        for (std::size_t n = 0; n < mine.size(); ++n) ASSERT_LE(std::abs(mine[n] - wanted[n]), 0.003) << k;
      }
    });
    EXPECT_EQ(testing::contents(path), expected) << to_string(processes);
  }
}

// Bit for bit what read() gives, also where ranks read the coefficients of blocks that are not theirs ({1, 1, 1, 4}).
TEST_F(Coherent, ModesAreReadAheadAndInTheBackground) {
  const Description description = coherent(Storage::single);
  {
    Writer writer(path_, Grid(description.sites()), description);
    add(writer, 0, 5);
    const Vector strange = vector_number(9, description, 0.1);
    writer.append(field_of(strange, description), known_of(5));  // stored whole
    add(writer, 6, 8);
  }
  for (const Extents& processes : {Extents{2, 1, 1, 2}, Extents{1, 1, 1, 4}}) {
    testing::run_ranks(4, [&](std::shared_ptr<comm::Comm> comm) {
      const Communicator ranks(std::move(comm));
      const Grid grid(ranks, description.sites(), {.processes = processes});
      Vector expected(static_cast<std::size_t>(grid.local_volume()) * 3), one(expected), other(expected);
      const auto ahead_of = [&](std::uint64_t first, std::uint64_t last) {
        const Set set(path_, ranks);
        return set.read_ahead(first, last, grid, {field_of(one, description), field_of(other, description)});
      };
      ReadAhead ahead = ahead_of(1, 8);  // the set is closed
      const Set set(path_, ranks);
      for (std::uint64_t k = 1; k < 8; ++k) {
        const auto arrival = ahead.next();
        ASSERT_TRUE(arrival && arrival->index == k);
        EXPECT_EQ(arrival->report.status, ChecksumStatus::ok);
        set.read(k, grid, field_of(expected, description));
        EXPECT_EQ(arrival->buffer == 0 ? one : other, expected) << k;
      }
      EXPECT_FALSE(ahead.next());
      Pending first = set.read_async(7, grid, field_of(one, description));
      Pending second = set.read_async(6, grid, field_of(other, description));
      second.cancel();
      first.wait();
      EXPECT_EQ(one, expected);
    });
  }
}

TEST_F(Coherent, DamagedCoefficientsEndReadingAhead) {
  write_set(coherent(), 6);
  const FieldEntry entry = Set(path_).field(4);
  {
    std::fstream file(path_, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(static_cast<std::streamoff>(entry.payload.offset));
    file.write("XXXX", 4);
  }
  const Set set(path_);
  const Grid grid(set.description().sites());
  Vector one(grid.volume() * 3), other(one.size());
  ReadAhead ahead = set.read_ahead(3, 6, grid, {field_of(one, coherent()), field_of(other, coherent())});
  EXPECT_EQ(ahead.next()->index, 3U);
  EXPECT_EQ(error_of([&] { ahead.next(); }).code(), Code::checksum_mismatch);
  EXPECT_EQ(error_of([&] { ahead.next(); }).code(), Code::wrong_state);
}

TEST_F(Coherent, ModesThatDependOnEachOtherAreABasisAllTheSame) {
  const Description description = coherent();
  Writer writer(path_, Grid(description.sites()), description);
  Vector nothing(vector_number(0, description).size());
  add(writer, 0, 1);
  const Vector first = vector_number(0, description);
  writer.append(field_of(first, description), {});
  writer.append(field_of(nothing, description), {});
  writer.append(field_of(first, description), {});
  writer.append(field_of(nothing, description), {});
  const Set set(path_);
  EXPECT_LE(set.mode(3).error.value(), 1e-8);
  EXPECT_EQ(set.mode(4).error.value(), 0);
  EXPECT_LE(distance(first, read_mode(3)), set.mode(3).error.value());
  EXPECT_EQ(read_mode(4), nothing);
  nothing[5] = std::nan("");
  writer.append(field_of(nothing, description), {});
  EXPECT_FALSE(Set(path_).mode(5).error);
}

TEST_F(Coherent, CoefficientsThatAreDamagedAreNamed) {
  write_set(coherent(), 6);
  const FieldEntry entry = Set(path_).field(4);
  {
    std::fstream file(path_, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(static_cast<std::streamoff>(entry.payload.offset + entry.payload.length - 20));
    file.write("XXXX", 4);
  }
  const Verification verdict = io::verify(path_);
  EXPECT_EQ(verdict.fields[4].status, ChecksumStatus::mismatch);
  EXPECT_EQ(verdict.fields[4].damaged_slices, std::vector<std::int64_t>{1});  // of two slices of blocks
  EXPECT_EQ(error_of([&] { read_mode(4); }).code(), Code::checksum_mismatch);
  EXPECT_LE(distance(vector_number(5, coherent()), read_mode(5)), 0.01);
}

TEST_F(Coherent, SetsAreConvertedBothWays) {
  Description whole = coherent(Storage::single);
  const Coherence coherence = whole.coherence;
  whole.coherence = {};
  Writer writer(path_, Grid(whole.sites()), whole);
  for (std::uint64_t k = 0; k < 7; ++k) {
    const Vector vector = vector_number(k, coherent());
    writer.append(field_of(vector, whole), known_of(k));
  }
  const std::string small = folder_ / "small.modes", large = folder_ / "large.modes";
  EXPECT_EQ(convert(path_, small, {}, {.coherence = coherence}), 7U);
  EXPECT_LT(std::filesystem::file_size(small), std::filesystem::file_size(path_));
  EXPECT_TRUE(Set(small).mode(6).error);
  EXPECT_EQ(convert(small, large), 7U);
  EXPECT_FALSE(Set(large).mode(6).error);
  path_ = large;
  EXPECT_LE(distance(vector_number(6, coherent()), read_mode(6)), 0.01);
}

TEST_F(Coherent, WhatCannotBeIsSaid) {
  Description description = coherent();
  description.coherence.block = {2, 2, 2, 4};
  const Grid grid(description.sites());
  EXPECT_EQ(error_of([&] { Writer(path_, grid, description); }).code(), Code::invalid_argument);
  description.coherence.block = {};
  EXPECT_EQ(error_of([&] { Writer(path_, grid, description); }).code(), Code::invalid_argument);
  description = coherent();
  description.coherence.tolerance = std::nan("");
  EXPECT_EQ(error_of([&] { Writer(path_, grid, description); }).code(), Code::invalid_argument);
  write_set(coherent(), 5);
  const Set set(path_);
  Vector one(grid.volume() * 3);
  EXPECT_EQ(error_of([&] {
              set.read_async(3, Grid({4, 4, 4, 6}), field_of(one, coherent()));
            }).code(),
            Code::invalid_argument);
  EXPECT_EQ(error_of([&] {
              set.read(3, Grid({4, 4, 4, 6}), field_of(one, coherent()));
            }).code(),
            Code::invalid_argument);
  Writer writer(path_, grid);
  const std::string before = testing::contents(path_);
  const Vector small(grid.volume());
  EXPECT_EQ(
      error_of([&] {
        writer.append(
            {.spec = generic_spec(Precision::double_, 2, true), .data = small.data(), .available = 2 * small.size()},
            {});
      }).code(),
      Code::invalid_argument);
  EXPECT_EQ(testing::contents(path_), before);
}

}  // namespace
}  // namespace lq::modes
