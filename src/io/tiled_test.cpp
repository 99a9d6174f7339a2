// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A format of encoded tiles in two files, with numbers in another order and sums of other kinds
// (support/tiled_format.hpp): whatever the strategy and the process grid, its files are those of a plain loop, and what
// is read is what was written.
#include <gtest/gtest.h>

#include <array>
#include <bit>

#include <limequat/error.hpp>

#include "format/format.hpp"
#include "io/transfer.hpp"
#include "kernels/crc32.hpp"
#include "support/error_of.hpp"
#include "support/formula_field.hpp"
#include "support/thread_comm.hpp"
#include "support/tiled_format.hpp"
#include "support/ways_here.hpp"

namespace lq::io {
namespace {

using testing::error_of;
using testing::formula_sites;

constexpr std::uint64_t numbers_per_site = 18;

struct TiledTrial {
  const char* name;
  Extents lattice, processes;
  int ranks_per_node = 64;
  Precision file = Precision::double_;
};
std::ostream& operator<<(std::ostream& out, const TiledTrial& trial) { return out << trial.name; }

const format::Format& tiled_format() {
  static const testing::TiledFormat tiled;
  static constexpr std::array<std::string_view, 1> suffixes{".tiled"};
  static const format::Format format{
      {.name = "tiled", .holds = "one field", .begins = "\"tiled 1\"", .suffixes = suffixes}, &tiled, &tiled, &tiled};
  return format;
}

class Tiled : public ::testing::TestWithParam<std::tuple<Strategy, TiledTrial>> {
 protected:
  static const TiledTrial& trial() { return std::get<1>(GetParam()); }
  static Strategy strategy() { return std::get<0>(GetParam()); }
  static FieldSpec spec() { return generic_spec(Precision::double_, numbers_per_site, false); }
  // Directly where each rank has whole tiles, which are of one plane and a half.
  static bool is_possible() {
    return strategy() != Strategy::direct || volume(trial().processes) == 1 ||
           (trial().processes[2] == 1 && trial().processes[0] * trial().processes[1] == 1 &&
            trial().lattice[2] % 3 == 0);
  }

  void on_ranks(const std::function<void(const Grid&)>& body) const {
    testing::run_ranks(static_cast<int>(volume(trial().processes)),
                       [&](std::shared_ptr<comm::Comm> comm) {
                         body(Grid(Communicator(std::move(comm)), trial().lattice,
                                   {.processes = trial().processes, .idle_ranks = true}));
                       },
                       {.ranks_per_node = trial().ranks_per_node});
  }

  static WriteOptions writing() {
    WriteOptions options{.format = "tiled", .precision = trial().file, .verify = Verify::read_back};
    options.route.strategy = strategy();
    options.route.memory_bytes = 64 << 20;
    return options;
  }
  void write() {
    on_ranks([&](const Grid& grid) {
      const std::vector<double> values = formula_sites<double>(grid, numbers_per_site);
      const Report report =
          write_field(*transport_, "a.tiled", grid, Field{spec(), values.data(), values.size(), {}, {}}, writing());
      EXPECT_EQ(report.strategy, strategy());
      EXPECT_TRUE(report.read_back);
    });
  }

  std::vector<std::byte> contents(const std::string& path) {
    const auto file = transport_->open_read(path);
    std::vector<std::byte> bytes(static_cast<std::size_t>(file->size()));
    file->read_at(0, bytes);
    return bytes;
  }

  std::shared_ptr<storage::Transport> transport_ = storage::make_memory();
  format::AddedFormat added_{tiled_format()};
};

// Everything but the sums, which site_sums_test.cpp holds against plain loops, from the formula and nothing else.
struct PlainFiles {
  std::vector<std::byte> even, odd, index;

  PlainFiles(const Extents& lattice, Precision precision) {
    const std::uint64_t size = precision == Precision::single ? 4 : 8, sites = volume(lattice);
    const auto tile_sites = static_cast<std::uint64_t>(lattice[0] * lattice[1] * 3 / 2);
    even.resize(testing::TiledFormat::header_bytes);
    odd.resize(testing::TiledFormat::odd_header_bytes);
    for (std::uint64_t first = 0, k = 0; first < sites; first += tile_sites, ++k) {
      std::vector<std::byte> tile;
      for (std::uint64_t site = first; site < std::min(first + tile_sites, sites); ++site) {
        for (std::uint64_t n = numbers_per_site; n-- > 0;) add(tile, testing::formula(site, n), size);
      }
      std::vector<std::byte>& file = k % 2 == 0 ? even : odd;
      const std::vector<std::byte> encoded = testing::RunCodec().encode(tile);
      add_integer(index, file.size(), 8);
      add_integer(index, encoded.size(), 8);
      file.insert(file.end(), encoded.begin(), encoded.end());
    }
  }

