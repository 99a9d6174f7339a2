// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How many collective operations a call makes. Each of them costs a latency that grows with the number of ranks and is
// as long as that of the slowest one, so that small files are written as fast as these are few.
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "io/field_writer.hpp"
#include "io/transfer.hpp"
#include "scale/counted.hpp"
#include "sets/checkpoint/new_set.hpp"
#include "support/file_contents.hpp"
#include "support/formula_field.hpp"

namespace lq::collectives {
namespace {

using testing::Counted;

// One site for each rank: rows of one site each, or one row of all.
struct Shape {
  Extents lattice, processes;
};

// The operations of each call; `strategy` says how the sites travel.
Counted observe(const Shape& shape, Strategy strategy, bool verify_by_reading = false) {
  constexpr std::uint64_t numbers = 4;
  const FieldSpec spec = generic_spec(Precision::single, numbers, false);
  const int ranks = static_cast<int>(volume(shape.processes));
  const auto transport = storage::make_memory();
  Counted counted(ranks, [](std::size_t rank) { return rank == 0; });
  counted.run([&](const std::shared_ptr<comm::Comm>& comm, const Counted::Rank& rank) {
    const Grid grid(Communicator(comm), shape.lattice, {.processes = shape.processes});
    std::vector<float> values = testing::formula_sites<float>(grid, numbers);
    const Field field{spec, values.data(), values.size(), {}, {}};
    const MutableField to{spec, values.data(), values.size(), {}, {}};
    WriteOptions how{.format = "scidac", .overwrite = true, .route = {.strategy = strategy}};
    if (verify_by_reading) how.verify = Verify::read_back;
    comm->node();  // found out once
    rank.phase("write", [&] { io::write_field(*transport, "field", grid, field, how); });
    rank.phase("read", [&] {
      const auto reading = io::begin_read(*transport, "field", grid, to, {.route = how.route});
      reading->finish(engine::outcome_of(reading->steps()));
    });
    if (strategy != Strategy::direct || verify_by_reading) return;
    io::FieldWriter writer(*transport, grid.communicator(), "fields", how);
    rank.phase("append", [&] { io::append_field(writer, *transport, grid, "fields", "one", field, {}, how); });
    rank.phase("append another", [&] { io::append_field(writer, *transport, grid, "fields", "two", field, {}, how); });
    rank.phase("record", [&] { writer.append_record("note", "text"); });
    Report report;
    rank.phase("close", [&] { writer.commit(report); });

    std::unique_ptr<sets::NewSet> set;
    rank.phase("create a checkpoint", [&] { set = sets::create_set(*transport, "set", grid.communicator(), {}); });
    rank.phase("close a checkpoint", [&] { set->close(); });
  });
  return counted;
}

void expect_at_most(const Counted& seen, const std::map<std::string, std::uint64_t>& limits) {
  for (const auto& [call, limit] : limits) EXPECT_LE(seen.phase(call).collectives, limit) << call;
}

const Shape few_ranks{{1, 1, 2, 2}, {1, 1, 2, 2}}, many_ranks{{8, 8, 8, 8}, {8, 8, 8, 8}};

TEST(Collectives, AreFewOnAnyNumberOfRanks) {
  for (const Shape& shape : {few_ranks, many_ranks}) {
    const Counted direct = observe(shape, Strategy::direct);
    expect_at_most(direct, {{"write", 9},
                            {"read", 7},
                            {"append", 8},
                            {"append another", 7},
                            {"record", 4},
                            {"close", 2},
                            {"create a checkpoint", 6},
                            {"close a checkpoint", 6}});
    const Counted messages = observe(shape, Strategy::messages);
    expect_at_most(messages, {{"write", 10}, {"read", 8}});
  }
}

// NERSC files state plaquette and link trace: neighbours' links arrive in two exchanges, all sums in one reduction.
TEST(Collectives, AreFewWhereTheFormatStatesThePlaquette) {
  for (const Extents& processes : {Extents{1, 1, 2, 2}, Extents{2, 4, 4, 8}}) {
    const auto transport = storage::make_memory();
    Counted counted(static_cast<int>(volume(processes)), [](std::size_t rank) { return rank == 0; });
    counted.run([&](const std::shared_ptr<comm::Comm>& comm, const Counted::Rank& rank) {
      const Grid grid(Communicator(comm), {2, 4, 4, 8}, {.processes = processes});
      std::vector<double> links(grid.local_volume() * 72);
      for (std::size_t i = 0; i < links.size(); ++i) links[i] = i % 18 % 8 == 0 && i % 18 < 17 ? 1 : 0;
      const Field field{gauge_spec(Precision::double_), links.data(), links.size(), {}, {}};
      comm->node();
      rank.phase("write", [&] {
        io::write_field(*transport, "field", grid, field, {.format = "nersc", .route = {.strategy = Strategy::direct}});
      });
    });
    expect_at_most(counted, {{"write", 18}});
    const std::vector<std::byte> bytes = testing::bytes_in(*transport, "field");
    EXPECT_NE(base::as_text(bytes).find("PLAQUETTE = 1\n"), std::string_view::npos);
  }
}

TEST(Collectives, OfReadingBackDoNotGrowWithTheRanks) {
  const Counted with_few = observe(few_ranks, Strategy::direct, true),
                with_more = observe({{4, 4, 4, 4}, {4, 4, 4, 4}}, Strategy::direct, true);
  EXPECT_EQ(with_few.phase("write").collectives, with_more.phase("write").collectives);
}

}  // namespace
}  // namespace lq::collectives
