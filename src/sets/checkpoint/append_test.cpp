// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sets that grow: in bytes, and in tasks.
#include <gtest/gtest.h>
#include <limequat/error.hpp>
#include <limequat/multifile.hpp>

#include <filesystem>
#include <fstream>
#include <numeric>
#include <span>

#include "format/sion/head.hpp"
#include "format/sion/set.hpp"
#include "storage/transport.hpp"
#include "support/contents.hpp"
#include "support/error_of.hpp"
#include "support/scratch_directory.hpp"
#include "support/streams.hpp"
#include "support/thread_comm.hpp"

namespace lq {
namespace {

using testing::error_of;
using testing::first_wrong;
using testing::stream_bytes;

struct Growth {
  int before;  // ranks that wrote the set
  int files;
  int after;  // ranks that go on with it
  Compression compression;
};

constexpr std::uint64_t first_bytes = 9000, more_bytes = 7001;

class Append : public ::testing::TestWithParam<Growth> {
 protected:
  static MultifileOptions options() {
    MultifileOptions options;
    options.expected_bytes = 1;
    options.buffer_bytes = 900;
    return options;
  }

  void write_first() {
    testing::run_ranks(GetParam().before, [&](std::shared_ptr<comm::Comm> comm) {
      MultifileOptions how = options();
      how.files = GetParam().files;
      how.compression = GetParam().compression;
      MultifileWriter writer(path_, Communicator(std::move(comm)), how);
      const auto task = static_cast<std::uint64_t>(writer.stream().task());
      writer.write(stream_bytes(task, 0, task == 1 ? 0 : first_bytes));
      writer.close();
    });
  }

  void go_on(bool closed = true, std::uint64_t buffer_bytes = 900) {
    testing::run_ranks(GetParam().after, [&](std::shared_ptr<comm::Comm> comm) {
      MultifileOptions how = options();
      how.buffer_bytes = buffer_bytes;
      MultifileWriter writer = MultifileWriter::append(path_, Communicator(std::move(comm)), how);
      OutStream& stream = writer.stream();
      const auto task = static_cast<std::uint64_t>(stream.task());
      const std::uint64_t begin = stream.size();
      for (std::uint64_t at = 0; at < more_bytes; at += 1000) {
        stream.write(stream_bytes(task, begin + at, std::min<std::uint64_t>(1000, more_bytes - at)));
      }
      stream.flush();
      if (closed) writer.close();
    });
  }

  std::int64_t tasks() const { return std::max(GetParam().before, GetParam().after); }
  std::uint64_t size_of(std::int64_t task, int times = 1) const {
    const std::uint64_t begin = task < GetParam().before && task != 1 ? first_bytes : 0;
    return begin + (task < GetParam().after ? static_cast<std::uint64_t>(times) * more_bytes : 0);
  }

  void expect_streams(int times = 1) {
    const MultifileReader reader(path_);
    ASSERT_EQ(reader.tasks(), tasks());
    for (std::int64_t task = 0; task < tasks(); ++task) {
      const auto bytes = reader.task(task).read_all();
      EXPECT_EQ(bytes.size(), size_of(task, times)) << task;
      EXPECT_EQ(first_wrong(bytes, static_cast<std::uint64_t>(task)), bytes.size()) << task;
    }
    EXPECT_TRUE(verify_multifile(path_).is_sound());
  }

