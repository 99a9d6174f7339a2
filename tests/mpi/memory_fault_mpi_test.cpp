// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Memory that runs out on one of the ranks, over MPI: at every allocation, once or for good, while a field and a set
// are written and read. Claim: nobody waits for ever, and all ranks throw the same error or none.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <limequat/limequat.hpp>
#include <limequat/multifile.hpp>

#include "comm/agree.hpp"
#include "mpi/harness.hpp"
#include "mpi/memory_faults.hpp"
#include "support/formula_field.hpp"

namespace lq {
namespace {

const Extents lattice{4, 2, 2, 4};

struct Case {
  const char* name;
  Strategy strategy;
  int bad_rank;
  bool for_good;
};

class MemoryOverMpi : public ::testing::TestWithParam<Case> {
 protected:
  Grid grid() const { return Grid(all_, lattice, {.processes = Extents{1, 1, 1, all_.size()}}); }

  // Collective. As memory_faults_in().
  template <class Work>
  int faults_in(const Work& work) {
    return testing::memory_faults_in(GetParam().bad_rank, GetParam().for_good, [&](testing::HeldMemory* memory) {
      const Error error = testing::same_error_of([&] {
        const testing::OwnedBy owner(memory);
        work();
      });
      EXPECT_TRUE(error.code() == Code::ok || error.code() == Code::out_of_memory) << error.what();
      return error.code() == Code::ok;
    });
  }

  testing::SharedDirectory directory_;
  Communicator all_ = mpi::communicator(MPI_COMM_WORLD);
  std::vector<double> numbers_ = testing::formula_sites<double>(grid(), 72);
};

TEST_P(MemoryOverMpi, RunsOutWhileAFieldIsWrittenAndRead) {
  const std::string path = directory_ / "a file whose name is too long for a string that needs no memory.ildg";
  const RouteOptions route{.strategy = GetParam().strategy, .chunk_bytes = 4096};
  const auto do_write = [&] {
    write(path, grid(), gauge(numbers_), {.sync = Sync::none, .overwrite = true, .route = route});
  };
  EXPECT_GE(faults_in(do_write), 10);
  do_write();
  std::vector<double> back(numbers_.size());
  EXPECT_GE(faults_in([&] { read(path, grid(), gauge(back), {.route = route}); }), 10);
  EXPECT_EQ(back, numbers_);
}

TEST_P(MemoryOverMpi, RunsOutWhileASetIsWrittenAndRead) {
  const std::string path = directory_ / "a set whose name is too long for a string that needs no memory.sion";
  MultifileOptions options;
  options.files = 2;
  options.expected_bytes = 1;
  options.overwrite = true;
  const auto do_write = [&] {
    MultifileWriter set(path, all_, options);
    std::exception_ptr failure;  // a stream is a rank's own affair
    try {
      set.stream(0).write(std::as_bytes(std::span(numbers_)));
    } catch (...) {
      failure = std::current_exception();
    }
    all_.agree(failure);
    set.write_field("of this set", grid(), gauge(numbers_));
    set.close();
  };
  EXPECT_GE(faults_in(do_write), 10);
  do_write();
  std::vector<double> back(numbers_.size());
  EXPECT_GE(faults_in([&] {
              const MultifileReader set(path, all_);
              set.read_field("of this set", grid(), gauge(back));
            }),
            10);
  EXPECT_EQ(back, numbers_);
}

// Short ones, which MPI keeps until they are taken, and long ones, whose sender waits.
TEST_P(MemoryOverMpi, RunsOutWhereMessagesArrive) {
  comm::Comm& comm = all_.engine();
  const int other = (comm.rank() + 1) % comm.size();
  for (const std::size_t bytes : {std::size_t{10}, std::size_t{4} << 20}) {
    const std::vector<std::byte> sent(bytes, static_cast<std::byte>(comm.rank() + 1));
    std::vector<comm::Message> arrived;
    EXPECT_GE(faults_in([&] {
                arrived.clear();
                arrived = comm::exchange_messages(comm, [&] { return std::vector<comm::Message>{{other, sent}}; });
              }),
              3);
    ASSERT_EQ(arrived.size(), 1U);
    EXPECT_TRUE(arrived.front().bytes == std::vector<std::byte>(bytes, static_cast<std::byte>(other + 1)));
  }
}

INSTANTIATE_TEST_SUITE_P(OnOneRank, MemoryOverMpi,
                         ::testing::Values(Case{"root_direct_once", Strategy::direct, 0, false},
                                           Case{"last_messages_once", Strategy::messages, 1, false},
                                           Case{"last_shared_for_good", Strategy::shared, 1, true}),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace lq
