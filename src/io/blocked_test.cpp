// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Fields in arrays and blocks (support/blocked_format.hpp): whatever the strategy and the process grid, files are those
// of plain loops over coordinates, and what is read of them, all or a part, is what was written.
#include <gtest/gtest.h>

#include <bit>

#include <limequat/error.hpp>
#include <limequat/file.hpp>
#include <limequat/inspect.hpp>

#include "format/format.hpp"
#include "io/transfer.hpp"
#include "io/verify.hpp"
#include "support/blocked_format.hpp"
#include "support/error_of.hpp"
#include "support/formula_field.hpp"
#include "support/scratch_directory.hpp"
#include "support/thread_comm.hpp"
#include "support/ways_here.hpp"

namespace lq::io {
namespace {

using testing::BlockedFormat;
using testing::BlockedShape;
using testing::formula_sites;

constexpr std::uint64_t blocked_numbers = 12;

struct BlockedTrial {
  const char* name;
  BlockedShape shape;
  Extents lattice, processes;
  int ranks_per_node = 64;
  Precision file = Precision::double_;
};
std::ostream& operator<<(std::ostream& out, const BlockedTrial& trial) { return out << trial.name; }

// The tiles of a file, in full, from the formula and nothing else.
class PlainTiling {
 public:
  PlainTiling(const BlockedTrial& trial) : trial_(trial) {
    const BlockedShape& shape = trial.shape;
    const std::uint64_t sites = volume(trial.lattice);
    const std::uint64_t run = shape.run_sites > 0 ? shape.run_sites : sites;
    for (std::uint64_t a = 0; a < shape.arrays; ++a) {
      if (shape.block.size() > 0) {
        add_blocks(a);
        continue;
      }
      for (std::uint64_t first = 0; first < sites; first += run) {
        tiles.emplace_back();
        for (std::uint64_t k = first; k < std::min(first + run, sites); ++k) add(a, coordinates(k, trial.lattice));
      }
    }
  }

  std::vector<std::vector<std::byte>> tiles;

 private:
  // The k-th of a box of these extents, in the order of the file.
  Coord coordinates(std::uint64_t k, const Extents& extents) const {
    Coord x = Coord::filled(extents.size(), 0);
    for (int i = 0; i < extents.size(); ++i) {
      const int d = trial_.shape.order.empty() ? i : trial_.shape.order[static_cast<std::size_t>(i)];
      x[d] = static_cast<std::int64_t>(k % static_cast<std::uint64_t>(extents[d]));
      k /= static_cast<std::uint64_t>(extents[d]);
    }
    return x;
  }

  void add_blocks(std::uint64_t array) {
    const Extents &lattice = trial_.lattice, &block = trial_.shape.block;
    Extents counts = lattice;
    for (int d = 0; d < lattice.size(); ++d) counts[d] = (lattice[d] + block[d] - 1) / block[d];
    for (std::uint64_t b = 0; b < volume(counts); ++b) {
      const Coord corner = coordinates(b, counts);
      tiles.emplace_back();
      for (std::uint64_t k = 0; k < volume(block); ++k) {
        Coord x = coordinates(k, block);
        for (int d = 0; d < x.size(); ++d) x[d] += corner[d] * block[d];
        add(array, x);
      }
    }
  }

  // Zeros for a place outside the lattice.
  void add(std::uint64_t array, const Coord& x) {
    std::uint64_t rank = 0;
    bool inside = true;
    for (int d = x.size(); d-- > 0;) {
      inside = inside && x[d] < trial_.lattice[d];
      rank = rank * static_cast<std::uint64_t>(trial_.lattice[d]) + static_cast<std::uint64_t>(x[d]);
    }
    const std::uint64_t part = blocked_numbers / trial_.shape.arrays;
    for (std::uint64_t n = array * part; n < (array + 1) * part; ++n) {
      const double value = inside ? testing::formula(rank, n) : 0;
      if (trial_.file == Precision::single) {
        add_number(std::bit_cast<std::uint32_t>(static_cast<float>(value)));
      } else {
        add_number(std::bit_cast<std::uint64_t>(value));
      }
    }
  }
  template <class T>
  void add_number(T bits) {
    for (std::size_t i = 0; i < sizeof(T); ++i) {
      const std::size_t shift = trial_.shape.byte_order == ByteOrder::little ? i : sizeof(T) - 1 - i;
      tiles.back().push_back(static_cast<std::byte>(bits >> (8 * shift)));
    }
  }

