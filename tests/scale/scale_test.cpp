// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Thousands of ranks in one process: the library writes and reads a field through its own routes and exchange, and what
// it sends and holds is what was planned for it. What one rank does must not grow with the number of ranks.
#include <gtest/gtest.h>
#include <limequat/plan.hpp>

#include <algorithm>
#include <mutex>

#include "engine/shares.hpp"
#include "io/scan.hpp"
#include "io/transfer.hpp"
#include "support/formula_field.hpp"
#include "support/thread_comm.hpp"

namespace lq {
namespace {

using testing::Traffic;

constexpr std::uint64_t numbers = 4;
constexpr std::uint64_t chunk_bytes = 16 * 1024;

struct Setting {
  Extents lattice, processes;
  int ranks_per_node = 1;
  Strategy strategy = Strategy::messages;

  int ranks() const { return static_cast<int>(volume(processes)); }
  RouteOptions route() const { return {.strategy = strategy, .chunk_bytes = chunk_bytes}; }
};

FieldSpec spec() { return generic_spec(Precision::single, numbers, false); }

// What the ranks did.
struct Observed {
  std::vector<Traffic> writing, reading;  // by rank
  std::vector<std::uint64_t> memory;      // bytes beyond the field, the more of both
  std::uint64_t wrong_numbers = 0;
  std::uint64_t payload_offset = 0;
};

class Simulated {
 public:
  explicit Simulated(const Setting& setting) : setting_(setting) {
    seen_.memory.resize(static_cast<std::size_t>(setting.ranks()));
    on_ranks(seen_.writing, [&](const Grid& grid) { write(grid); });
    on_ranks(seen_.reading, [&](const Grid& grid) { read(grid); });
    seen_.payload_offset =
        io::ScannedFile::open(*transport_, path_, Communicator(), {})->catalog().fields.front().payload.offset;
  }

  const Observed& seen() const noexcept { return seen_; }

  TransferPlan plan(bool writing) const {
    PlanRequest request;
    request.lattice = setting_.lattice;
    request.processes = setting_.processes;
    request.spec = spec();
    request.payload_offset = seen_.payload_offset;
    request.writing = writing;
    request.route = setting_.route();
    Machine machine;
    machine.ranks_per_node = static_cast<std::uint64_t>(setting_.ranks_per_node);
    machine.nodes = static_cast<std::uint64_t>(setting_.ranks() / setting_.ranks_per_node);
    return plan_transfer(request, machine);
  }

 private:
  void on_ranks(std::vector<Traffic>& traffic, const std::function<void(const Grid&)>& body) {
    testing::run_ranks(setting_.ranks(),
                       [&](std::shared_ptr<comm::Comm> comm) {
                         body(Grid(Communicator(std::move(comm)), setting_.lattice, {.processes = setting_.processes}));
                       },
                       {.ranks_per_node = setting_.ranks_per_node, .traffic = &traffic});
  }

  Report finish(const Grid& grid, io::Transfer& transfer) {
    const std::exception_ptr failure = engine::outcome_of(transfer.steps());
    std::uint64_t& memory = seen_.memory[static_cast<std::size_t>(grid.rank())];
    memory = std::max(memory, transfer.steps().memory_bytes());
    return transfer.finish(failure);
  }

  void write(const Grid& grid) {
    const std::vector<float> values = testing::formula_sites<float>(grid, numbers);
    const Field field{spec(), values.data(), values.size(), {}, {}};
    WriteOptions options{.format = "scidac", .route = setting_.route()};
    finish(grid, *io::begin_write(*transport_, path_, grid, field, options));
  }

  void read(const Grid& grid) {
    std::vector<float> values(grid.local_volume() * numbers);
    const MutableField field{spec(), values.data(), values.size(), {}, {}};
    finish(grid, *io::begin_read(*transport_, path_, grid, field, {.route = setting_.route()}));
    const std::vector<float> expected = testing::formula_sites<float>(grid, numbers);
    std::uint64_t wrong = 0;
    for (std::size_t i = 0; i < values.size(); ++i) wrong += values[i] == expected[i] ? 0 : 1;
    const std::lock_guard lock(mutex_);
    seen_.wrong_numbers += wrong;
  }

