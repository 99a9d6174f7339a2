// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Memory that runs out on one rank while files are opened and closed with the interface of SIONlib: at every
// allocation, once or for good. Claim: nobody waits for ever, all ranks have a file or none has (closed it or none
// has), and no handle is lost.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "compat/sion/opening.hpp"
#include "multifile/team.hpp"
#include "support/memory_fault.hpp"
#include "support/scratch_directory.hpp"

namespace lq::compat::sion {
namespace {

constexpr int ranks = 4;

struct Case {
  const char* name;
  int bad_rank;
  bool for_good;
};

class MemoryOfSionOpens : public ::testing::TestWithParam<Case> {
 protected:
  // Returns a handle or -1, and where the stream and the name go.
  using Open = std::function<int(const std::shared_ptr<comm::Comm>&, const char* mode, ParallelArguments&)>;

  void run(const char* mode, const Open& open) {
    testing::MemoryFaults faults(ranks, GetParam().bad_rank, GetParam().for_good);
    while (faults.next([&](const Communicator& all) {
      const auto handle = std::make_shared<Communicator>(all);
      return [this, mode, &open, comm = std::shared_ptr<comm::Comm>(handle, &handle->engine())] {
        open_and_close(comm, mode, open);
      };
    })) {
      if (HasFailure()) return;
    }
    EXPECT_GE(faults.failures(), 10);
    // One is taken, and the table is empty again: numbers begin anew.
    const int next = reserve_handle();
    EXPECT_EQ(next, 0);
    drop_handle(next);
  }

  void open_and_close(const std::shared_ptr<comm::Comm>& comm, const char* mode, const Open& open) const {
    const Silence no_messages;
    sion_int64 chunk = 1000;
    sion_int32 block = 512;
    FILE* stream = nullptr;
    char* name = nullptr;
    ParallelArguments arguments{"open", path_.c_str(), mode, &chunk, &block, nullptr, &stream, &name, {}};
    const int sid = open(comm, mode, arguments);
    expect_alike(*comm, sid >= 0, "have a file");
    if (sid < 0) {
      EXPECT_EQ(name, nullptr);
      fail("not opened");
    }
    EXPECT_NE(stream, nullptr);
    std::free(name);
    const bool is_closed = close_handle("close", sid) == SION_SUCCESS;
    expect_alike(*comm, is_closed, "have closed");
    if (!is_closed) fail("not closed");
  }

  // Whoever still waits in the call takes this for its own operation, or never comes here.
  static void expect_alike(comm::Comm& comm, bool is_well, const char* what) {
    std::uint64_t well = is_well ? 1 : 0;
    comm.all_reduce(std::span(&well, 1), comm::Reduce::sum);
    EXPECT_TRUE(well == 0 || well == ranks) << well << " ranks " << what;
  }

  [[noreturn]] static void fail(const char* what) {
    const testing::OwnedBy nobody(nullptr);
    throw Error(Code::out_of_memory, what);
  }

  static int open_as_ranks(const std::shared_ptr<comm::Comm>& comm, const char* /*mode*/,
                           ParallelArguments& arguments) {
    std::shared_ptr<multifile::Team> team;
    {
      const testing::OwnedBy nobody(nullptr);  // the caller's
      team = multifile::make_team(comm);
    }
    const int rank = comm->rank();
    return open_in_parallel(team, arguments, {0, 1, rank, ranks, true}, rank);
  }

  static int open_as_mapped(const std::shared_ptr<comm::Comm>& comm, const char* mode, ParallelArguments& arguments) {
    arguments.newfname = nullptr;
    int files = 2, tasks = 1, rank = comm->rank(), number = rank % 2, file = rank / 2;
    sion_int64 chunk = 1000;
    std::array<int*, 3> arrays{&rank, &file, &number};
    sion_int64* chunks = &chunk;
    MappedArguments mapped{arguments, &files, &tasks, &arrays[0], &chunks, &arrays[1], &arrays[2]};
    const bool writes = mode[1] == 'w';
    if (!writes) {  // new arrays come instead
      chunks = nullptr;
      arrays[1] = arrays[2] = nullptr;
    }
    const int sid = open_mapped(comm, mapped);
    if (!writes) {
      for (void* const given :
           {static_cast<void*>(chunks), static_cast<void*>(arrays[1]), static_cast<void*>(arrays[2])}) {
        std::free(given);
      }
    }
    return sid;
  }

  // The file that is read.
  void prepare(const Open& open) const {
    testing::run_ranks(ranks, [&](const std::shared_ptr<comm::Comm>& comm) { open_and_close(comm, "bw,ansi", open); });
  }

  testing::ScratchDirectory directory_;
  std::string path_ = directory_ / "a multifile whose name is too long for a string without memory.sion";
};

TEST_P(MemoryOfSionOpens, RunsOutWhereRanksCreate) { run("bw,ansi", open_as_ranks); }

TEST_P(MemoryOfSionOpens, RunsOutWhereRanksOpen) {
  prepare(open_as_ranks);
  run("br,ansi", open_as_ranks);
}

TEST_P(MemoryOfSionOpens, RunsOutWhereMappedTasksAreCreated) { run("bw,ansi", open_as_mapped); }

TEST_P(MemoryOfSionOpens, RunsOutWhereMappedTasksAreOpened) {
  prepare(open_as_mapped);
  run("br,ansi", open_as_mapped);
}

INSTANTIATE_TEST_SUITE_P(OnOneRank, MemoryOfSionOpens,
                         ::testing::Values(Case{"root_once", 0, false}, Case{"root_for_good", 0, true},
                                           Case{"another_once", 2, false}, Case{"another_for_good", 2, true}),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace lq::compat::sion