  const BlockedTrial& trial_;
};

class Blocked : public ::testing::TestWithParam<std::tuple<Strategy, BlockedTrial>> {
 protected:
  static const BlockedTrial& trial() { return std::get<1>(GetParam()); }
  static Strategy strategy() { return std::get<0>(GetParam()); }
  static FieldSpec spec() { return generic_spec(Precision::double_, blocked_numbers, false); }

  // Directly, encoded tiles are written where each rank has whole ones; neighbours' memory is read where rows lie there
  // as in the file.
  static bool is_possible() {
    if (strategy() == Strategy::pull && !trial().shape.order.empty()) return false;
    if (!trial().shape.is_encoded || strategy() != Strategy::direct || volume(trial().processes) == 1) return true;
    if (trial().shape.block.size() == 0) return false;
    for (int d = 0; d < trial().lattice.size(); ++d) {
      const std::int64_t local = trial().lattice[d] / trial().processes[d];
      if (local * trial().processes[d] != trial().lattice[d]) return false;
      if (trial().processes[d] > 1 && local % trial().shape.block[d] != 0) return false;
    }
    return true;
  }

  void on_ranks(const std::function<void(const Grid&)>& body) const {
    testing::run_ranks(static_cast<int>(volume(trial().processes)),
                       [&](std::shared_ptr<comm::Comm> comm) {
                         body(Grid(Communicator(std::move(comm)), trial().lattice,
                                   {.processes = trial().processes, .idle_ranks = true}));
                       },
                       {.ranks_per_node = trial().ranks_per_node});
  }

  // Small chunks, so that sites, arrays and tiles are cut anywhere.
  static RouteOptions route() {
    RouteOptions options;
    options.strategy = strategy();
    options.chunk_bytes = trial().shape.is_encoded ? 0 : 4096;
    options.memory_bytes = 64 << 20;
    return options;
  }
  static WriteOptions writing() {
    WriteOptions options{.format = "blocked", .precision = trial().file, .verify = Verify::read_back};
    options.route = route();
    options.block_bytes = 3000;
    return options;
  }
  void write(const Grid& grid, const WriteOptions& options) {
    const std::vector<double> values = formula_sites<double>(grid, blocked_numbers);
    const Report report =
        write_field(*transport_, "a.blocked", grid, Field{spec(), values.data(), values.size(), {}, {}}, options);
    EXPECT_TRUE(report.read_back);
  }
  void write_alone() {
    WriteOptions options = writing();
    options.route.strategy = Strategy::direct;
    write(Grid(trial().lattice), options);
  }

  std::vector<std::byte> contents(std::uint64_t offset, std::uint64_t bytes) {
    std::vector<std::byte> there(static_cast<std::size_t>(bytes));
    there.resize(transport_->open_read("a.blocked")->read_at(offset, there));
    return there;
  }
  Payload payload() { return added_format().scan(*transport_->open_read("a.blocked"), {}).fields.front().payload; }
  const BlockedFormat& added_format() const { return format_; }

