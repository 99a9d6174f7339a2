// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Protected files verified by several ranks: each byte is read once, and the answer is that of one rank.
#include "sets/checkpoint/protected.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <limequat/limequat.hpp>
#include <limequat/protect.hpp>

#include "support/file_contents.hpp"
#include "support/formula_field.hpp"
#include "support/scratch_directory.hpp"
#include "support/thread_comm.hpp"

namespace lq::sets {
namespace {

// Bytes that this process has read by calls of the system.
std::uint64_t bytes_read() {
  std::ifstream file("/proc/self/io");
  std::string word;
  std::uint64_t bytes = 0;
  while (file >> word) {
    if (word == "rchar:") file >> bytes;
  }
  return bytes;
}

class ProtectedField : public ::testing::Test {
 protected:
  ProtectedField() {
    const Grid grid(extents_);
    const std::vector<double> numbers = testing::formula_sites<double>(grid, 72);
    write(path_, grid, gauge(numbers), {.protect = "3%"});
  }

  Verification verified(int ranks) const {
    Verification found;
    testing::run_ranks(ranks, [&](std::shared_ptr<comm::Comm> comm) {
      const int rank = comm->rank();
      const Verification own = verify(path_, Communicator(std::move(comm)), {.physics = Measure::never, .threads = 1});
      if (rank == 0) found = own;
    });
    return found;
  }

  const Extents extents_ = {16, 16, 16, 16};
  testing::ScratchDirectory directory_;
  std::string path_ = directory_ / "u.ildg";
};

// A write reads most bytes once for their parity, `lq protect` all of them twice.
TEST_F(ProtectedField, HasTheSidecarThatProtectMakes) {
  const std::string sidecar = path_ + ".lq-parity";
  for (const Extents& extents : {Extents{16, 16, 16, 16}, Extents{2, 2, 2, 3}, Extents{3, 5, 2, 9}}) {
    for (const Precision precision : {Precision::double_, Precision::single}) {
      for (const int ranks : {1, 3}) {
        testing::run_ranks(ranks, [&](std::shared_ptr<comm::Comm> comm) {
          const Grid grid(Communicator(std::move(comm)), extents);
          const std::vector<double> numbers = testing::formula_sites<double>(grid, 72);
          write(path_, grid, gauge(numbers),
                {.precision = precision, .sync = Sync::none, .overwrite = true, .protect = "3%"});
        });
        const std::string made = testing::contents(sidecar);
        std::filesystem::remove(sidecar);
        protect({path_}, {}, {.sync = Sync::none});
        EXPECT_EQ(testing::contents(sidecar), made) << to_string(extents) << " by " << ranks;
      }
    }
  }
}

TEST_F(ProtectedField, IsReadOnceWhenItIsWritten) {
  if (bytes_read() == 0) GTEST_SKIP() << "this system does not count what is read";
  const Grid grid(extents_);
  const std::vector<double> numbers = testing::formula_sites<double>(grid, 72);
  const std::uint64_t before = bytes_read();
  write(path_, grid, gauge(numbers), {.sync = Sync::none, .overwrite = true, .protect = "3%"});
  const std::uint64_t size = std::filesystem::file_size(path_);
  EXPECT_LT(bytes_read() - before, size + size / 4);  // the sidecar is read back
}

TEST_F(ProtectedField, IsReadOnceByAnyNumberOfRanks) {
  if (bytes_read() == 0) GTEST_SKIP() << "this system does not count what is read";
  const std::uint64_t size = std::filesystem::file_size(path_);
  for (const int ranks : {1, 2, 5}) {
    const std::uint64_t before = bytes_read();
    EXPECT_EQ(verified(ranks).verdict, Verdict::sound);
    // The sidecar has 3 percent and a page of sums for each window; blocks at the edges of what a rank reads come
    // twice.
    EXPECT_LT(bytes_read() - before, size + size / 4) << ranks;
  }
}

TEST_F(ProtectedField, IsDamagedWhereItIsForAnyNumberOfRanks) {
  std::fstream(path_, std::ios::in | std::ios::out | std::ios::binary).seekp(1'234'567).put('\x55').put('\xaa');
  const Verification alone = verified(1);
  EXPECT_EQ(alone.verdict, Verdict::damaged);
  for (const int ranks : {2, 5}) {
    const Verification found = verified(ranks);
    EXPECT_EQ(found.verdict, alone.verdict);
    ASSERT_EQ(found.findings.size(), alone.findings.size());
    for (std::size_t k = 0; k < found.findings.size(); ++k) {
      EXPECT_EQ(found.findings[k].message, alone.findings[k].message);
    }
  }
}

// Files of no format that is known: what became of each is said, alike on all ranks.
TEST(ProtectedFolder, IsComparedAlikeByAllRanks) {
  const testing::ScratchDirectory folder;
  const auto put = [&](const char* name, std::size_t size) {
    std::string bytes(size, 'a');
    for (std::size_t k = 0; k < size; ++k) bytes[k] = static_cast<char>(k * k / 7 + size);
    testing::put_contents(folder / name, bytes);
    return bytes;
  };
  put("intact", 3000);
  put("gone", 4000);
  const std::string longer = put("longer", 5000) + "and more", flipped = put("flipped", 6000);
  ASSERT_EQ(protect({folder.path()}).files.size(), 4U);
  std::filesystem::remove(folder / "gone");
  testing::put_contents(folder / "longer", longer);
  std::string damaged = flipped;
  damaged[1234] ^= 1;
  testing::put_contents(folder / "flipped", damaged);
  put("new", 100);
  for (const int ranks : {1, 3}) {
    testing::run_ranks(ranks, [&](std::shared_ptr<comm::Comm> comm) {
      const ProtectReport report = protect({folder.path()}, Communicator(std::move(comm)), {.check = true});
      EXPECT_FALSE(report.ok);
      ASSERT_EQ(report.files.size(), 5U);
      for (const ProtectedFile& file : report.files) {
        const std::string name = file.path.substr(file.path.rfind('/') + 1);
        const ProtectedState expected = name == "intact"   ? ProtectedState::intact
                                        : name == "new"    ? ProtectedState::unprotected
                                        : name == "longer" ? ProtectedState::changed
                                                           : ProtectedState::damaged;
        EXPECT_EQ(file.state, expected) << name;
        EXPECT_EQ(file.is_missing, name == "gone") << name;
        if (name == "flipped") {
          ASSERT_EQ(file.damaged.size(), 1U);
          EXPECT_LE(file.damaged[0].offset, 1234U);
          EXPECT_GT(file.damaged[0].offset + file.damaged[0].length, 1234U);
        }
      }
    });
  }
}

}  // namespace
}  // namespace lq::sets
