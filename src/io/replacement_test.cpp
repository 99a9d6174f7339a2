// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Records of files that get their names together. What happens at each step: tests/fault/replacement_fault_test.cpp.
#include "io/replacement.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <csignal>
#include <filesystem>

#include <limequat/error.hpp>

#include "base/path.hpp"
#include "io/new_file.hpp"
#include "storage/owners.hpp"
#include "support/error_of.hpp"
#include "support/faulty.hpp"
#include "support/file_contents.hpp"
#include "support/scratch_directory.hpp"

namespace lq::io {
namespace {

namespace fs = std::filesystem;
using testing::contents;
using testing::error_of;
using testing::put_contents;

TEST(ReplacementPath, IsFoundByTheNameOfAnyFileOfTheSet) {
  const auto belongs = [](const std::string& first, const std::string& path) {
    return std::ranges::count(replacement_paths(path), replacement_path(first)) > 0;
  };
  EXPECT_EQ(replacement_path("a/f.scidac.vol0000"), "a/.f.scidac.lq-replacement");
  EXPECT_EQ(replacement_path("a/vol0000/f.scidac"), "a/.f.scidac.lq-replacement");
  EXPECT_EQ(replacement_path("/f.raw"), "/.f.raw.lq-replacement");
  EXPECT_TRUE(belongs("f.vol0000", "f.vol12345"));
  EXPECT_TRUE(belongs("/vol0000/f", "/vol0003/f"));
  EXPECT_TRUE(belongs("a/f.raw", "a/f.raw.data"));
  EXPECT_TRUE(belongs("s.sion", "s.sion.000001"));
  EXPECT_TRUE(belongs("s.sion", "s.sion.fields"));
  EXPECT_TRUE(belongs("s.000100", "s.000100.000001"));
  // Sets of an ensemble have records of their own.
  EXPECT_NE(replacement_path("s.000100"), replacement_path("s.000200"));
  EXPECT_FALSE(belongs("f", "f.vol1"));
  EXPECT_FALSE(belongs("f", "f.1000"));
}

// A set of two files whose writer dies when one of them has its name.
class Interrupted : public ::testing::Test {
 protected:
  static constexpr std::uint32_t number = 0x1a2b3c4d;

  // Dies when it has given one name.
  class Dying final : public storage::ForwardingTransport {
   public:
    using ForwardingTransport::ForwardingTransport;
    void rename(const std::string& from, const std::string& to) override {
      ForwardingTransport::rename(from, to);
      std::raise(SIGKILL);
    }
  };

  void SetUp() override {
    for (const std::string& path : {first_, second_}) {
      put_contents(path, "old");
      put_contents(base::temporary_name(path, number), "newer");
    }
    EXPECT_TRUE(testing::dies_in([&] {
      Dying dying(storage::posix());
      replace_together(
          dying, names(), true, Sync::none, [] {}, files_of_set);
    }));
    EXPECT_EQ(contents(second_), "newer");
    EXPECT_EQ(contents(first_), "old");
  }

  std::vector<Renaming> names() const {
    return {{base::temporary_name(first_, number), first_}, {base::temporary_name(second_, number), second_}};
  }
  bool is_in_force() const { return find_replacement(storage::posix(), second_).has_value(); }