  std::shared_ptr<storage::Transport> transport_ = storage::make_memory();
  BlockedFormat format_{trial().shape};
  static constexpr std::array<std::string_view, 1> suffixes{".blocked"};
  format::Format row_{{.name = "blocked", .holds = "one field", .begins = "\"blocked\"", .suffixes = suffixes},
                      &format_,
                      &format_,
                      &format_};
  format::AddedFormat added_{row_};
};

TEST_P(Blocked, FilesAreThoseOfAPlainLoop) {
  if (!is_possible()) {
    on_ranks([&](const Grid& grid) {
      EXPECT_EQ(testing::error_of([&] { write(grid, writing()); }).code(), Code::unsupported);
    });
    return;
  }
  on_ranks([&](const Grid& grid) { write(grid, writing()); });
  const PlainTiling expected(trial());
  const std::vector<Tile> tiles = payload().tiles;
  ASSERT_EQ(tiles.size(), expected.tiles.size());
  std::uint64_t behind = BlockedFormat::header_bytes;  // the tile before, where they are encoded
  for (std::size_t k = 0; k < tiles.size(); ++k) {
    std::vector<std::byte> bytes = expected.tiles[k];
    if (trial().shape.is_encoded) {
      bytes = testing::RunCodec().encode(bytes);
      EXPECT_EQ(tiles[k].offset, behind);
      behind += bytes.size();
    } else {
      EXPECT_EQ(contents(tiles[k].offset + tiles[k].bytes, BlockedFormat::gap_bytes),
                std::vector<std::byte>(BlockedFormat::gap_bytes))
          << k;
    }
    ASSERT_EQ(contents(tiles[k].offset, tiles[k].bytes), bytes) << "tile " << k;
  }
}

TEST_P(Blocked, AreReadOnAnyGrid) {
  write_alone();
  on_ranks([&](const Grid& grid) {
    std::vector<double> values(static_cast<std::size_t>(grid.local_volume() * blocked_numbers), -1);
    ReadOptions options;
    options.block_bytes = 3000;
    options.route = route();
    const Report report =
        read_field(*transport_, "a.blocked", grid, MutableField{spec(), values.data(), values.size(), {}, {}}, options);
    EXPECT_EQ(report.status, ChecksumStatus::ok);
    EXPECT_EQ(values, formula_sites<double>(grid, blocked_numbers));
  });
}

// Regions that cut tiles anywhere.
TEST_P(Blocked, PartsAreRead) {
  write_alone();
  const Extents& lattice = trial().lattice;
  Box upper{Coord::filled(lattice.size(), 0), lattice}, inner = upper;
  for (int d = 0; d < lattice.size(); ++d) {
    upper.lower[d] = lattice[d] / 2;
    upper.extents[d] = lattice[d] - upper.lower[d];
    inner.lower[d] = lattice[d] > 2 ? 1 : 0;
    inner.extents[d] = std::max<std::int64_t>(lattice[d] - 2, 1);
  }
  for (const Box& region : {upper, inner}) {
    testing::run_ranks(static_cast<int>(volume(trial().processes)), [&](std::shared_ptr<comm::Comm> comm) {
      const Grid grid(Communicator(std::move(comm)), region.extents,
                      {.processes = trial().processes, .idle_ranks = true});
      std::vector<double> values(static_cast<std::size_t>(grid.local_volume() * blocked_numbers), -1);
      ReadOptions options;
      options.region = region;
      options.route = route();
      read_field(*transport_, "a.blocked", grid, MutableField{spec(), values.data(), values.size(), {}, {}}, options);
      EXPECT_EQ(values, formula_sites<double>(grid, blocked_numbers, {}, lattice, region.lower));
    });
  }
}

// What was never written is zeros, and the rest is as it was.
TEST_P(Blocked, TilesWithoutStorageAreZeros) {
  write_alone();
  const std::vector<Tile> tiles = payload().tiles;
  const std::size_t last = tiles.size() - 1;
  {
    const auto file = transport_->open_write("a.blocked");
    std::vector<std::byte> index(8);
    file->read_at(file->size() - 8, index);
    const std::vector<std::byte> nothing(16);
    file->write_at(base::load_le<std::uint64_t>(index.data()) + 16 * last, nothing);
  }
  on_ranks([&](const Grid& grid) {
    std::vector<double> values(static_cast<std::size_t>(grid.local_volume() * blocked_numbers), -1);
    ReadOptions options{.verify = Verify::none};
    options.route = route();
    read_field(*transport_, "a.blocked", grid, MutableField{spec(), values.data(), values.size(), {}, {}}, options);
    // Those of the last tile of the last array are; the first site of the lattice is in the last tile only if that is
    // the only one.
    const std::vector<double> written = formula_sites<double>(grid, blocked_numbers);
    for (std::size_t i = 0; i < values.size(); ++i) ASSERT_TRUE(values[i] == written[i] || values[i] == 0) << i;
    if (grid.rank() == 0 && last > 0 && trial().shape.arrays > 1) {
      EXPECT_EQ(values.front(), written.front());
    }
    const Coord end = trial().lattice;
    bool has_last_site = grid.local_volume() > 0;
    for (int d = 0; d < end.size(); ++d) {
      has_last_site = has_last_site && grid.local_box().lower[d] + grid.local_box().extents[d] == end[d];
    }
    if (has_last_site) {
      EXPECT_EQ(values.back(), 0);
    }
  });
}

// Conversion from and to a plain file, comparison, verification: all that reads and writes without a grid.
class ConvertedBlocks : public ::testing::TestWithParam<BlockedTrial> {
 protected:
  void SetUp() override {
    const Grid grid(GetParam().lattice);
    const std::vector<double> values = formula_sites<double>(grid, blocked_numbers);
    const FieldSpec spec = generic_spec(Precision::double_, blocked_numbers, false);
    write_field(storage::posix(), plain_, grid, Field{spec, values.data(), values.size(), {}, {}},
                {.precision = GetParam().file});
  }
  void convert_on_ranks(const std::string& from, const std::string& to, const std::string& format) {
    testing::run_ranks(3, [&](std::shared_ptr<comm::Comm> comm) {
      ConvertOptions options;
      options.write.format = format;
      options.write.verify = Verify::read_back;
      options.write.block_bytes = 3000;
      convert(from, to, Communicator(std::move(comm)), options);
    });
  }
  Payload payload() { return inspect(blocked_).fields.front().payload; }

