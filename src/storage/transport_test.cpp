// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What every Transport promises, asked of each: the POSIX file system, memory, and the fault injector at rest.
#include "storage/transport.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <thread>
#include <vector>

#include "support/error_of.hpp"
#include "support/faulty.hpp"
#include "support/scratch_directory.hpp"

namespace lq::storage {
namespace {

using testing::error_of;

class Transports : public ::testing::TestWithParam<std::string> {
 protected:
  Transport& fs() {
    if (GetParam() == "posix") return posix();
    return GetParam() == "memory" ? *memory_ : static_cast<Transport&>(faulty_);
  }
  std::string at(const std::string& name) { return directory_ / name; }

  void put(const std::string& name, const std::string& text) {
    const auto file = fs().create(at(name));
    file->write_at(0, base::as_bytes(text));
    file->close();
  }
  std::string get(const std::string& name) {
    const auto file = fs().open_read(at(name));
    std::string text(file->size() + 5, '?');
    text.resize(file->read_at(0, std::as_writable_bytes(std::span(text))));
    return text;
  }
  static std::string read(File& file, std::uint64_t offset, std::size_t bytes) {
    std::string text(bytes, '?');
    text.resize(file.read_at(offset, std::as_writable_bytes(std::span(text))));
    return text;
  }

 private:
  testing::ScratchDirectory directory_;
  std::shared_ptr<Transport> memory_ = make_memory();
  std::shared_ptr<Transport> behind_ = make_memory();
  testing::FaultyTransport faulty_{*behind_};
};

INSTANTIATE_TEST_SUITE_P(Every, Transports, ::testing::Values("posix", "memory", "faulty"),
                         [](const auto& test) { return test.param; });

TEST_P(Transports, ReturnWhatWasWritten) {
  put("a", "twelve bytes");
  EXPECT_EQ(get("a"), "twelve bytes");
}

TEST_P(Transports, WriteAnywhereAndFillGapsWithZeros) {
  const auto file = fs().create(at("a"));
  file->write_at(6, base::as_bytes("end"));
  file->write_at(0, base::as_bytes("ab"));
  EXPECT_EQ(read(*file, 0, 20), std::string("ab\0\0\0\0end", 9));
}

TEST_P(Transports, ReadWhatThereIsAndNoMore) {
  put("a", "abcdef");
  const auto file = fs().open_read(at("a"));
  EXPECT_EQ(read(*file, 4, 10), "ef");
  EXPECT_EQ(read(*file, 6, 10), "");
  EXPECT_EQ(read(*file, 1'000'000, 10), "");
  EXPECT_EQ(read(*file, 0, 0), "");
}

TEST_P(Transports, ReportSizeAndPath) {
  put("a", "abcdef");
  const auto file = fs().open_read(at("a"));
  EXPECT_EQ(file->size(), 6u);
  EXPECT_EQ(file->path(), at("a"));
}

TEST_P(Transports, KnowAFileByItsIdentity) {
  put("a", "abcdef");
  put("b", "abcdef");
  const auto file = fs().open_read(at("a"));
  const Identity before = file->identity();
  EXPECT_EQ(before.bytes, 6u);
  EXPECT_TRUE(is_unchanged(before, fs().identity(at("a"))));
  EXPECT_FALSE(is_same_file(before, fs().identity(at("b"))));
  EXPECT_FALSE(is_same_across_nodes(before, fs().identity(at("b"))));
  fs().rename(at("b"), at("a"));
  EXPECT_FALSE(is_same_file(before, fs().identity(at("a"))));
  EXPECT_TRUE(is_unchanged(before, file->identity()));
  EXPECT_EQ(error_of([&] { fs().identity(at("b")); }).code(), Code::not_found);
}

TEST_P(Transports, SeeThatAFileWasWrittenTo) {
  put("a", "abcdef");
  const auto file = fs().open_write(at("a"));
  const Identity before = file->identity();
  file->write_at(6, base::as_bytes(std::string("g")));
  EXPECT_TRUE(is_same_file(before, file->identity()));
  EXPECT_FALSE(is_unchanged(before, file->identity()));
}

TEST_P(Transports, ReserveWithoutAChangeThatCanBeSeen) {
  put("a", "abc");
  const auto file = fs().open_write(at("a"));
  file->reserve(0, 0);
  file->reserve(1, 100'000);
  EXPECT_EQ(file->size(), 3u);
  EXPECT_EQ(get("a"), "abc");
  file->write_at(50'000, base::as_bytes(std::string("xyz")));
  EXPECT_EQ(file->size(), 50'003u);
  EXPECT_EQ(read(*file, 49'999, 4), std::string("\0xyz", 4));
}

TEST_P(Transports, ResizeBothWays) {
  const auto file = fs().create(at("a"));
  file->write_at(0, base::as_bytes("abcdef"));
  file->resize(2);
  EXPECT_EQ(read(*file, 0, 9), "ab");
  file->resize(4);
  EXPECT_EQ(read(*file, 0, 9), std::string("ab\0\0", 4));
}

TEST_P(Transports, AnEmptyWriteChangesNothing) {
  const auto file = fs().create(at("a"));
  file->write_at(100, {});
  EXPECT_EQ(file->size(), 0u);
}

TEST_P(Transports, OpenForWritingKeepsContents) {
  put("a", "abcdef");
  const auto file = fs().open_write(at("a"));
  file->write_at(2, base::as_bytes("XY"));
  file->sync();
  file->close();
  EXPECT_EQ(get("a"), "abXYef");
}

TEST_P(Transports, RefuseToWriteWhereOpenedForReading) {
  put("a", "abcdef");
  const auto file = fs().open_read(at("a"));
  const Error error = error_of([&] { file->write_at(3, base::as_bytes("x")); });
  EXPECT_EQ(error.code(), Code::io);
  EXPECT_EQ(get("a"), "abcdef");
}

TEST_P(Transports, RefuseToCreateWhatExists) {
  put("a", "old");
  const Error error = error_of([&] { fs().create(at("a")); });
  EXPECT_EQ(error.code(), Code::exists);
  EXPECT_EQ(error.facts().path, at("a"));
  EXPECT_EQ(get("a"), "old");
}

TEST_P(Transports, MissingFilesAreNotFound) {
  EXPECT_EQ(error_of([&] { fs().open_read(at("no")); }).code(), Code::not_found);
  EXPECT_EQ(error_of([&] { fs().open_write(at("no")); }).code(), Code::not_found);
  EXPECT_EQ(error_of([&] { fs().remove(at("no")); }).code(), Code::not_found);
  EXPECT_EQ(error_of([&] { fs().rename(at("no"), at("a")); }).code(), Code::not_found);
  EXPECT_EQ(error_of([&] { fs().publish(at("no"), at("a")); }).code(), Code::not_found);
  EXPECT_EQ(error_of([&] { fs().copy_permissions(at("no"), at("a")); }).code(), Code::not_found);
}

TEST_P(Transports, RenameReplaces) {
  put("a", "new");
  put("b", "old");
  fs().rename(at("a"), at("b"));
  EXPECT_EQ(get("b"), "new");
  EXPECT_EQ(fs().kind(at("a")), PathKind::absent);
}

TEST_P(Transports, RenameMovesADirectoryWithAllThatIsInIt) {
  fs().make_directory(at("d/below"));
  put("d/a", "one");
  put("d/below/b", "two");
  put("d.c", "three");
  fs().rename(at("d"), at("e"));
  EXPECT_EQ(get("e/a") + get("e/below/b") + get("d.c"), "onetwothree");
  EXPECT_EQ(fs().kind(at("d")), PathKind::absent);
  EXPECT_EQ(fs().kind(at("e")), PathKind::directory);
  fs().make_directory(at("f"));
  put("f/a", "four");
  EXPECT_NE(error_of([&] { fs().rename(at("e"), at("f")); }).code(), Code::ok);
  EXPECT_EQ(get("f/a"), "four");
}

TEST_P(Transports, PublishGivesAFreeName) {
  put("a", "new");
  fs().publish(at("a"), at("b"));
  EXPECT_EQ(get("b"), "new");
  EXPECT_EQ(fs().kind(at("a")), PathKind::absent);
}

TEST_P(Transports, PublishNeverReplaces) {
  put("a", "new");
  put("b", "old");
  const Error error = error_of([&] { fs().publish(at("a"), at("b")); });
  EXPECT_EQ(error.code(), Code::exists);
  EXPECT_EQ(error.facts().path, at("b"));
  EXPECT_EQ(get("b"), "old");
  EXPECT_EQ(get("a"), "new");
}

TEST_P(Transports, OnlyOneOfManyPublishersWins) {
  constexpr std::size_t count = 8;
  const auto name = [](std::size_t i) { return std::string(1, static_cast<char>('0' + i)); };
  for (std::size_t i = 0; i < count; ++i) put(name(i), name(i));
  std::vector<std::thread> threads;
  std::vector<int> won(count, 0);
  for (std::size_t i = 0; i < count; ++i) {
    threads.emplace_back(
        [&, i] { won[i] = error_of([&] { fs().publish(at(name(i)), at("b")); }).code() == Code::ok ? 1 : 0; });
  }
  for (auto& thread : threads) thread.join();
  ASSERT_EQ(std::accumulate(won.begin(), won.end(), 0), 1);
  EXPECT_EQ(get("b"), name(static_cast<std::size_t>(std::find(won.begin(), won.end(), 1) - won.begin())));
}

TEST_P(Transports, WritersOfDisjointPartsDoNotDisturbEachOther) {
  put("a", "");
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      const auto file = fs().open_write(at("a"));
      const std::string part(1000, static_cast<char>('a' + i));
      for (std::size_t k = 0; k < 10; ++k) file->write_at((k * 8 + i) * 1000, base::as_bytes(part));
    });
  }
  for (auto& thread : threads) thread.join();
  const std::string text = get("a");
  ASSERT_EQ(text.size(), 80'000u);
  for (std::size_t i = 0; i < text.size(); ++i) ASSERT_EQ(text[i], static_cast<char>('a' + i / 1000 % 8)) << i;
}

TEST_P(Transports, RemoveLeavesOpenFilesReadable) {
  put("a", "abc");
  const auto file = fs().open_read(at("a"));
  fs().remove(at("a"));
  EXPECT_EQ(fs().kind(at("a")), PathKind::absent);
  EXPECT_EQ(read(*file, 0, 9), "abc");
}

TEST_P(Transports, TellKinds) {
  put("a", "abc");
  EXPECT_EQ(fs().kind(at("a")), PathKind::file);
  EXPECT_EQ(fs().kind(at("no")), PathKind::absent);
  EXPECT_EQ(fs().kind(at("a").substr(0, at("a").size() - 2)), PathKind::directory);
}

TEST_P(Transports, RefuseDirectories) {
  put("a", "abc");
  const std::string directory = at("a").substr(0, at("a").size() - 2);
  const Error error = error_of([&] { fs().open_read(directory); });
  EXPECT_EQ(error.code(), Code::io);
  EXPECT_STREQ(
      error.what(),
      (directory + ": cannot open: is a directory, expected a regular file; name files in it. `lq verify -r` and "
                   "`lq index` look through folders")
          .c_str());
  EXPECT_EQ(error_of([&] { fs().open_write(directory); }).code(), Code::io);
}

TEST_P(Transports, RefusePositionsThatNoFileHas) {
  const auto file = fs().create(at("a"));
  const std::uint64_t half = std::uint64_t{1} << 63;
  const Error error = error_of([&] { file->write_at(half, base::as_bytes("x")); });
  EXPECT_EQ(error.code(), Code::too_large);
  EXPECT_EQ(error.facts().offset, half);
  EXPECT_EQ(error_of([&] { file->write_at(half - 1, base::as_bytes("x")); }).code(), Code::too_large);
  EXPECT_EQ(error_of([&] { file->write_at(~std::uint64_t{0}, base::as_bytes("xy")); }).code(), Code::too_large);
  EXPECT_EQ(error_of([&] { file->resize(half); }).code(), Code::too_large);
  EXPECT_EQ(error_of([&] { read(*file, half, 1); }).code(), Code::too_large);
  EXPECT_EQ(read(*file, half - 1, 8), "");
  EXPECT_EQ(file->size(), 0u);
}

TEST_P(Transports, RefuseToWorkOnClosedFiles) {
  const auto file = fs().create(at("a"));
  file->close();
  file->close();
  const Error error = error_of([&] { file->write_at(7, base::as_bytes("x")); });
  EXPECT_EQ(error.code(), Code::io);
  EXPECT_EQ(error_of([&] { file->size(); }).code(), Code::io);
  EXPECT_EQ(error_of([&] { file->sync(); }).code(), Code::io);
}

TEST_P(Transports, SyncDirectoriesAndCopyPermissions) {
  put("a", "a");
  put("b", "b");
  fs().sync_directory(at("a"));
  fs().copy_permissions(at("a"), at("b"));
  EXPECT_EQ(get("b"), "b");
}

}  // namespace
}  // namespace lq::storage
