// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sets that lost records, tables or the ends of files after they were closed, and writers that lost their set: nothing
// is missing without a word. Places in the files are those of formats/sion.md and formats/sion-records.md.
#include <gtest/gtest.h>
#include <limequat/error.hpp>
#include <limequat/multifile.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/bytes.hpp"
#include "support/error_of.hpp"
#include "support/file_contents.hpp"
#include "support/scratch_directory.hpp"
#include "support/streams.hpp"
#include "support/thread_comm.hpp"

namespace lq {
namespace {

namespace fs = std::filesystem;
using testing::contents;
using testing::error_of;
using testing::stream_bytes;
using Outcome = RepairReport::Outcome;

class SetDamage : public ::testing::Test {
 protected:
  static constexpr std::size_t tasks = 3;
  static constexpr std::size_t set_record = 1088 + 16 * tasks;
  static constexpr std::uint64_t width = 4096;

  MultifileOptions options(Compression compression = Compression::none) const {
    MultifileOptions options;
    options.streams = tasks;
    options.expected_bytes = 1;
    options.files = 1;
    options.compression = compression;
    options.overwrite = true;
    options.buffer_bytes = 1000;
    return options;
  }
  // Task t gets bytes[t].
  void write(const std::vector<std::uint64_t>& bytes, Compression compression = Compression::none) {
    MultifileWriter writer(path_, {}, options(compression));
    for (std::size_t t = 0; t < tasks; ++t) writer.stream(t).write(stream_bytes(t, 0, bytes[t]));
    writer.close();
  }
  std::uint64_t table() const {
    const std::string bytes = contents(path_);
    return base::load_le<std::uint64_t>(base::as_bytes(bytes).data() + set_record - 8);
  }
  void damage(const std::vector<std::size_t>& places, int bit = 0) {
    std::string bytes = contents(path_);
    for (const std::size_t place : places) bytes[place] = static_cast<char>(bytes[place] ^ (1 << bit));
    std::ofstream(path_, std::ios::binary) << bytes;
  }
  void clear(std::uint64_t begin, std::uint64_t end) {
    std::string bytes = contents(path_);
    std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(begin), bytes.begin() + static_cast<std::ptrdiff_t>(end),
              '\0');
    std::ofstream(path_, std::ios::binary) << bytes;
  }
  std::vector<std::byte> left_of(std::int64_t task) {
    return MultifileReader(path_, {}, {.verify = Verify::none}).task(task).read_all();
  }
  // The repaired set says that this task lost its end, wherever it is asked.
  void expect_lost(std::int64_t task, std::uint64_t kept, std::uint64_t size) {
    const MultifileCheck check = verify_multifile(path_);
    ASSERT_EQ(check.damage.size(), 1U);
    EXPECT_EQ(check.damage[0].task, task);
    EXPECT_NE(check.damage[0].what.find("repaired"), std::string::npos) << check.damage[0].what;
    const MultifileReader reader(path_);
    EXPECT_EQ(reader.info().findings.size(), 1U);
    EXPECT_EQ(reader.size(task), size);
    EXPECT_EQ(error_of([&] { reader.task(task).read_all(); }).code(), Code::truncated);
    std::vector<std::byte> whole(kept), one(1);
    InStream stream = reader.task(task);
    EXPECT_EQ(stream.read(whole), kept);
    EXPECT_EQ(whole, stream_bytes(static_cast<std::uint64_t>(task), 0, kept));
    EXPECT_EQ(error_of([&] { stream.read(one); }).code(), Code::truncated);
    EXPECT_EQ(left_of(task), whole);
    EXPECT_EQ(error_of([&] { MultifileWriter::append(path_, {}, options()); }).code(), Code::unsupported);
  }

