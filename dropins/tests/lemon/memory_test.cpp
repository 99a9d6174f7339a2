// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Memory that runs out on one of the ranks while records are written and read with Lemon's interface: at every
// allocation, once or for good. Claim: nobody waits indefinitely, and all ranks get the same code.
#include <string>
#include <vector>

#include "mpi/memory_faults.hpp"
#include "tests/lemon/fixture.hpp"

namespace lq::testing {
namespace {

constexpr MPI_Offset site_bytes = 576;

struct Case {
  const char* name;
  std::vector<int> ranks;  // along the slow and the fast dimension: whole rows, or halves that are exchanged
  bool in_background;
  int bad_rank;
  bool for_good;
};

class LemonMemory : public Lemon, public ::testing::WithParamInterface<Case> {
 protected:
  // Collective. Steps until one does not succeed; each gives all ranks the same code.
  template <class... Steps>
  static bool all_succeed(const Steps&... steps) {
    return (succeeds(steps) && ...);
  }
  template <class Step>
  static bool succeeds(const Step& step) {
    const int code = step();
    const OwnedBy nobody(nullptr);
    return same(code) == LEMON_SUCCESS;
  }
  static int code_of(const void* object) { return object == nullptr ? LEMON_ERR_PARAM : LEMON_SUCCESS; }

  // Collective. As memory_faults_in().
  template <class Work>
  static int faults_in(const Work& work) {
    return memory_faults_in(GetParam().bad_rank, GetParam().for_good, [&](HeldMemory* memory) {
      const OwnedBy owner(memory);
      return work();
    });
  }
};

TEST_P(LemonMemory, RunsOutOnOneRankAndAllKnow) {
  if (world_size() != 2) GTEST_SKIP() << "two ranks";
  const Cartesian comm(GetParam().ranks);
  const std::vector<int> extents{64, 64};
  const std::string mine = block_of(comm, extents, {0, 1}, site_bytes);
  const auto bytes = static_cast<MPI_Offset>(sites_of(extents) * site_bytes);
  std::string memory = mine;
  char type[] = "lattice";
  LemonRecordHeader* const header = lemonCreateHeader(1, 1, type, bytes);
  create();
  const bool in_background = GetParam().in_background;
  const auto write = [&] {
    LemonWriter* writer = nullptr;
    const bool is_well = all_succeed(
        [&] { return code_of(writer = lemonCreateWriter(&file_, comm)); },
        [&] { return lemonWriteRecordHeader(header, writer); },
        [&] {
          return in_background ? lemonWriteLatticeParallelNonBlocking(writer, memory.data(), site_bytes, extents.data())
                               : lemonWriteLatticeParallel(writer, memory.data(), site_bytes, extents.data());
        },
        [&] { return lemonFinishWriting(writer); }, [&] { return lemonWriterCloseRecord(writer); });
    if (writer != nullptr) lemonDestroyWriter(writer);
    return is_well;
  };
  EXPECT_GE(faults_in(write), 5);
  EXPECT_EQ(contents(), record_bytes(type, lattice_bytes(sites_of(extents), site_bytes)));
  const auto read = [&] {
    LemonReader* reader = nullptr;
    const bool is_well = all_succeed(
        [&] { return code_of(reader = lemonCreateReader(&file_, comm)); },
        [&] { return lemonReaderNextRecord(reader); },
        [&] {
          return in_background ? lemonReadLatticeParallelNonBlocking(reader, memory.data(), site_bytes, extents.data())
                               : lemonReadLatticeParallel(reader, memory.data(), site_bytes, extents.data());
        },
        [&] { return lemonFinishReading(reader); });
    if (reader != nullptr) lemonDestroyReader(reader);
    return is_well;
  };
  memory.assign(memory.size(), '\0');
  open(MPI_MODE_RDONLY);
  EXPECT_GE(faults_in(read), 5);
  EXPECT_TRUE(memory == mine);
  close();
  lemonDestroyHeader(header);
}

INSTANTIATE_TEST_SUITE_P(OnOneRank, LemonMemory,
                         ::testing::Values(Case{"rows_of_root_once", {2, 1}, false, 0, false},
                                           Case{"rows_in_background_of_last_for_good", {2, 1}, true, 1, true},
                                           Case{"halves_of_last_once", {1, 2}, false, 1, false},
                                           Case{"halves_of_root_for_good", {1, 2}, false, 0, true},
                                           Case{"halves_in_background_of_root_once", {1, 2}, true, 0, false},
                                           Case{"halves_in_background_of_last_for_good", {1, 2}, true, 1, true}),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace lq::testing