  testing::ScratchDirectory directory_;
  std::string path_ = directory_ / "set.sion";
};

TEST_P(Append, PutsNewBytesBehindTheOld) {
  write_first();
  go_on();
  expect_streams();
}

TEST_P(Append, CanBeDoneAgain) {
  write_first();
  go_on();
  // New tasks of the first time are old ones now.
  go_on();
  expect_streams(2);
}

TEST_P(Append, TakesAnyBufferWhateverTheWidthOfTheChunksThereAre) {
  write_first();
  go_on(true, 1 << 20);
  expect_streams();
}

TEST_P(Append, ThatIsNotClosedIsRecoveredWithAllThatWasBefore) {
  write_first();
  go_on(false);
  EXPECT_EQ(error_of([&] { MultifileReader reader(path_); }).code(), Code::truncated);
  EXPECT_EQ(error_of([&] { MultifileWriter::append(path_); }).code(), Code::truncated);
  EXPECT_EQ(repair_multifile(path_).outcome, RepairReport::Outcome::recovered);
  expect_streams();
  go_on();
  expect_streams(2);
}

// The numbers of blocks and where the table begins go from a header as the set is opened again: some of these bytes
// are gone, the table is still there.
TEST_P(Append, ThatDiesWhileAHeaderIsOpenedLeavesWhatWasBefore) {
  namespace fs = std::filesystem;
  write_first();
  const testing::ScratchDirectory closed, open;
  using enum fs::copy_options;
  fs::copy(directory_.path(), closed.path(), recursive);
  go_on(false);
  fs::copy(directory_.path(), open.path(), recursive);
  for (int number = 0; number < GetParam().files; ++number) {
    const std::string name = format::sion::file_name("set.sion", number);
    const std::string before = testing::contents(closed / name), marked = testing::contents(open / name);
    const format::sion::FixedHead head = format::sion::decode_fixed(std::as_bytes(std::span(before)), name);
    const std::size_t at = format::sion::closing_offset(head.tasks), record = format::sion::head_bytes(head.tasks);
    for (std::size_t gone = 0; gone <= record - at; ++gone) {
      SCOPED_TRACE(::testing::Message() << gone << " bytes of file " << number);
      fs::remove_all(directory_.path());
      fs::copy(open.path(), directory_.path(), recursive);
      std::string torn = before;
      torn.replace(record, 64, marked, record, 64);
      torn.replace(at, gone, gone, '\0');
      testing::put_contents(directory_ / name, torn);
      const RepairReport report = repair_multifile(path_);
      EXPECT_TRUE(report.lost.empty());
      const MultifileReader reader(path_);
      for (std::int64_t task = 0; task < GetParam().before; ++task) {
        const auto bytes = reader.task(task).read_all();
        EXPECT_GE(bytes.size(), task == 1 ? 0 : first_bytes) << task;
        EXPECT_EQ(first_wrong(bytes, static_cast<std::uint64_t>(task)), bytes.size()) << task;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sets, Append,
                         ::testing::Values(Growth{1, 1, 1, Compression::none}, Growth{3, 1, 3, Compression::none},
                                           Growth{4, 2, 2, Compression::none}, Growth{2, 1, 5, Compression::none},
                                           Growth{3, 2, 4, Compression::none}, Growth{3, 2, 5, Compression::zstd},
                                           Growth{3, 3, 1, Compression::lz4}, Growth{6, 3, 2, Compression::none},
                                           Growth{5, 4, 3, Compression::zstd}, Growth{4, 4, 9, Compression::none}));

class AppendTo : public ::testing::Test {
 protected:
  testing::ScratchDirectory directory_;
  std::string path_ = directory_ / "set.sion";
};

TEST_F(AppendTo, NothingIsNotFound) {
  EXPECT_EQ(error_of([&] { MultifileWriter::append(path_); }).code(), Code::not_found);
}

TEST_F(AppendTo, ASetWhoseRecordIsDamagedIsRefusedAndLeavesItAsItIs) {
  {
    MultifileWriter writer(path_);
    writer.write(stream_bytes(0, 0, 5000));
    writer.close();
  }
  const std::string copy = directory_ / "copy";
  {
    // Both records of chunk 0, at the end of its 1 MiB and a block.
    std::FILE* file = std::fopen(path_.c_str(), "r+b");
    std::fseek(file, 4096 + (1 << 20) + 4096 - 128, SEEK_SET);
    const std::string zeros(128, '\0');
    std::fwrite(zeros.data(), 1, zeros.size(), file);
    std::fclose(file);
  }
  std::filesystem::copy_file(path_, copy);
  EXPECT_EQ(error_of([&] { MultifileWriter::append(path_); }).code(), Code::unsupported);
  EXPECT_EQ(MultifileReader(path_, {}, {.verify = Verify::none}).task(0).read_all().size(), 5000u);
}

// Behind the tables of 185 tasks there is no room for a record in blocks of 4096 bytes: two further files take them.
TEST_F(AppendTo, AnyNumberOfNewTasksFits) {
  const bool has_pages = storage::posix().unit(path_).bytes == 4096;  // what tables have room in goes by blocks
  for (std::int32_t more = 183; more <= 190; ++more) {
    for (const bool closed : {true, false}) {
      SCOPED_TRACE(::testing::Message() << more << " more, " << (closed ? "closed" : "killed"));
      {
        MultifileWriter writer(path_, {}, {.expected_bytes = 1, .overwrite = true});
        writer.write(stream_bytes(0, 0, 5000));
        writer.close();
      }
      {
        MultifileWriter writer = MultifileWriter::append(path_, {}, {.streams = 1 + more, .expected_bytes = 1});
        ASSERT_EQ(writer.tasks(), 1 + more);
        for (std::int32_t task = 1; task <= more; ++task) {
          OutStream& stream = writer.stream(static_cast<std::size_t>(task));
          stream.write(stream_bytes(static_cast<std::uint64_t>(task), 0, static_cast<std::uint64_t>(task)));
          stream.flush();
        }
        if (closed) writer.close();
      }
      if (!closed) {
        // Neither file says yet how many there are.
        const RepairReport planned = repair_multifile(path_, {.dry_run = true});
        EXPECT_EQ(error_of([&] { MultifileReader{path_}; }).code(), Code::truncated);
        const RepairReport done = repair_multifile(path_);
        EXPECT_EQ(done.outcome, RepairReport::Outcome::recovered);
        EXPECT_EQ(planned.outcome, done.outcome);
        EXPECT_EQ(planned.files, done.files);
        EXPECT_EQ(planned.tasks, done.tasks);
        EXPECT_EQ(planned.stored_bytes, done.stored_bytes);
      }
      const MultifileReader reader(path_);
      ASSERT_EQ(reader.tasks(), 1 + more);
      if (has_pages) {
        EXPECT_EQ(reader.info().files.size(), more >= 185 && more <= 188 ? 3U : 2U);
      }
      for (std::int32_t task = 0; task <= more; ++task) {
        const auto number = static_cast<std::uint64_t>(task);
        EXPECT_EQ(reader.task(task).read_all(), stream_bytes(number, 0, task == 0 ? 5000 : number)) << task;
      }
      EXPECT_TRUE(verify_multifile(path_).is_sound());
    }
  }
}

// It would be found when all is written, and repairing the set would replace it.
TEST_F(AppendTo, AFileWithTheNameOfAFurtherOneIsRefusedBeforeAnythingIsWritten) {
  {
    MultifileWriter writer(path_);
    writer.write(stream_bytes(0, 0, 5000));
    writer.close();
  }
  std::ofstream(path_ + ".000001") << "another's";
  EXPECT_EQ(error_of([&] { MultifileWriter::append(path_, {}, {.streams = 2}); }).code(), Code::exists);
  EXPECT_TRUE(verify_multifile(path_).is_sound());
  EXPECT_EQ(std::filesystem::file_size(path_ + ".000001"), 9U);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory_.path()), {}), 2);
}

// Its writer was killed when it had its name, and what it replaced was not removed yet.
TEST_F(AppendTo, ASetThatReplacedALargerOneRemovesWhatIsLeftOfThat) {
  const auto write = [&](int ranks) {
    testing::run_ranks(ranks, [&](std::shared_ptr<comm::Comm> comm) {
      const Communicator all(std::move(comm));
      MultifileWriter writer(path_, all, {.files = ranks, .overwrite = true});
      const auto task = static_cast<std::uint64_t>(writer.stream().task());
      writer.write(stream_bytes(task, 0, 5000));
      const Grid grid(all, {4, 6});
      const std::vector<double> numbers(grid.local_volume());
      if (ranks > 1) writer.write_field("old", grid, sites(numbers));
      writer.close();
    });
  };
  write(3);
  const testing::ScratchDirectory older;
  std::filesystem::copy(directory_.path(), older.path());
  write(1);
  using enum std::filesystem::copy_options;
  std::filesystem::copy(older.path(), directory_.path(), recursive | skip_existing);
  ASSERT_TRUE(std::filesystem::exists(path_ + ".000002") && std::filesystem::exists(path_ + ".fields"));
  {
    MultifileWriter writer = MultifileWriter::append(path_, {}, {.streams = 2});
    writer.stream(1).write(stream_bytes(1, 0, 700));
    const std::vector<double> numbers(6, 1.5);
    writer.write_field("new", Grid({2, 3}), sites(numbers));
    writer.close();
  }
  const MultifileReader reader(path_);
  EXPECT_EQ(reader.task(0).read_all(), stream_bytes(0, 0, 5000));
  EXPECT_EQ(reader.task(1).read_all(), stream_bytes(1, 0, 700));
  ASSERT_EQ(reader.fields().size(), 1U);
  EXPECT_EQ(reader.fields().front().name, "new");
  EXPECT_FALSE(std::filesystem::exists(path_ + ".000002"));
  EXPECT_TRUE(verify_multifile(path_).is_sound());
}

// Ranks without a stream between others, rank 0 among them, and files that nobody goes on with.
TEST_F(AppendTo, AnyDistributionOfTasksOverRanks) {
  for (const std::vector<int>& streams : {std::vector<int>{0, 3, 0, 2},
                                          {2, 0, 0, 5},
                                          {0, 0, 0, 8},
                                          {0, 1, 0, 0},
                                          {0, 0, 7, 0},
                                          {12, 0, 0, 0},
                                          {0, 4, 4, 4}}) {
    SCOPED_TRACE(::testing::PrintToString(streams));
    testing::run_ranks(8, [&](std::shared_ptr<comm::Comm> comm) {
      MultifileWriter writer(path_, Communicator(std::move(comm)),
                             {.expected_bytes = 1, .files = 4, .overwrite = true});
      const auto task = static_cast<std::uint64_t>(writer.stream().task());
      writer.write(stream_bytes(task, 0, 1000 + task));
      writer.close();
    });
    testing::run_ranks(4, [&](std::shared_ptr<comm::Comm> comm) {
      const int mine = streams[static_cast<std::size_t>(comm->rank())];
      MultifileWriter writer =
          MultifileWriter::append(path_, Communicator(std::move(comm)), {.streams = mine, .expected_bytes = 1});
      for (int i = 0; i < mine; ++i) {
        OutStream& stream = writer.stream(static_cast<std::size_t>(i));
        stream.write(stream_bytes(static_cast<std::uint64_t>(stream.task()), stream.size(), 500));
      }
      writer.close();
    });
    const std::int64_t asked = std::accumulate(streams.begin(), streams.end(), 0);
    const MultifileReader reader(path_);
    ASSERT_EQ(reader.tasks(), std::max<std::int64_t>(8, asked));
    for (std::int64_t task = 0; task < reader.tasks(); ++task) {
      const auto number = static_cast<std::uint64_t>(task);
      const std::uint64_t bytes = (task < 8 ? 1000 + number : 0) + (task < asked ? 500 : 0);
      EXPECT_EQ(reader.task(task).read_all(), stream_bytes(number, 0, bytes)) << task;
    }
    EXPECT_TRUE(verify_multifile(path_).is_sound());
    for (int file = 4; file < 6; ++file) std::filesystem::remove(path_ + ".00000" + std::to_string(file));
  }
}

TEST_F(AppendTo, CannotBeDiscarded) {
  {
    MultifileWriter writer(path_);
    writer.write(stream_bytes(0, 0, 5000));
    writer.close();
  }
  MultifileWriter writer = MultifileWriter::append(path_);
  EXPECT_EQ(error_of([&] { writer.discard(); }).code(), Code::wrong_state);
}

// A set of fewer files removes those that it replaces, and no others.
TEST_F(AppendTo, ASetThatReplacesALargerOneLeavesFilesThatWereNotOfIt) {
  const auto write = [&](const std::string& path, int ranks) {
    testing::run_ranks(ranks, [&](std::shared_ptr<comm::Comm> comm) {
      MultifileWriter writer(path, Communicator(std::move(comm)), {.files = ranks, .overwrite = true});
      writer.write(stream_bytes(static_cast<std::uint64_t>(writer.stream().task()), 0, 100));
      writer.close();
    });
  };
  const testing::ScratchDirectory elsewhere;
  write(elsewhere / "set", 3);
  write(path_, 2);
  std::filesystem::copy_file(elsewhere / "set.000002", path_ + ".000002");
  write(path_, 1);
  EXPECT_FALSE(std::filesystem::exists(path_ + ".000001"));
  EXPECT_TRUE(std::filesystem::exists(path_ + ".000002"));
}

}  // namespace
}  // namespace lq