  Setting setting_;
  std::string path_ = "field.lime";
  std::shared_ptr<storage::Transport> transport_ = storage::make_memory();
  std::mutex mutex_;
  Observed seen_;
};

// What every rank should send: the parcels of its sites for owners on other nodes, or of its chunks for holders there.
std::vector<Traffic> planned_traffic(const TransferPlan& plan, int ranks_per_node) {
  Payload payload;
  payload.offset = plan.request.payload_offset;
  payload.spec = plan.request.spec;
  payload.extents = plan.request.lattice;
  payload.stored = whole(plan.request.lattice);
  const lattice::Decomposition dealt(plan.request.lattice, plan.request.processes);
  const bool writing = plan.request.writing;
  const engine::Transfer transfer{payload, payload.stored, &dealt, writing};
  const StrategyPlan& chosen = plan.chosen;
  const engine::Shares shares(transfer,
                              {chosen.shared_dimensions, chosen.owners, chosen.domain_bytes, chosen.chunk_bytes});
  std::vector<Traffic> all(plan.ranks);
  for (int rank = 0; rank < static_cast<int>(plan.ranks); ++rank) {
    const Box mine = transfer.box_of(rank);
    lattice::Rows rows({payload.extents, payload.stored, payload.order, mine, {}, mine});
    for (auto chunk = shares.next_held(mine, 0); chunk; chunk = shares.next_held(mine, chunk->number + 1)) {
      if (chunk->owner / ranks_per_node == rank / ranks_per_node) continue;
      std::uint64_t sites = 0;
      rows.seek(chunk->first_site);
      for (lattice::Row row; rows.next(row) && row.file_site < chunk->end_site;) {
        sites += std::min(row.file_site + row.sites, chunk->end_site) - std::max(row.file_site, chunk->first_site);
      }
      Traffic& sender = all[static_cast<std::size_t>(writing ? rank : chunk->owner)];
      ++sender.messages_abroad;
      sender.bytes_abroad += sites * payload.spec.site_bytes();
    }
  }
  return all;
}

std::uint64_t most(const std::vector<Traffic>& all, std::uint64_t Traffic::*number) {
  return (*std::ranges::max_element(all, {}, number)).*number;
}

void expect_planned(const Simulated& simulated, const Setting& setting) {
  const Observed& seen = simulated.seen();
  EXPECT_EQ(seen.wrong_numbers, 0u);
  for (const bool writing : {true, false}) {
    const std::vector<Traffic> planned = planned_traffic(simulated.plan(writing), setting.ranks_per_node);
    const std::vector<Traffic>& done = writing ? seen.writing : seen.reading;
    ASSERT_EQ(done.size(), planned.size());
    for (std::size_t rank = 0; rank < done.size(); ++rank) {
      ASSERT_EQ(done[rank].messages_abroad, planned[rank].messages_abroad)
          << (writing ? "writing, rank " : "reading, rank ") << rank;
      ASSERT_EQ(done[rank].bytes_abroad, planned[rank].bytes_abroad)
          << (writing ? "writing, rank " : "reading, rank ") << rank;
    }
  }
}

TEST(Scale, RanksOfANodeSendOnlyToOtherNodes) {
  const Setting setting{{32, 32, 32, 4}, {8, 8, 8, 1}, 64, Strategy::shared};
  const Simulated simulated(setting);
  expect_planned(simulated, setting);
  EXPECT_GT(most(simulated.seen().writing, &Traffic::messages_abroad), 0u);
}

// That what a rank does and holds does not grow with the number of ranks.
void expect_no_growth(const Setting& few, const Setting& many) {
  const Simulated small(few), large(many);
  expect_planned(small, few);
  expect_planned(large, many);

  const auto no_more = [&](const char* what, std::uint64_t in_large, std::uint64_t in_small) {
    EXPECT_LE(static_cast<double>(in_large), 1.1 * static_cast<double>(in_small) + 2) << what;
  };
  no_more("messages, writing", most(large.seen().writing, &Traffic::messages),
          most(small.seen().writing, &Traffic::messages));
  no_more("messages, reading", most(large.seen().reading, &Traffic::messages),
          most(small.seen().reading, &Traffic::messages));
  no_more("collectives, writing", most(large.seen().writing, &Traffic::collectives),
          most(small.seen().writing, &Traffic::collectives));
  no_more("collectives, reading", most(large.seen().reading, &Traffic::collectives),
          most(small.seen().reading, &Traffic::collectives));
  const std::uint64_t memory = std::ranges::max(large.seen().memory);
  no_more("memory", memory, std::ranges::max(small.seen().memory));
  EXPECT_LE(memory, 16u << 20);

  // The plan looks at a few ranks only, and never says more than there is.
  const TransferPlan plan = large.plan(true);
  const std::uint64_t sent = most(large.seen().writing, &Traffic::bytes);
  EXPECT_LE(plan.chosen.bytes_exchanged, sent);
  EXPECT_GE(static_cast<double>(plan.chosen.bytes_exchanged), 0.9 * static_cast<double>(sent));
  EXPECT_LE(memory, plan.chosen.memory_bytes);
}

// With 4x4x4x4 sites each.
TEST(Scale, FourThousandRanksDoWhatFiveHundredDo) {
  expect_no_growth({{32, 32, 32, 4}, {8, 8, 8, 1}}, {{32, 32, 32, 32}, {8, 8, 8, 8}});
}

TEST(Scale, SixteenThousandRanksDoWhatFiveHundredDo) {
  expect_no_growth({{32, 32, 32, 4}, {8, 8, 8, 1}}, {{32, 32, 32, 128}, {8, 8, 8, 32}});
}

}  // namespace
}  // namespace lq
