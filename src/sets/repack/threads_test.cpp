// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// However many threads pack, unpack and write again: the files are, byte for byte, those of one thread, and what is
// wrong is told in the same words.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <thread>

#include <fmt/format.h>
#include <limequat/error.hpp>
#include <limequat/json.hpp>
#include <limequat/multifile.hpp>
#include <limequat/repack.hpp>

#include "sets/repack/repair.hpp"
#include "support/error_of.hpp"
#include "support/faulty.hpp"
#include "support/file_contents.hpp"
#include "support/scratch_directory.hpp"
#include "support/streams.hpp"

namespace lq {
namespace {

namespace fs = std::filesystem;
using testing::contents;
using testing::error_of;
using testing::files_in;
using testing::put_contents;

// More than there are cores, and than there are streams.
constexpr int thread_counts[] = {2, 3, 7, 40};
// Nothing, little, and more than is moved at a time.
constexpr std::uint64_t stream_lengths[] = {5000, 0, 2'500'001, 1, 1'048'576, 700'000, 3'145'729, 17, 900'000};
constexpr std::uint64_t streams = std::size(stream_lengths);

std::string text_of(std::uint64_t task) {
  const std::vector<std::byte> bytes = testing::stream_bytes(task, 0, stream_lengths[task]);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

class ByThreads : public ::testing::Test {
 protected:
  std::vector<std::string> put_streams() {
    std::vector<std::string> paths;
    for (std::uint64_t task = 0; task < streams; ++task) {
      paths.push_back(directory_ / fmt::format("stream{}", task));
      put_contents(paths.back(), text_of(task));
    }
    return paths;
  }

  void write_checkpoint(Compression compression) {
    MultifileWriter writer(from_, {}, {.streams = streams, .compression = compression});
    for (std::uint64_t task = 0; task < streams; ++task) {
      writer.stream(task).write(testing::stream_bytes(task, 0, stream_lengths[task]));
    }
    writer.close();
  }

  static RepackOptions with(int threads) { return {.overwrite = true, .threads = threads}; }

  // What there is below a folder.
  static std::map<std::string, std::string> all_in(const std::string& folder) {
    std::map<std::string, std::string> all;
    for (const std::string& name : files_in(folder)) all[name] = contents((fs::path(folder) / name).string());
    return all;
  }

  void expect_streams(const std::string& path) {
    const MultifileReader reader(path);
    ASSERT_EQ(reader.tasks(), static_cast<std::int64_t>(streams));
    for (std::uint64_t task = 0; task < streams; ++task) {
      EXPECT_EQ(reader.task(static_cast<std::int64_t>(task)).read_all(),
                testing::stream_bytes(task, 0, stream_lengths[task]));
    }
  }

  void damage(const std::string& path, const std::string& at) {
    std::string bytes = contents(path);
    const std::size_t place = bytes.find(at);
    ASSERT_NE(place, std::string::npos);
    bytes[place] = static_cast<char>(bytes[place] ^ 1);
    put_contents(path, bytes);
  }

  testing::ScratchDirectory directory_;
  std::string from_ = directory_ / "from.sion", to_ = directory_ / "to.sion";
};

TEST_F(ByThreads, FilesArePackedToTheSameBytes) {
  const std::vector<std::string> inputs = put_streams();
  pack(to_, inputs, with(1));
  const std::string one = contents(to_);
  EXPECT_NE(one.find(text_of(2)), std::string::npos);
  for (const int threads : thread_counts) {
    pack(to_, inputs, with(threads));
    EXPECT_TRUE(contents(to_) == one) << threads;
  }
}

TEST_F(ByThreads, PlainMultifilesAreWrittenAnewToTheSameBytes) {
  pack(from_, put_streams());
  for (const bool in_one : {true, false}) {
    const auto write = [&](int threads) {
      RepackOptions how = with(threads);
      how.block_size = in_one ? 1 : 0;
      const RepackReport report = in_one ? defragment(from_, to_, how) : rewrite(from_, to_, how);
      return to_json(report) + contents(to_);
    };
    const std::string one = write(1);
    for (const int threads : thread_counts) EXPECT_TRUE(write(threads) == one) << threads;
  }
}

// Of several physical files, in the other byte order, whose key-value headers are turned on the way.
TEST_F(ByThreads, SetsOfOthersAreWrittenAnewToTheSameBytes) {
  for (const char* const name : {"v11_3files_splitcomm.sion.000002", "v20_keyval_be.sion", "v03_multiblock.sion"}) {
    const auto write = [&](int threads) {
      fs::remove_all(directory_ / "set");
      fs::create_directory(directory_ / "set");
      rewrite(testing::golden_path(name), directory_ / "set/new.sion", with(threads));
      defragment(testing::golden_path(name), directory_ / "set/one.sion", with(threads));
      return all_in(directory_ / "set");
    };
    const auto one = write(1);
    for (const int threads : thread_counts) EXPECT_TRUE(write(threads) == one) << name << threads;
  }
}

// A new set has a generation of its own, which is part of its records.
TEST_F(ByThreads, CheckpointsHoldTheSameStreamsInTheSameChunks) {
  for (const Compression compression : {Compression::none, Compression::zstd, Compression::lz4}) {
    fs::remove(from_);
    write_checkpoint(compression);
    defragment(from_, to_, with(1));
    const MultifileInfo one = MultifileReader(to_).info();
    const std::uintmax_t bytes = fs::file_size(to_);
    for (const int threads : thread_counts) {
      const RepackReport report = defragment(from_, to_, with(threads));
      EXPECT_EQ(report.file_bytes, bytes) << threads;
      EXPECT_EQ(fs::file_size(to_), bytes) << threads;
      const MultifileInfo info = MultifileReader(to_).info();
      EXPECT_EQ(info.chunks, one.chunks);
      EXPECT_EQ(info.stored_bytes, one.stored_bytes);
      EXPECT_EQ(info.compression, compression);
      EXPECT_TRUE(verify_multifile(to_).is_sound()) << threads;
      expect_streams(to_);
    }
  }
}

TEST_F(ByThreads, RecordsAreUnpackedToTheSameBytes) {
  for (const bool is_checkpoint : {false, true}) {
    fs::remove(from_);
    if (is_checkpoint) {
      write_checkpoint(Compression::zstd);
    } else {
      pack(from_, put_streams());
    }
    const std::string folder = directory_ / "out";
    const auto unpacked = [&](int threads) {
      fs::remove_all(folder);
      return to_json(unpack(from_, folder, with(threads)));
    };
    const std::string report = unpacked(1);
    const auto one = all_in(folder);
    ASSERT_EQ(one.size(), streams);
    for (std::uint64_t task = 0; task < streams; ++task)
      EXPECT_TRUE(one.at(fmt::format("task.{}", task)) == text_of(task));
    for (const int threads : thread_counts) {
      EXPECT_EQ(unpacked(threads), report) << threads;
      EXPECT_TRUE(all_in(folder) == one) << threads;
    }
  }
}

TEST_F(ByThreads, ALongRecordIsExtractedByAllOfThem) {
  pack(from_, put_streams());
  for (const int threads : {1, 2, 3, 7, 40}) {
    extract(from_, "task.6", 0, to_, with(threads));
    EXPECT_TRUE(contents(to_) == text_of(6)) << threads;
  }
}

TEST_F(ByThreads, DamageIsToldInTheSameWords) {
  write_checkpoint(Compression::none);
  for (const std::uint64_t task : {6U, 2U}) damage(from_, text_of(task).substr(1000, 64));
  const auto message = [&](int threads, bool in_one) {
    const Error error = error_of([&] {
      if (in_one) {
        defragment(from_, to_, with(threads));
      } else {
        fs::remove_all(directory_ / "out");
        unpack(from_, directory_ / "out", with(threads));
      }
    });
    EXPECT_EQ(error.code(), Code::checksum_mismatch);
    EXPECT_FALSE(fs::exists(to_));
    return std::string(error.what());
  };
  for (const bool in_one : {true, false}) {
    const std::string one = message(1, in_one);
    EXPECT_NE(one.find("of task 2"), std::string::npos) << one;
    for (const int threads : thread_counts) EXPECT_EQ(message(threads, in_one), one);
  }
  const auto damaged = [&](int threads) {
    std::string text;
    for (const ChunkDamage& damage : verify_multifile(from_, threads).damage) text += damage.what + "\n";
    return text;
  };
  const std::string both = damaged(1);
  EXPECT_LT(both.find("of task 2"), both.find("of task 6")) << both;
  EXPECT_NE(both.find("of task 6"), std::string::npos) << both;
  for (const int threads : thread_counts) EXPECT_EQ(damaged(threads), both);
  const auto taken = [&](int threads) {
    RepackOptions how = with(threads);
    how.verify = Verify::none;
    std::string text;
    for (const Finding& finding : defragment(from_, to_, how).findings) text += finding.message + "\n";
    return text;
  };
  const std::string one = taken(1);
  EXPECT_LT(one.find("of task 2"), one.find("of task 6")) << one;
  EXPECT_NE(one.find("of task 6"), std::string::npos) << one;
  for (const int threads : thread_counts) EXPECT_EQ(taken(threads), one);
}

TEST_F(ByThreads, ProgressIsToldByTheCallerUpToTheEnd) {
  pack(from_, put_streams());
  for (const int threads : {1, 2, 7}) {
    for (const bool in_one : {true, false}) {
      std::vector<std::uint64_t> told;
      std::uint64_t of = 0;
      RepackOptions how = with(threads);
      how.progress = [&, caller = std::this_thread::get_id()](std::uint64_t done, std::uint64_t total) {
        EXPECT_EQ(std::this_thread::get_id(), caller);
        told.push_back(done);
        of = total;
      };
      if (in_one) {
        defragment(from_, to_, how);
      } else {
        unpack(from_, directory_ / "out", how);
      }
      ASSERT_FALSE(told.empty());
      EXPECT_TRUE(std::ranges::is_sorted(told));
      EXPECT_EQ(std::ranges::adjacent_find(told), told.end());
      EXPECT_EQ(told.back(), of);
    }
  }
}

// Whichever thread meets it.
TEST_F(ByThreads, WhatCannotBeWrittenIsNoFile) {
  write_checkpoint(Compression::none);
  const std::vector<std::string> before = files_in(directory_.path());
  bool goes_on = true;
  for (std::int64_t k = 0; goes_on; k += 3) {
    testing::FaultyTransport faulty(storage::posix(), k);
    try {
      sets::defragment(faulty, from_, to_, with(3));
      goes_on = faulty.has_failed();  // some failures do no harm, such as that to ask for space
      fs::remove(to_);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::io) << error.what();
      if (fs::exists(to_)) fs::remove(to_);  // it failed after its naming
    }
    EXPECT_EQ(files_in(directory_.path()), before) << k;
    ASSERT_LT(k, 3000);
  }
}

}  // namespace
}  // namespace lq
