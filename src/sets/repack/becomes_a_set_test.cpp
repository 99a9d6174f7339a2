// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What cannot be gone on with where it lies, and the set that is made of it: multifiles of other programs, sets that
// lost chunks or records.
#include <limequat/repack.hpp>

#include <gtest/gtest.h>

#include <limequat/error.hpp>

#include "support/error_of.hpp"
#include "support/field_sets.hpp"
#include "support/file_contents.hpp"
#include "support/findings.hpp"

namespace lq {
namespace {

namespace fs = std::filesystem;
using testing::contents;
using testing::count_of;
using testing::error_of;
using testing::files_in;
using testing::golden_path;
using testing::put_contents;
using testing::stream_bytes;

class BecomesASet : public ::testing::Test {
 protected:
  testing::ScratchDirectory directory_;
  std::string path_ = directory_ / "set.sion";
  std::string to_ = directory_ / "new.sion";
};

// ---------------------------------------------------------------------------------------------

TEST_F(BecomesASet, MultifilesOfOthersBecomeSetsThatGrow) {
  for (const std::string name : {"v01_1file_4tasks.sion", "v02_2files_5tasks.sion", "v03_multiblock.sion",
                                 "v11_3files_splitcomm.sion", "v18_fmt3.sion", "v14_defrag_q1.sion"}) {
    SCOPED_TRACE(name);
    const Error refused = error_of([&] { MultifileWriter::append(golden_path(name)); });
    EXPECT_EQ(refused.code(), Code::unsupported);
    EXPECT_NE(std::string(refused.what()).find("--checkpoint"), std::string::npos) << refused.what();
    const RepackReport report = defragment(golden_path(name), to_, {.overwrite = true, .checkpoint = true});
    EXPECT_TRUE(report.findings.empty());
    const MultifileReader before(golden_path(name));
    const auto tasks = static_cast<std::int32_t>(before.tasks());
    {
      MultifileWriter writer = MultifileWriter::append(to_, {}, {.streams = tasks + 1});
      for (std::int32_t task = 0; task <= tasks; ++task) writer.stream(static_cast<std::size_t>(task)).write("more");
      writer.close();
    }
    EXPECT_TRUE(verify_multifile(to_).is_sound());
    const MultifileReader after(to_);
    ASSERT_EQ(after.tasks(), tasks + 1);
    for (std::int64_t task = 0; task <= tasks; ++task) {
      std::vector<std::byte> expected;
      if (task < tasks) expected = before.task(task).read_all();
      for (const char c : {'m', 'o', 'r', 'e'}) expected.push_back(static_cast<std::byte>(c));
      EXPECT_TRUE(after.task(task).read_all() == expected) << task;
    }
    for (const std::string& file : files_in(directory_.path())) fs::remove(directory_ / file);
  }
}

TEST_F(BecomesASet, KeysOfOthersAreFoundInACheckpoint) {
  defragment(golden_path("v05_keyval.sion"), to_, {.checkpoint = true});
  unpack(golden_path("v05_keyval.sion"), directory_ / "before");
  unpack(to_, directory_ / "after");
  const std::vector<std::string> files = files_in(directory_ / "before");
  EXPECT_EQ(files_in(directory_ / "after"), files);
  for (const std::string& file : files) {
    EXPECT_TRUE(contents(directory_ / ("before/" + file)) == contents(directory_ / ("after/" + file))) << file;
  }
  EXPECT_EQ(error_of([&] {
              defragment(golden_path("v05_keyval.sion"), directory_ / "x",
                         {.checkpoint = true, .compression = Compression::zstd});
            }).code(),
            Code::unsupported);
}

TEST_F(BecomesASet, RanksThatAreNoNumbersOfTasksAreToldOf) {
  std::string file = contents(golden_path("v01_1file_4tasks.sion"));
  for (const auto& [task, rank] : {std::pair{0, '\x07'}, {1, '\x05'}, {2, '\x1e'}, {3, '\x0c'}}) {
    file.replace(1076 + 8 * static_cast<std::size_t>(task), 8, std::string(1, rank) + std::string(7, '\0'));
  }
  put_contents(path_, file);
  EXPECT_EQ(count_of(defragment(path_, to_, {.checkpoint = true}).findings, "repack-ranks"), 1U);
  const MultifileReader before(path_), after(to_);
  const int in_order_of_rank[] = {1, 0, 3, 2};
  for (int task = 0; task < 4; ++task) {
    EXPECT_TRUE(after.task(task).read_all() == before.task(in_order_of_rank[task]).read_all()) << task;
  }
}

TEST_F(BecomesASet, OnlyDefragmentingMakesCheckpointsOfThem) {
  EXPECT_EQ(error_of([&] { rewrite(golden_path("v03_multiblock.sion"), to_, {.checkpoint = true}); }).code(),
            Code::unsupported);
  EXPECT_EQ(
      error_of([&] { defragment(golden_path("v03_multiblock.sion"), to_, {.compression = Compression::lz4}); }).code(),
      Code::invalid_argument);
  EXPECT_TRUE(files_in(directory_.path()).empty());
}

// --------------------------------------------------------------------

TEST_F(BecomesASet, AChunkWhoseRecordIsLostIsTakenAsItIsWhenAsked) {
  {
    MultifileWriter writer(path_);
    writer.write(stream_bytes(0, 0, 5000));
    writer.close();
  }
  std::string file = contents(path_);
  file.replace(4096 + (1 << 20) + 4096 - 128, 128, 128, '\0');  // both records of chunk 0, at the end of its width
  put_contents(path_, file);
  const Error refused = error_of([&] { MultifileWriter::append(path_); });
  EXPECT_EQ(refused.code(), Code::unsupported);
  EXPECT_NE(std::string(refused.what()).find("lq defrag " + path_ + " -o NEW --no-verify"), std::string::npos);
  EXPECT_EQ(error_of([&] { defragment(path_, to_); }).code(), Code::checksum_mismatch);
  EXPECT_FALSE(fs::exists(to_));
  EXPECT_EQ(count_of(defragment(path_, to_, {.verify = Verify::none}).findings, "repack-unverified-chunk"), 1U);
  {
    MultifileWriter writer = MultifileWriter::append(to_);
    writer.write(stream_bytes(0, 5000, 100));
    writer.close();
  }
  EXPECT_EQ(MultifileReader(to_).task(0).read_all(), stream_bytes(0, 0, 5100));
  EXPECT_TRUE(verify_multifile(to_).is_sound());
}

TEST_F(BecomesASet, ASetThatLostChunksGoesOnWithWhatThereIs) {
  {
    MultifileWriter writer(path_, {}, {.expected_bytes = 1, .buffer_bytes = 100});
    writer.write(stream_bytes(0, 0, 10000));
    writer.stream().flush();
  }
  const std::string part = directory_ / files_in(directory_.path()).front();
  std::string file = contents(part);
  file[4096 + 4096 + 5] ^= 1;  // chunk 1 of chunks of a block, after the header
  put_contents(part, file);
  EXPECT_EQ(repair_multifile(part).outcome, RepairReport::Outcome::recovered);
  const Error refused = error_of([&] { MultifileWriter::append(path_); });
  EXPECT_EQ(refused.code(), Code::unsupported);
  EXPECT_NE(std::string(refused.what()).find("lq defrag " + path_ + " -o NEW --no-verify\""), std::string::npos)
      << refused.what();
  const auto rest = MultifileReader(path_, {}, {.verify = Verify::none}).task(0).read_all();
  EXPECT_EQ(rest, stream_bytes(0, 0, 4096 - 128));
  EXPECT_EQ(error_of([&] { defragment(path_, to_); }).code(), Code::truncated);
  defragment(path_, to_, {.verify = Verify::none});
  {
    MultifileWriter writer = MultifileWriter::append(to_);
    writer.write(stream_bytes(0, rest.size(), 900));
    writer.close();
  }
  EXPECT_EQ(MultifileReader(to_).task(0).read_all(), stream_bytes(0, 0, rest.size() + 900));
}

}  // namespace
}  // namespace lq
