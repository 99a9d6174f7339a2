// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a folder had when it was listed, against the folder itself.
#include "storage/listed_folders.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

#include "support/scratch_directory.hpp"

namespace lq::storage {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

// Counts the questions that reach the file system.
class Counted final : public ForwardingTransport {
 public:
  Counted() : ForwardingTransport(posix()) {}
  PathKind kind(const std::string& path) override {
    ++asked;
    return ForwardingTransport::kind(path);
  }
  StorageTraits unit(const std::string& path) override {
    ++units;
    return ForwardingTransport::unit(path);
  }
  int asked = 0, units = 0;
};

class ListedFoldersTest : public ::testing::Test {
 protected:
  std::string make(const std::string& name, std::chrono::seconds age = 1h) {
    const std::string path = scratch_ / name;
    std::ofstream(path) << name;
    fs::last_write_time(path, fs::file_time_type::clock::now() - age);
    return path;
  }

  testing::ScratchDirectory scratch_;
  Counted inner_;
  ListedFolders folders_;
};

TEST_F(ListedFoldersTest, AbsentNamesAreNotAskedFor) {
  const std::string path = make("conf"), other = make("other");
  folders_.add_folder_of(path);
  ListedTransport files(inner_, folders_, path);
  files.open_read(path);
  EXPECT_EQ(files.kind(path + ".lq-journal"), PathKind::absent);
  EXPECT_EQ(files.kind(fs::path(path).parent_path().string()), PathKind::directory);
  EXPECT_EQ(inner_.asked, 0);
  EXPECT_EQ(files.kind(other), PathKind::file);
  fs::remove(other);
  EXPECT_EQ(files.kind(other), PathKind::absent);
  EXPECT_EQ(files.kind(scratch_ / "below/conf"), PathKind::absent);  // of a folder that was not listed
  EXPECT_EQ(inner_.asked, 3);
}

TEST_F(ListedFoldersTest, NamesInTheCurrentFolderAreThoseOfAFolder) {
  make("conf");
  make("conf.lq-parity");
  const fs::path before = fs::current_path();
  fs::current_path(fs::path(scratch_ / "conf").parent_path());
  folders_.add_folder_of("conf");
  ListedTransport files(inner_, folders_, "conf");
  EXPECT_EQ(files.kind("."), PathKind::directory);
  EXPECT_EQ(files.kind("conf.lq-parity"), PathKind::file);
  EXPECT_EQ(files.kind("conf.set.lq-parity"), PathKind::absent);
  fs::current_path(before);
}

// Then a journal may have appeared with what was written.
TEST_F(ListedFoldersTest, OfAFileThatWasWrittenToSinceEverythingIsAsked) {
  const std::string path = make("conf");
  folders_.add_folder_of(path);
  make("conf.lq-journal");
  fs::last_write_time(path, fs::file_time_type::clock::now());
  ListedTransport files(inner_, folders_, path);
  files.open_read(path);
  EXPECT_EQ(files.kind(path + ".lq-journal"), PathKind::file);
}

TEST_F(ListedFoldersTest, AFileThatIsYoungWhenItIsListedIsNotTrusted) {
  const std::string path = make("conf", 1s);
  folders_.add_folder_of(path);
  make("conf.lq-journal");
  ListedTransport files(inner_, folders_, path);
  files.open_read(path);
  EXPECT_EQ(files.kind(path + ".lq-journal"), PathKind::file);
}

TEST_F(ListedFoldersTest, FoldersThatCannotBeReadAreAskedEachTime) {
  const std::string path = scratch_ / "nowhere/conf";
  folders_.add_folder_of(path);
  EXPECT_FALSE(folders_.when_listed(path));
  EXPECT_FALSE(folders_.lacks(path));
}

TEST_F(ListedFoldersTest, TraitsOfALocalFileSystemAreAskedOnce) {
  const std::string one = make("one"), other = make("other");
  if (!posix().unit(one).one_writer) GTEST_SKIP() << "files lie on servers here";
  ListedTransport(inner_, folders_, one).unit(one);
  EXPECT_EQ(ListedTransport(inner_, folders_, other).unit(other).device, posix().unit(other).device);
  EXPECT_EQ(inner_.units, 1);
}

}  // namespace
}  // namespace lq::storage