  testing::ScratchDirectory directory_;
  std::string path_ = directory_ / "set.sion";
};

// The count of its physical files is at byte 28.
TEST_F(SetDamage, ThatStatesABillionFilesIsReplacedWithoutLookingForThem) {
  write({100, 200, 300});
  damage({28, 29, 30, 31}, 5);
  write({300, 200, 100});
  EXPECT_EQ(MultifileReader(path_).task(0).read_all(), stream_bytes(0, 0, 300));
}

// A stretch of zeros at the end of the file, as a lost stripe leaves it: the table, and the records of the last chunk.
TEST_F(SetDamage, AChunkWhoseRecordWentWithTheTableIsToldAndRemembered) {
  write({9000, 9000, 9000});
  clear(table() - 128, contents(path_).size());
  const RepairReport planned = repair_multifile(path_, {.dry_run = true});
  const RepairReport report = repair_multifile(path_);
  EXPECT_EQ(report.outcome, Outcome::recovered);
  for (const RepairReport& one : {planned, report}) {
    ASSERT_EQ(one.lost.size(), 1U);
    EXPECT_EQ(one.lost[0].task, 2);
    EXPECT_EQ(one.lost[0].chunk, 2U);
    EXPECT_EQ(one.lost[0].bytes, 9000 - 2 * (width - 128));
  }
  expect_lost(2, 2 * (width - 128), 9000);
  EXPECT_EQ(repair_multifile(path_).outcome, Outcome::nothing_to_do);
}

// The older record speaks for less of the chunk than there was.
TEST_F(SetDamage, AChunkWhoseNewerRecordIsLostIsToldAndRemembered) {
  {
    MultifileWriter writer(path_, {}, options());
    for (std::size_t t = 0; t < tasks; ++t) {
      for (const std::uint64_t at : {0U, 600U}) {
        writer.stream(t).write(stream_bytes(t, at, 600));
        writer.stream(t).flush();
      }
    }
    writer.close();
  }
  clear(table() - 64, contents(path_).size());
  const RepairReport report = repair_multifile(path_);
  ASSERT_EQ(report.lost.size(), 1U);
  EXPECT_EQ(report.lost[0].task, 2);
  EXPECT_EQ(report.lost[0].bytes, 600U);
  expect_lost(2, 600, 1200);
}

// Nothing of the chunk is left but that the header counts it.
TEST_F(SetDamage, AChunkThatOnlyTheHeaderCountsIsToldAndRemembered) {
  write({100, 100, 2 * (width - 128) + 5});
  clear(table() - width, contents(path_).size());
  ASSERT_EQ(repair_multifile(path_).lost.size(), 1U);
  expect_lost(2, 2 * (width - 128), 2 * (width - 128) + 1);
}

TEST_F(SetDamage, AChunkThatTheTableStatesIsToldAndRemembered) {
  write({100, 9000, 100});
  const std::uint64_t third = 4096 + 2 * 3 * width + width;  // chunk 2 of task 1
  clear(third, third + width);
  damage({static_cast<std::size_t>(table()) + 8 * 3 * 4 + 64 - 1});  // of the tail record
  const RepairReport report = repair_multifile(path_);
  ASSERT_EQ(report.lost.size(), 1U);
  EXPECT_EQ(report.lost[0].bytes, 9000 - 2 * (width - 128));
  expect_lost(1, 2 * (width - 128), 9000);
}

TEST_F(SetDamage, ATableMadeAgainOfSoundChunksLosesNothing) {
  for (const Compression compression : {Compression::none, Compression::lz4}) {
    for (const std::vector<std::uint64_t>& bytes :
         {std::vector<std::uint64_t>{0, 100, 9000}, {2 * (width - 128), 50000, 1}, {0, 0, 0}}) {
      for (const bool appended : {false, true}) {
        write(bytes, compression);
        std::vector<std::uint64_t> all = bytes;
        if (appended) {
          MultifileWriter writer = MultifileWriter::append(path_, {}, options());
          for (std::size_t t = 1; t < tasks; ++t) writer.stream(t).write(stream_bytes(t, all[t], 70));
          writer.close();
          for (std::size_t t = 1; t < tasks; ++t) all[t] += 70;
        }
        damage({static_cast<std::size_t>(table())});
        const RepairReport report = repair_multifile(path_);
        EXPECT_EQ(report.outcome, Outcome::recovered);
        EXPECT_TRUE(report.lost.empty()) << report.lost[0].what;
        EXPECT_TRUE(verify_multifile(path_).is_sound());
        const MultifileReader reader(path_);
        for (std::size_t t = 0; t < tasks; ++t) {
          EXPECT_EQ(reader.task(static_cast<std::int64_t>(t)).read_all(), stream_bytes(t, 0, all[t]));
        }
      }
    }
  }
}

// What was written but not recorded was promised to nobody; it is told all the same.
TEST_F(SetDamage, BytesThatAKilledWriterDidNotFinishAreTold) {
  {
    MultifileWriter writer(path_, {}, options());
    writer.stream(1).write(stream_bytes(1, 0, 700));
    writer.stream(1).flush();
    for (const std::uint64_t at : {700U, 1300U}) writer.stream(1).write(stream_bytes(1, at, 600));  // a buffer goes out
  }
  const RepairReport report = repair_multifile((*fs::directory_iterator(directory_.path())).path().string());
  EXPECT_TRUE(report.lost.empty());
  ASSERT_EQ(report.unfinished.size(), 1U);
  EXPECT_EQ(report.unfinished[0].task, 1);
  EXPECT_EQ(report.unfinished[0].bytes, 1000U);
  EXPECT_TRUE(verify_multifile(path_).is_sound());
}

TEST_F(SetDamage, TwoDamagedMarksDoNotMakeASetAPlainMultifile) {
  for (const Compression compression : {Compression::none, Compression::zstd}) {
    for (const std::size_t in_set : {0U, 10U, 62U}) {
      for (const std::size_t in_tail : {0U, 10U, 60U}) {
        write({5000, 5000, 5000}, compression);
        const std::string bytes = contents(path_);
        const std::size_t tail = bytes.find("LQmt", static_cast<std::size_t>(table()));
        damage({set_record + in_set, tail + in_tail, 4096 + 50});  // and a byte of a stream
        const Error error = error_of([&] { MultifileReader(path_).task(0).read_all(); });
        EXPECT_EQ(error.code(), Code::malformed) << error.what();
        const RepairReport report = repair_multifile(path_);
        ASSERT_FALSE(report.lost.empty());
        EXPECT_EQ(report.lost[0].task, 0);
        EXPECT_EQ(MultifileReader(path_).task(1).read_all(), stream_bytes(1, 0, 5000));
      }
    }
  }
}

TEST_F(SetDamage, ASetRecordWithADamagedBitIsReadWithAFindingAndMended) {
  for (const Compression compression : {Compression::none, Compression::lz4}) {
    for (std::size_t byte = 0; byte < 64; ++byte) {
      write({5000, 0, 500}, compression);
      const std::string before = contents(path_);
      damage({set_record + byte}, static_cast<int>(byte % 8));
      {
        const MultifileReader reader(path_);
        EXPECT_EQ(reader.info().compression, compression);
        EXPECT_EQ(reader.info().findings.size(), 1U);
        EXPECT_EQ(reader.task(0).read_all(), stream_bytes(0, 0, 5000));
        EXPECT_EQ(verify_multifile(path_).damage.size(), 1U);
      }
      const RepairReport report = repair_multifile(path_);
      EXPECT_EQ(report.outcome, Outcome::mended);
      EXPECT_EQ(report.mended.size(), 1U);
      EXPECT_TRUE(verify_multifile(path_).is_sound());
      // All but the epoch of the repair and the checksum over it is as it was.
      std::string after = contents(path_);
      for (const auto& [begin, length] : {std::pair(40, 8), std::pair(60, 4)}) {
        after.replace(set_record + static_cast<std::size_t>(begin), static_cast<std::size_t>(length),
                      before.substr(set_record + static_cast<std::size_t>(begin), static_cast<std::size_t>(length)));
      }
      EXPECT_EQ(after, before) << byte;
    }
  }
}

// Without a chunk, and without a table.
TEST_F(SetDamage, ASetRecordIsMadeAgainOfWhatThereIs) {
  for (const Compression compression : {Compression::none, Compression::lz4}) {
    write({0, 0, 0}, compression);
    damage({set_record + 9});
    EXPECT_EQ(MultifileReader(path_).task(0).read_all().size(), 0U);
    EXPECT_EQ(repair_multifile(path_).outcome, Outcome::mended);
    EXPECT_TRUE(verify_multifile(path_).is_sound());
    write({0, 5000, 0}, compression);
    damage({set_record + 9, static_cast<std::size_t>(table())});
    EXPECT_EQ(repair_multifile(path_).outcome, Outcome::recovered);
    EXPECT_EQ(MultifileReader(path_).task(1).read_all(), stream_bytes(1, 0, 5000));
    EXPECT_TRUE(verify_multifile(path_).is_sound());
  }
}

// What a header says is wrong with any bit of it turned over, or it is right without; but no other bytes are read.
TEST_F(SetDamage, NoBitOfAHeaderMakesAStreamAnother) {
  for (const Compression compression : {Compression::none, Compression::lz4}) {
    write({9000, 9000, 9000}, compression);
    const std::string whole = contents(path_);
    int mended = 0;
    for (std::size_t at = 0; at < 64; ++at) {
      for (int bit = 0; bit < 8; ++bit) {
        SCOPED_TRACE(::testing::Message() << "bit " << bit << " of byte " << at);
        std::string damaged = whole;
        damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
        std::ofstream(path_, std::ios::binary) << damaged;
        std::vector<std::byte> found = stream_bytes(0, 0, 9000);
        error_of([&] { found = MultifileReader(path_).task(0).read_all(); });
        EXPECT_EQ(found, stream_bytes(0, 0, 9000));
        if (at / 4 == 4 && error_of([&] { repair_multifile(path_); }).code() == Code::ok) {
          EXPECT_EQ(contents(path_)[at], whole[at]);
          EXPECT_TRUE(verify_multifile(path_).is_sound());
          ++mended;
        }
        ASSERT_FALSE(HasFailure());
      }
    }
    EXPECT_GE(mended, 29);  // not those below the oldest version
    fs::remove(path_);
  }
}

// A physical file that is lost for good, any of them, takes its own streams only.
TEST_F(SetDamage, TheStreamsOfOtherFilesAreReadWhereOneIsMissing) {
  for (const Compression compression : {Compression::none, Compression::lz4}) {
    for (const int missing : {0, 1, 2}) {
      testing::run_ranks(6, [&](std::shared_ptr<comm::Comm> comm) {
        MultifileOptions how = options(compression);
        how.streams = 1;
        how.files = 3;
        MultifileWriter writer(path_, Communicator(std::move(comm)), how);
        const auto task = static_cast<std::uint64_t>(writer.stream().task());
        writer.write(stream_bytes(task, 0, 3000 + 2000 * task));
        writer.close();
      });
      fs::remove(path_ + (missing == 0 ? "" : ".00000" + std::to_string(missing)));
      EXPECT_EQ(error_of([&] { MultifileReader{path_}; }).code(), Code::not_found);
      for (const int ranks : {1, 3}) {
        testing::run_ranks(ranks, [&](std::shared_ptr<comm::Comm> comm) {
          const MultifileReader reader(path_, Communicator(std::move(comm)), {.accept_missing = true});
          ASSERT_EQ(reader.tasks(), 6);
          EXPECT_EQ(reader.info().findings.size(), 2U);
          for (std::int64_t task = reader.first_task(); task < reader.first_task() + reader.local_tasks(); ++task) {
            const auto number = static_cast<std::uint64_t>(task);
            if (task / 2 == missing) {
              EXPECT_EQ(error_of([&] { reader.task(task).read_all(); }).code(), Code::not_found);
            } else {
              EXPECT_EQ(reader.task(task).read_all(), stream_bytes(number, 0, 3000 + 2000 * number));
            }
          }
        });
      }
    }
  }
}

// Another job repairs the set of a writer that was believed to be dead, and goes on with it.
class Zombie : public SetDamage, public ::testing::WithParamInterface<bool> {};

TEST_P(Zombie, IsRefusedAndTakesNothingBack) {
  const bool flushes = GetParam();
  write({9000, 9000, 9000});
  MultifileWriter dead = MultifileWriter::append(path_, {}, options());
  dead.write(stream_bytes(0, 9000, 500));
  dead.stream().flush();
  EXPECT_EQ(repair_multifile(path_).outcome, Outcome::recovered);
  {
    MultifileWriter heir = MultifileWriter::append(path_, {}, options());
    heir.write(stream_bytes(0, 9500, 900));
    heir.close();
  }
  const std::string committed = contents(path_);
  dead.write(stream_bytes(7, 0, 90));
  const Error error = error_of([&] { flushes ? dead.stream().flush() : dead.close(); });
  EXPECT_EQ(error.code(), Code::wrong_state);
  EXPECT_NE(std::string(error.what()).find("another program"), std::string::npos) << error.what();
  EXPECT_EQ(contents(path_), committed);
  EXPECT_EQ(MultifileReader(path_).task(0).read_all(), stream_bytes(0, 0, 10400));
}

TEST_P(Zombie, ThatMadeTheSetIsRefused) {
  MultifileWriter dead(path_, {}, options());
  dead.write(stream_bytes(0, 0, 500));
  dead.stream().flush();
  EXPECT_EQ(repair_multifile((*fs::directory_iterator(directory_.path())).path().string()).outcome, Outcome::recovered);
  const std::string committed = contents(path_);
  dead.write(stream_bytes(7, 0, 90));
  EXPECT_EQ(error_of([&] { GetParam() ? dead.stream().flush() : dead.close(); }).code(), Code::wrong_state);
  EXPECT_EQ(contents(path_), committed);
}

INSTANTIATE_TEST_SUITE_P(Flushes, Zombie, ::testing::Bool());

}  // namespace
}  // namespace lq
