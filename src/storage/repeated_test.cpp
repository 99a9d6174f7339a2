// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a network file system answers when it has repeated a request, and what signals interrupt. The functions of the
// system that are defined here take the place of the system's own in this program.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <filesystem>
#include <fstream>
#include <string>

#include "storage/publish.hpp"
#include "storage/transport.hpp"
#include "support/error_of.hpp"
#include "support/scratch_directory.hpp"

namespace {

bool repeats = false;   // rename and unlink are done, and then tell what a second request finds
int interruptions = 0;  // how many calls of open and fsync are still interrupted by a signal

int settle(long result) { return static_cast<int>(result); }

int done_twice(int result) {
  if (result != 0 || !repeats) return result;
  errno = ENOENT;
  return -1;
}

bool is_interrupted() {
  if (interruptions == 0) return false;
  --interruptions;
  errno = EINTR;
  return true;
}

int open_once(const char* path, int flags, std::va_list more) {
  const unsigned mode = (flags & O_CREAT) != 0 ? va_arg(more, unsigned) : 0;
  return is_interrupted() ? -1 : settle(::syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}

}  // namespace

extern "C" {
int rename(const char* from, const char* to) noexcept {
  return done_twice(settle(::syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0)));
}
int unlink(const char* path) noexcept { return done_twice(settle(::syscall(SYS_unlinkat, AT_FDCWD, path, 0))); }
int fsync(int descriptor) { return is_interrupted() ? -1 : settle(::syscall(SYS_fsync, descriptor)); }
int open(const char* path, int flags, ...) {
  std::va_list more;
  va_start(more, flags);
  const int result = open_once(path, flags, more);
  va_end(more);
  return result;
}
int open64(const char* path, int flags, ...) {
  std::va_list more;
  va_start(more, flags);
  const int result = open_once(path, flags, more);
  va_end(more);
  return result;
}
}

namespace lq::storage {
namespace {

class Repeated : public ::testing::Test {
 protected:
  ~Repeated() override {
    repeats = false;
    interruptions = 0;
  }
  std::string at(const std::string& name) { return directory_ / name; }
  std::string put(const std::string& name, const std::string& text) {
    std::ofstream(at(name)) << text;
    return at(name);
  }
  std::string get(const std::string& name) {
    std::string text;
    std::ifstream(at(name)) >> text;
    return text;
  }
  testing::ScratchDirectory directory_;
};

TEST_F(Repeated, RenameHasSucceededWhereTheFileHasItsName) {
  put("old", "old");
  const std::string fresh = put("new", "new");
  repeats = true;
  posix().rename(fresh, at("old"));
  EXPECT_EQ(get("old"), "new");
}

TEST_F(Repeated, RenameHasFailedWhereTheNameIsAnothers) {
  put("old", "old");
  EXPECT_EQ(testing::error_of([&] { posix().rename(at("absent"), at("old")); }).code(), Code::not_found);
  EXPECT_EQ(get("old"), "old");
}

TEST_F(Repeated, RemovalHasSucceededWhereTheFileWasThere) {
  const std::string path = put("a", "a");
  repeats = true;
  posix().remove(path);
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_EQ(testing::error_of([&] { posix().remove(path); }).code(), Code::not_found);
}

TEST_F(Repeated, LinkAndCheckHaveSucceeded) {
  const std::string first = put("a", "first"), second = put("b", "second");
  repeats = true;
  struct stat before {};
  ASSERT_EQ(::lstat(first.c_str(), &before), 0);
  EXPECT_EQ(publish_by_link(first, at("c"), before), 0);
  EXPECT_EQ(publish_by_check(second, at("d")), 0);
  EXPECT_EQ(get("c") + get("d"), "firstsecond");
}

TEST_F(Repeated, InterruptedCallsAreMadeAgain) {
  put("a", "a");
  interruptions = 5;  // of open
  posix().sync_directory(at("a"));
  EXPECT_EQ(interruptions, 0);
  const auto file = posix().open_write(at("a"));
  interruptions = 5;  // of fsync
  file->sync();
  EXPECT_EQ(interruptions, 0);
}

}  // namespace
}  // namespace lq::storage