  testing::ScratchDirectory directory_;
  std::string plain_ = directory_ / "a.scidac", blocked_ = directory_ / "a.blocked", back_ = directory_ / "b.scidac";
  BlockedFormat format_{GetParam().shape};
  static constexpr std::array<std::string_view, 1> suffixes{".blocked"};
  format::Format row_{{.name = "blocked", .holds = "one field", .begins = "\"blocked\"", .suffixes = suffixes},
                      &format_,
                      &format_,
                      &format_};
  format::AddedFormat added_{row_};
};

TEST_P(ConvertedBlocks, AreTheSameField) {
  convert_on_ranks(plain_, blocked_, "blocked");
  const PlainTiling expected(GetParam());
  const std::vector<Tile> tiles = payload().tiles;
  ASSERT_EQ(tiles.size(), expected.tiles.size());
  const auto file = storage::posix().open_read(blocked_);
  for (std::size_t k = 0; k < tiles.size(); ++k) {
    std::vector<std::byte> bytes = expected.tiles[k], there(tiles[k].bytes);
    if (GetParam().shape.is_encoded) bytes = testing::RunCodec().encode(bytes);
    file->read_at(tiles[k].offset, there);
    ASSERT_EQ(there, bytes) << "tile " << k;
  }
  testing::run_ranks(3, [&](std::shared_ptr<comm::Comm> comm) {
    const Communicator all(std::move(comm));
    EXPECT_TRUE(io::verify(blocked_, all).ok);
    EXPECT_TRUE(diff(plain_, blocked_, all).same);
  });
  convert_on_ranks(blocked_, back_, "scidac");
  EXPECT_TRUE(diff(plain_, back_).same);
}

TEST_P(ConvertedBlocks, TellWhereTheyAreDamaged) {
  convert_on_ranks(plain_, blocked_, "blocked");
  const Tile tile = payload().tiles.back();
  const bool is_encoded = GetParam().shape.is_encoded;
  {
    // The first byte of the tile's first site, or of the first byte that repeats.
    const auto file = storage::posix().open_write(blocked_);
    std::vector<std::byte> byte(1);
    const std::uint64_t at = tile.offset + (is_encoded ? 1 : 0);
    file->read_at(at, byte);
    byte[0] ^= std::byte{1};
    file->write_at(at, byte);
  }
  const Verification found = io::verify(blocked_);
  EXPECT_FALSE(found.ok);
  const bool is_natural = GetParam().shape.order.empty();
  const std::uint64_t offset = is_natural && !is_encoded ? tile.offset : payload().tiles.front().offset;
  const std::string rule = is_natural && !is_encoded ? "damaged-byte" : "damaged-range";
  EXPECT_TRUE(std::ranges::any_of(found.findings, [&](const Finding& finding) {
    return finding.offset == offset && (is_encoded || finding.rule == rule);
  }));
}

BlockedShape shaped(const SiteOrder& order, std::uint64_t arrays, const Extents& block, ByteOrder byte_order) {
  BlockedShape shape;
  shape.order = order;
  shape.arrays = arrays;
  shape.block = block;
  shape.byte_order = byte_order;
  return shape;
}
BlockedShape in_runs(std::uint64_t sites, std::uint64_t arrays) {
  BlockedShape shape = shaped({}, arrays, {}, ByteOrder::little);
  shape.run_sites = sites;
  return shape;
}
BlockedShape encoded(BlockedShape shape) {
  shape.is_encoded = true;
  return shape;
}

std::vector<BlockedTrial> blocked_trials() {
  constexpr ByteOrder big = ByteOrder::big, little = ByteOrder::little;
  const SiteOrder t_first{3, 2, 1, 0};
  std::vector<BlockedTrial> trials;
  trials.push_back({"four_arrays", shaped(t_first, 4, {}, big), {4, 6, 2, 4}, {2, 1, 1, 2}});
  trials.push_back({"four_arrays_in_runs", in_runs(7, 4), {4, 6, 2, 4}, {1, 2, 1, 2}, 2});
  trials.push_back({"blocks", shaped({}, 1, {2, 3, 2, 2}, little), {4, 6, 2, 4}, {2, 2, 1, 1}, 3});
  trials.push_back({"blocks_with_padding", shaped({}, 1, {3, 4, 2, 3}, little), {4, 6, 3, 4}, {2, 1, 2, 2}, 4});
  trials.push_back({"blocks_of_slices", shaped({}, 1, {4, 6, 3, 1}, little), {4, 6, 3, 4}, {2, 1, 1, 2}});
  trials.push_back({"blocks_t_first_with_padding",
                    shaped(t_first, 1, {3, 4, 2, 3}, big),
                    {4, 6, 3, 4},
                    {1, 2, 2, 1},
                    2,
                    Precision::single});
  trials.push_back({"arrays_of_blocks", shaped(t_first, 3, {2, 4, 2, 3}, little), {4, 6, 3, 4}, {1, 3, 1, 2}});
  trials.push_back({"uneven_with_idle_ranks", shaped({}, 2, {2, 4, 5, 3}, little), {3, 6, 2, 7}, {4, 1, 1, 2}, 3});
  trials.push_back({"three_dimensions", shaped({1, 2, 0}, 6, {4, 3, 4}, little), {8, 8, 6}, {4, 2, 1}, 4});
  trials.push_back({"encoded_arrays_in_runs", encoded(in_runs(24, 4)), {4, 6, 2, 4}, {2, 1, 1, 2}, 2});
  trials.push_back({"encoded_slices", encoded(shaped({}, 4, {4, 6, 2, 1}, little)), {4, 6, 2, 4}, {1, 1, 1, 2}});
  trials.push_back(
      {"encoded_slices_with_padding", encoded(shaped({}, 1, {4, 6, 3, 3}, little)), {4, 6, 3, 4}, {1, 3, 1, 1}, 2});
  trials.push_back({"encoded_blocks", encoded(shaped({}, 1, {2, 3, 2, 2}, little)), {4, 6, 2, 4}, {2, 2, 1, 2}, 4});
  trials.push_back({"encoded_blocks_with_padding",
                    encoded(shaped(t_first, 2, {3, 4, 2, 3}, little)),
                    {4, 6, 3, 4},
                    {2, 1, 1, 2},
                    2,
                    Precision::single});
  return trials;
}
INSTANTIATE_TEST_SUITE_P(Shapes, Blocked,
                         ::testing::Combine(::testing::ValuesIn(testing::ways_here(std::vector{
                                                Strategy::direct, Strategy::shared, Strategy::pull, Strategy::messages,
                                                Strategy::automatic})),
                                            ::testing::ValuesIn(blocked_trials())),
                         [](const auto& trial) {
                           return std::string(name(std::get<0>(trial.param))) + "_" + std::get<1>(trial.param).name;
                         });

INSTANTIATE_TEST_SUITE_P(Shapes, ConvertedBlocks, ::testing::ValuesIn(blocked_trials()),
                         [](const auto& trial) { return std::string(trial.param.name); });

}  // namespace
}  // namespace lq::io