  static void add(std::vector<std::byte>& bytes, double value, std::uint64_t size) {
    if (size == 4) return add_integer(bytes, std::bit_cast<std::uint32_t>(static_cast<float>(value)), 4);
    add_integer(bytes, std::bit_cast<std::uint64_t>(value), 8);
  }
  static void add_integer(std::vector<std::byte>& bytes, std::uint64_t value, std::uint64_t size) {
    for (std::uint64_t i = 0; i < size; ++i) bytes.push_back(static_cast<std::byte>(value >> (8 * i)));
  }
};

TEST_P(Tiled, FilesAreThoseOfAPlainLoop) {
  if (!is_possible()) {
    on_ranks([&](const Grid& grid) {
      const std::vector<double> values = formula_sites<double>(grid, numbers_per_site);
      const Error error = error_of([&] {
        write_field(*transport_, "a.tiled", grid, Field{spec(), values.data(), values.size(), {}, {}}, writing());
      });
      EXPECT_EQ(error.code(), Code::unsupported) << error.what();
    });
    return;
  }
  write();
  const PlainFiles expected(trial().lattice, trial().file);
  const std::vector<std::byte> even = contents("a.tiled"), odd = contents("a.tiled.odd");
  constexpr auto header = static_cast<std::ptrdiff_t>(testing::TiledFormat::header_bytes);
  constexpr auto odd_header = static_cast<std::ptrdiff_t>(testing::TiledFormat::odd_header_bytes);
  ASSERT_GT(even.size(), expected.even.size() + expected.index.size());
  EXPECT_TRUE(std::equal(expected.even.begin() + header, expected.even.end(), even.begin() + header));
  EXPECT_TRUE(
      std::ranges::equal(expected.index, base::Bytes(even).subspan(expected.even.size(), expected.index.size())));
  ASSERT_EQ(odd.size(), expected.odd.size());
  EXPECT_TRUE(std::equal(expected.odd.begin() + odd_header, expected.odd.end(), odd.begin() + odd_header));
}

TEST_P(Tiled, AreReadOnAnyGrid) {
  {
    const Grid grid(trial().lattice);
    const std::vector<double> values = formula_sites<double>(grid, numbers_per_site);
    WriteOptions options = writing();
    options.route.strategy = Strategy::direct;
    write_field(*transport_, "a.tiled", grid, Field{spec(), values.data(), values.size(), {}, {}}, options);
  }
  on_ranks([&](const Grid& grid) {
    std::vector<double> values(static_cast<std::size_t>(grid.local_volume() * numbers_per_site), -1);
    ReadOptions options;
    options.route = writing().route;
    const Report report =
        read_field(*transport_, "a.tiled", grid, MutableField{spec(), values.data(), values.size(), {}, {}}, options);
    EXPECT_EQ(report.status, ChecksumStatus::ok);
    EXPECT_EQ(values, formula_sites<double>(grid, numbers_per_site));
  });
}

// A byte of the first tile becomes another: the sums say so, whichever strategy reads.
TEST_P(Tiled, DamageIsFoundByTheSumsOfTheFormat) {
  {
    const Grid grid(trial().lattice);
    const std::vector<double> values = formula_sites<double>(grid, numbers_per_site);
    WriteOptions options = writing();
    options.route.strategy = Strategy::direct;
    write_field(*transport_, "a.tiled", grid, Field{spec(), values.data(), values.size(), {}, {}}, options);
    const auto file = transport_->open_write("a.tiled");
    std::array<std::byte, 1> byte{};
    file->read_at(testing::TiledFormat::header_bytes + 1, byte);
    byte[0] ^= std::byte{1};
    file->write_at(testing::TiledFormat::header_bytes + 1, byte);
  }
  on_ranks([&](const Grid& grid) {
    std::vector<double> values(static_cast<std::size_t>(grid.local_volume() * numbers_per_site), -1);
    ReadOptions options;
    options.route = writing().route;
    const Error error = error_of([&] {
      read_field(*transport_, "a.tiled", grid, MutableField{spec(), values.data(), values.size(), {}, {}}, options);
    });
    EXPECT_EQ(error.code(), Code::checksum_mismatch);
    EXPECT_NE(error.facts().expected.find("nersc"), std::string::npos) << error.what();
  });
}

const TiledTrial tiled_trials[] = {
    {"one_rank", {4, 4, 4, 4}, {1, 1, 1, 1}},
    {"x_split", {8, 4, 4, 4}, {2, 1, 1, 1}},
    {"t_split_in_whole_tiles", {4, 4, 3, 4}, {1, 1, 1, 2}},
    {"xyzt_split_on_four_nodes", {4, 4, 4, 6}, {2, 2, 2, 2}, 4},
    {"uneven_with_idle_ranks", {3, 6, 2, 7}, {4, 1, 1, 2}, 3},
    {"single_precision", {4, 4, 4, 4}, {2, 1, 2, 1}, 2, Precision::single},
    {"three_dimensions", {8, 8, 6}, {4, 2, 1}, 4},
};
INSTANTIATE_TEST_SUITE_P(Grids, Tiled,
                         ::testing::Combine(::testing::ValuesIn(testing::strategies_here()),
                                            ::testing::ValuesIn(tiled_trials)),
                         [](const auto& trial) {
                           return std::string(name(std::get<0>(trial.param))) + "_" + std::get<1>(trial.param).name;
                         });

}  // namespace
}  // namespace lq::io
