// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Fields in memory by description, and behind functions for rows: the files are those of plain memory, whatever the
// process grid, strategy and number of threads; and what is read stands where the plain formula has it.
#include <gtest/gtest.h>

#include <limequat/error.hpp>
#include <limequat/physics.hpp>

#include "io/transfer.hpp"
#include "support/error_of.hpp"
#include "support/file_contents.hpp"
#include "support/formula_field.hpp"
#include "support/thread_comm.hpp"

namespace lq::io {
namespace {

using testing::bytes_in;
using testing::error_of;
using testing::formula;
using testing::formula_sites;
using testing::run_ranks;

const Extents six{6, 2, 4, 6};

// MILC's sites: even ones, by global coordinates, first.
std::vector<double> even_first(const Grid& grid, std::uint64_t numbers) {
  const Box& box = grid.local_box();
  std::vector<double> even, odd;
  for (std::uint64_t i = 0; i < grid.local_volume(); ++i) {
    const Coord x = lattice::site_at(i, box, lattice::resolve_order({}, 4));
    std::vector<double>& side = (x[0] + x[1] + x[2] + x[3]) % 2 == 0 ? even : odd;
    for (std::uint64_t n = 0; n < numbers; ++n) side.push_back(formula(lattice::site_rank(x, grid.extents()), n));
  }
  even.insert(even.end(), odd.begin(), odd.end());
  return even;
}

struct Way {
  int ranks;
  Extents processes;
  Strategy strategy;
  int threads;
};

// An odd number of sites in x for each of two ranks: the parity of their corners differs.
const std::vector<Way> ways{{1, {1, 1, 1, 1}, Strategy::direct, 1},    {1, {1, 1, 1, 1}, Strategy::direct, 3},
                            {2, {2, 1, 1, 1}, Strategy::messages, 1},  {2, {2, 1, 1, 1}, Strategy::shared, 2},
                            {4, {2, 1, 2, 1}, Strategy::automatic, 2}, {3, {1, 1, 1, 3}, Strategy::direct, 1}};

template <class Work>
void on_ranks(const Way& way, const Work& work) {
  run_ranks(way.ranks, [&](std::shared_ptr<comm::Comm> comm) {
    GridOptions grid_options;
    grid_options.processes = way.processes;
    work(Grid(Communicator(std::move(comm)), six, grid_options));
  });
}

RouteOptions route_of(const Way& way) { return {.strategy = way.strategy, .threads = way.threads}; }

std::vector<std::byte> plain_file(storage::Transport& transport, const FieldSpec& spec) {
  const Grid grid(six);
  const std::vector<double> values = formula_sites<double>(grid, spec.numbers);
  write_field(transport, "plain", grid, Field{spec, values.data(), values.size(), {}, {}}, {});
  return bytes_in(transport, "plain");
}

TEST(DescribedMemory, WritesTheFileOfPlainMemory) {
  const auto transport = storage::make_memory();
  FieldSpec spec = gauge_spec(Precision::double_, 3, 4);
  const auto truth = plain_file(*transport, spec);
  for (const Way& way : ways) {
    SCOPED_TRACE(to_string(way.processes));
    WriteOptions options{.route = route_of(way)};
    options.overwrite = true;
    on_ranks(way, [&](const Grid& grid) {
      const std::vector<double> values = even_first(grid, 72);
      write_field(*transport, "described", grid,
                  Field{spec, values.data(), values.size(), {}, {}, memory_layout("milc"), {}}, options);
    });
    EXPECT_TRUE(bytes_in(*transport, "described") == truth);
  }
}

TEST(DescribedMemory, IsFilledAsTheFormulaSays) {
  const auto transport = storage::make_memory();
  FieldSpec spec = spinor_spec(Precision::double_);
  plain_file(*transport, spec);
  for (const Way& way : ways) {
    SCOPED_TRACE(to_string(way.processes));
    ReadOptions options{.route = route_of(way)};
    on_ranks(way, [&](const Grid& grid) {
      std::vector<double> values(grid.local_volume() * 24);
      const MutableField to{spec, values.data(), values.size(), {}, {}, memory_layout("milc"), {}};
      EXPECT_EQ(read_field(*transport, "plain", grid, to, options).status, ChecksumStatus::ok);
      EXPECT_TRUE(values == even_first(grid, 24));
    });
  }
}

// Sites from the last to the first, by a table, and the links of each in places of their own.
TEST(MemoryByTable, IsThatOfPlainMemory) {
  const auto transport = storage::make_memory();
  const FieldSpec spec = gauge_spec(Precision::double_, 3, 4);
  const auto truth = plain_file(*transport, spec);
  for (const Way& way : ways) {
    SCOPED_TRACE(to_string(way.processes));
    WriteOptions options{.route = route_of(way)};
    options.overwrite = true;
    on_ranks(way, [&](const Grid& grid) {
      const std::vector<double> plain = formula_sites<double>(grid, 72);
      const std::uint64_t links = 4 * grid.local_volume();
      std::vector<std::uint64_t> table(links);
      std::vector<double> values(plain.size()), back(plain.size());
      for (std::uint64_t i = 0; i < links; ++i) {
        table[i] = links - 1 - i;
        for (std::uint64_t n = 0; n < 18; ++n) values[table[i] * 18 + n] = plain[i * 18 + n];
      }
      const MemoryLayout layout = memory_layout("places=of-links", table);
      write_field(*transport, "by_table", grid, Field{spec, values.data(), values.size(), {}, {}, layout, {}}, options);
      read_field(*transport, "plain", grid, MutableField{spec, back.data(), back.size(), {}, {}, layout, {}}, {});
      EXPECT_TRUE(back == values);
      table.front() = table.back();
      const Error error = error_of([&] {
        write_field(*transport, "never", grid, Field{spec, values.data(), values.size(), {}, {}, layout, {}}, {});
      });
      EXPECT_NE(std::string(error.what()).find("twice"), std::string::npos) << error.what();
    });
    EXPECT_TRUE(bytes_in(*transport, "by_table") == truth);
  }
}

// Vectors of four: sites of both halves of z and of t, whatever of the lattice a rank has.
TEST(Vectors, AreWrittenAndReadAsPlainMemory) {
  const auto transport = storage::make_memory();
  const FieldSpec spec = gauge_spec(Precision::double_, 3, 4);
  const auto truth = plain_file(*transport, spec);
  for (const Way& way : ways) {
    SCOPED_TRACE(to_string(way.processes));
    WriteOptions writing{.route = route_of(way)};
    ReadOptions reading{.route = route_of(way)};
    writing.overwrite = true;
    writing.block_bytes = reading.block_bytes = 64 * 576;  // 16 sites of each lane
    on_ranks(way, [&](const Grid& grid) {
      const Box& box = grid.local_box();
      std::vector<double> values(grid.local_volume() * 72), back(values.size());
      for (std::uint64_t i = 0; i < grid.local_volume(); ++i) {
        const Coord x = lattice::site_at(i, box, lattice::resolve_order({}, 4));
        std::uint64_t outer = 0, lane = 0, outers = 1;
        for (int d = 0; d < 4; ++d) {
          const std::uint64_t at = static_cast<std::uint64_t>(x[d] - box.lower[d]);
          const std::uint64_t inner = static_cast<std::uint64_t>(box.extents[d]) / (d < 2 ? 1 : 2);
          outer += at % inner * outers;
          outers *= inner;
          lane += at / inner * static_cast<std::uint64_t>(d < 3 ? 1 : 2);
        }
        for (std::uint64_t n = 0; n < 72; ++n) {
          values[(outer * 36 + n / 2) * 8 + lane * 2 + n % 2] = formula(lattice::site_rank(x, grid.extents()), n);
        }
      }
      const MemoryLayout layout = memory_layout("lanes=1,1,2,2");
      write_field(*transport, "vectors", grid, Field{spec, values.data(), values.size(), {}, {}, layout, {}}, writing);
      const MutableField to{spec, back.data(), back.size(), {}, {}, layout, {}};
      EXPECT_EQ(read_field(*transport, "plain", grid, to, reading).status, ChecksumStatus::ok);
      EXPECT_TRUE(back == values);
    });
    EXPECT_TRUE(bytes_in(*transport, "vectors") == truth);
  }
}

TEST(DescribedMemory, GivesTheSamePlaquette) {
  const FieldSpec spec = gauge_spec(Precision::double_, 3, 4);
  for (const Way& way : ways) {
    on_ranks(way, [&](const Grid& grid) {
      const std::vector<double> plain = formula_sites<double>(grid, 72), even = even_first(grid, 72);
      const double expected = plaquette(grid, Field{spec, plain.data(), plain.size(), {}, {}}).average;
      EXPECT_EQ(plaquette(grid, Field{spec, even.data(), even.size(), {}, {}, memory_layout("milc"), {}}).average,
                expected);
    });
  }
}

TEST(RowFunctions, WriteAndReadTheFileOfPlainMemory) {
  const auto transport = storage::make_memory();
  const FieldSpec spec = spinor_spec(Precision::double_);
  const auto truth = plain_file(*transport, spec);
  for (const Way& way : ways) {
    WriteOptions options;
    options.overwrite = true;
    options.route.threads = way.threads;
    on_ranks(way, [&](const Grid& grid) {
      const auto value = [&](Coord x, int axis, std::uint64_t site, std::uint64_t n) {
        x[axis] += static_cast<std::int64_t>(site);
        EXPECT_TRUE(grid.local_box().contains(x));
        return formula(lattice::site_rank(x, grid.extents()), n);
      };
      Field field{spec, nullptr, 0, {}, {}, {}, [&](const Coord& x, int axis, std::uint64_t sites, void* row) {
                    auto* numbers = static_cast<double*>(row);
                    for (std::uint64_t i = 0; i < sites * 24; ++i) numbers[i] = value(x, axis, i / 24, i % 24);
                  }};
      write_field(*transport, "rows", grid, field, options);
      std::uint64_t seen = 0, right = 0;
      MutableField back{
          spec, nullptr, 0, {}, {}, {}, [&](const Coord& x, int axis, std::uint64_t sites, const void* row) {
            const auto* numbers = static_cast<const double*>(row);
            seen += sites * 24;
            for (std::uint64_t i = 0; i < sites * 24; ++i) {
              if (numbers[i] == value(x, axis, i / 24, i % 24)) ++right;
            }
          }};
      read_field(*transport, "rows", grid, back, {});
      EXPECT_EQ(seen, grid.local_volume() * 24);
      EXPECT_EQ(right, seen);
    });
    EXPECT_TRUE(bytes_in(*transport, "rows") == truth);
  }
}

TEST(DescribedMemory, IsRefusedOnAllRanksWhereItDoesNotFit) {
  const auto transport = storage::make_memory();
  const FieldSpec spec = spinor_spec(Precision::double_);
  on_ranks(ways[4], [&](const Grid& grid) {
    std::vector<double> values(grid.local_volume() * 24);
    const auto refusal = [&](const MemoryLayout& layout, std::uint64_t available, const SiteOrder& order) {
      const Error error = error_of([&] {
        write_field(*transport, "never", grid, Field{spec, values.data(), available, order, {}, layout, {}}, {});
      });
      EXPECT_EQ(error.code(), Code::invalid_argument);
      return std::string(error.what());
    };
    EXPECT_NE(refusal(memory_layout("lanes=1,1,1,4"), values.size(), {}).find("4 lanes in dimension 3"),
              std::string::npos);
    EXPECT_NE(refusal(memory_layout("milc padding=8"), values.size(), {}).find("as the description of the memory says"),
              std::string::npos);
    EXPECT_NE(refusal(memory_layout("milc"), values.size(), {3, 2, 1, 0}).find("order="), std::string::npos);
    // One rank alone describes it wrongly.
    MemoryLayout layout = memory_layout("milc");
    if (grid.communicator().rank() == 2) layout.padding = 9;
    refusal(layout, values.size(), {});
  });
  EXPECT_EQ(error_of([&] { transport->open_read("never"); }).code(), Code::not_found);
}

}  // namespace
}  // namespace lq::io
