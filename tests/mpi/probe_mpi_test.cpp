// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the doctor asks MPI: judgements by facts made up here, and the questions put to the MPI of this build.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "mpi/harness.hpp"
#include "mpi/probe.hpp"

namespace lq::mpi {
namespace {

using testing::SharedDirectory;
using testing::world_rank;
using testing::world_size;

TEST(LibraryVerdict, KnowsBadVersions) {
  const Probe open_mpi = judge_library("Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4, repo rev: v4.1.4");
  EXPECT_EQ(open_mpi.verdict, ProbeVerdict::warn);
  EXPECT_NE(open_mpi.found.find("Open MPI v4.1.4:"), std::string::npos) << open_mpi.found;
  EXPECT_NE(open_mpi.action, "");
  const Probe mpich = judge_library("MPICH Version:\t4.0.2\nMPICH Release date:\tThu Apr  7 2022\n");
  EXPECT_EQ(mpich.verdict, ProbeVerdict::warn);
  EXPECT_NE(mpich.found.find("MPICH Version: 4.0.2:"), std::string::npos) << mpich.found;
}

TEST(LibraryVerdict, TrustsOthers) {
  for (const char* version : {"Open MPI v5.0.7, package: x", "MPICH Version:\t4.2.1\nMore", "Something 1.0"}) {
    EXPECT_EQ(judge_library(version).verdict, ProbeVerdict::pass) << version;
  }
}

TEST(ThreadsVerdict, WarnsOfNone) {
  EXPECT_EQ(judge_threads(MPI_THREAD_SINGLE).verdict, ProbeVerdict::warn);
  EXPECT_EQ(judge_threads(MPI_THREAD_FUNNELED).verdict, ProbeVerdict::pass);
  EXPECT_EQ(judge_threads(MPI_THREAD_MULTIPLE).found, "MPI_THREAD_MULTIPLE");
}

// What the ranks' blocks amount to, put in their places one by one.
std::vector<std::byte> laid_out(const AwkwardView& view, int ranks) {
  std::vector<std::byte> file(view.file_bytes(ranks), gap_byte);
  for (int rank = 0; rank < ranks; ++rank) {
    const std::vector<std::byte> data = view.data_of(rank, ranks);
    std::uint64_t place = view.start + static_cast<std::uint64_t>(rank) * view.block;
    for (std::uint64_t k = 0; k < view.count; ++k) {
      const auto block = data.begin() + static_cast<std::ptrdiff_t>(k * view.block);
      std::copy_n(block, view.block, file.begin() + static_cast<std::ptrdiff_t>(place));
      place += static_cast<std::uint64_t>(ranks) * view.block + view.gap;
    }
  }
  return file;
}

constexpr AwkwardView view{13, 50, 7, 3};

TEST(AwkwardViews, OfAllRanksMakeTheExpectedFile) {
  for (const int ranks : {1, 2, 5}) EXPECT_EQ(first_difference(view, ranks, laid_out(view, ranks)), "");
}

TEST(AwkwardViews, ShowEveryWrongByte) {
  const std::vector<std::byte> good = laid_out(view, 3);
  for (const std::size_t place : {std::size_t{0}, std::size_t{3}, good.size() / 2, good.size() - 1}) {
    std::vector<std::byte> bad = good;
    bad[place] ^= std::byte{1};
    const std::string found = first_difference(view, 3, bad);
    EXPECT_NE(found.find("1 of 2303 bytes are wrong, the first at " + std::to_string(place)), std::string::npos)
        << found;
  }
  std::vector<std::byte> lost = good;  // a page of zeros
  std::fill_n(lost.begin() + 100, 64, std::byte{0});
  EXPECT_NE(first_difference(view, 3, lost), "");
  lost = good;
  lost.resize(1000);
  EXPECT_EQ(first_difference(view, 3, lost), "the file ends at byte 1000");
}

TEST(WorstOverRanks, IsThatOfTheLowestRankWhichSawIt) {
  const int last = world_size() - 1;
  const ProbeVerdict mine = world_rank() == last ? ProbeVerdict::fail : ProbeVerdict::warn;
  const Probe worst = worst_over_ranks(MPI_COMM_WORLD, {"x", mine, "by " + std::to_string(world_rank()), "do"});
  EXPECT_EQ(worst.verdict, ProbeVerdict::fail);
  const std::string seen = "by " + std::to_string(last);
  EXPECT_EQ(worst.found, last == 0 ? seen : "rank " + std::to_string(last) + ": " + seen);
  EXPECT_EQ(worst.action, "do");
  EXPECT_EQ(worst_over_ranks(MPI_COMM_WORLD, {"x", ProbeVerdict::pass, std::to_string(world_rank()), ""}).found, "0");
}

const Probe& probe_named(const std::vector<Probe>& probes, const std::string& name) {
  static const Probe none{"none", ProbeVerdict::fail, "", ""};
  const auto found = std::find_if(probes.begin(), probes.end(), [&](const Probe& p) { return p.name == name; });
  return found == probes.end() ? none : *found;
}

// Collective writes are left out of what must be right: some versions fail, which is what the question is for.
TEST(MpiProbes, FindIndependentWritesSoundAndLeaveNothing) {
  const SharedDirectory folder;
  const std::vector<Probe> probes = probe(MPI_COMM_WORLD, folder / "");
  std::set<std::string> names;
  for (const Probe& p : probes) {
    names.insert(p.name);
    EXPECT_NE(p.found, "") << p.name;
    EXPECT_EQ(p.action.empty(), p.verdict == ProbeVerdict::pass) << p.name;
  }
  EXPECT_EQ(names, (std::set<std::string>{"mpi-library", "mpi-threads", "mpi-reduction", "mpi-independent-write",
                                          "mpi-collective-write", "mpi-large-offset"}));
  EXPECT_EQ(probe_named(probes, "mpi-independent-write").verdict, ProbeVerdict::pass)
      << probe_named(probes, "mpi-independent-write").found;
  EXPECT_EQ(probe_named(probes, "mpi-large-offset").verdict, ProbeVerdict::pass);
  EXPECT_TRUE(std::filesystem::is_empty(folder / ""));
  for (const Probe& p : probes) {
    int verdict = static_cast<int>(p.verdict);
    MPI_Bcast(&verdict, 1, MPI_INT, 0, MPI_COMM_WORLD);
    EXPECT_EQ(verdict, static_cast<int>(p.verdict)) << p.name;
  }
}

TEST(MpiProbes, OfAFolderThatIsNotThereFailWithoutError) {
  const std::vector<Probe> probes = probe(MPI_COMM_WORLD, "/no/such/folder");
  for (const char* name : {"mpi-independent-write", "mpi-collective-write", "mpi-large-offset"}) {
    EXPECT_EQ(probe_named(probes, name).verdict, ProbeVerdict::fail) << name;
    EXPECT_NE(probe_named(probes, name).action, "") << name;
  }
}

}  // namespace
}  // namespace lq::mpi