  testing::ScratchDirectory directory_;
  const std::string first_ = directory_ / "f.vol0000", second_ = directory_ / "f.vol0001";
};

TEST_F(Interrupted, IsReadAsIfItWereNot) {
  ReplacedFiles files(storage::posix());
  files.look(first_);
  EXPECT_EQ(testing::bytes_in(files, first_).size(), 5U);
  EXPECT_EQ(files.open_read(first_)->path(), first_);
  EXPECT_TRUE(files.is_still_so(second_));
}

TEST_F(Interrupted, IsCompletedByWhoeverFindsAnyOfItsFiles) {
  EXPECT_TRUE(settle_replacement(storage::posix(), second_, Sync::full));
  EXPECT_EQ(contents(first_), "newer");
  EXPECT_EQ(testing::files_in(directory_.path()), (std::vector<std::string>{"f.vol0000", "f.vol0001"}));
}

TEST_F(Interrupted, IsNotHeededWhenAForeignProgramWroteToAFileSince) {
  put_contents(first_, "of QIO");
  EXPECT_FALSE(is_in_force());
  EXPECT_FALSE(settle_replacement(storage::posix(), first_, Sync::none));
  EXPECT_EQ(contents(first_), "of QIO");
  EXPECT_FALSE(fs::exists(replacement_path(first_)));
}

TEST_F(Interrupted, IsNotHeededWhenAFileOfItIsGone) {
  fs::remove(base::temporary_name(first_, number));
  EXPECT_FALSE(is_in_force());
}

TEST_F(Interrupted, IsMovedWithItsFolder) {
  const std::string record = replacement_path(first_);
  const std::string text = contents(record);
  const auto moved = decode_replacement(base::as_bytes(text), "elsewhere/" + record.substr(record.rfind('/') + 1));
  ASSERT_TRUE(moved);
  EXPECT_EQ(moved->members.front().to, "elsewhere/f.vol0000");
}

TEST_F(Interrupted, IsLeftToAWriterThatIsAtWork) {
  const storage::WriterLock lock(replacement_path(first_));
  EXPECT_EQ(error_of([&] { settle_replacement(storage::posix(), first_, Sync::none); }).code(), Code::io);
  EXPECT_TRUE(is_in_force());
}

TEST_F(Interrupted, DecidesNothingWhileItsRecordIsNotWhole) {
  const std::string record = replacement_path(first_), whole = contents(record);
  for (std::size_t bytes = 0; bytes < whole.size(); ++bytes) {
    EXPECT_FALSE(decode_replacement(base::as_bytes(whole.substr(0, bytes)), record)) << bytes;
  }
}

// A record that another program put there does not make us rename other files.
TEST(Replacement, NamesOnlyWhatWritersCallSo) {
  const auto is_taken = [](const std::string& from, const std::string& to, const std::string& surplus) {
    Replacement replacement;
    replacement.members.push_back({from, to, {}, {}});
    if (!surplus.empty()) replacement.surplus.push_back(surplus);
    replacement.record = ".f.lq-replacement";
    return decode_replacement(encode_replacement(replacement), replacement.record).has_value();
  };
  EXPECT_TRUE(is_taken(".f.vol0000.12345678", "f.vol0000", ""));
  EXPECT_TRUE(is_taken(".f.vol0000.lq-copy", "f.vol0000", "f.vol0003"));
  EXPECT_FALSE(is_taken("precious", "f.vol0000", ""));
  EXPECT_FALSE(is_taken(".g.12345678", "f.vol0000", ""));
  EXPECT_FALSE(is_taken(".g.12345678", "g", ""));
  EXPECT_FALSE(is_taken(".f.vol0000.12345678", "f.vol0000", "precious"));
}

TEST(Replacement, GivesNoNameThatIsTaken) {
  const testing::ScratchDirectory directory;
  const std::string first = directory / "f.raw", second = directory / "f.raw.data";
  std::vector<Renaming> names;
  for (const std::string& path : {first, second}) {
    names.push_back({base::temporary_name(path, 1), path});
    put_contents(names.back().from, "new");
  }
  put_contents(second, "old");
  const Error error = error_of([&] {
    replace_together(
        storage::posix(), names, false, Sync::none, [] {}, files_of_set);
  });
  EXPECT_EQ(error.code(), Code::exists);
  EXPECT_EQ(contents(second), "old");
  EXPECT_FALSE(fs::exists(first));
  EXPECT_FALSE(fs::exists(replacement_path(first)));
}

// What it was to replace is gone, so that nothing says who may read it.
TEST(NewFileWithoutPredecessor, HasTheRightsOfAnyNewFile) {
  const testing::ScratchDirectory directory;
  const std::string path = directory / "conf.ildg";
  put_contents(path, "old");
  NewFile file(storage::posix(), Communicator(), path);
  file.create(true, 4);
  fs::remove(path);
  file.finish(Sync::none);
  file.publish(Sync::none);
  const std::string usual = directory / "usual";
  put_contents(usual, "");
  EXPECT_EQ(fs::status(path).permissions(), fs::status(usual).permissions());
}

// The file that tells which rights are usual is removed, whatever fails on the way, except its removal.
TEST(NewFileWithoutPredecessor, LeavesNoFileThatToldItsRights) {
  const auto left_when_failing = [](std::int64_t fail_at, std::int64_t& operations) {
    const testing::ScratchDirectory directory;
    const std::string path = directory / "conf.ildg";
    put_contents(path, "new");
    testing::FaultyTransport files(storage::posix(), fail_at);
    const Error error = error_of([&] { give_usual_permissions(files, path); });
    EXPECT_EQ(error.code(), fail_at < 0 ? error_of([] {}).code() : Code::io) << fail_at;
    operations = files.operations();
    return std::distance(fs::directory_iterator(directory.path()), {});
  };
  std::int64_t all = 0, some = 0;
  EXPECT_EQ(left_when_failing(-1, all), 1);
  EXPECT_GE(all, 3);  // it is made, asked and removed
  for (std::int64_t fail_at = 0; fail_at + 1 < all; ++fail_at)
    EXPECT_EQ(left_when_failing(fail_at, some), 1) << fail_at;
}

}  // namespace
}  // namespace lq::io
