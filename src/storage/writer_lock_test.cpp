// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Who holds the lock of a file keeps other writers away until the file is closed or the process has ended.
#include "storage/owners.hpp"

#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <optional>

#include <limequat/error.hpp>

#include "comm/node.hpp"
#include "storage/transport.hpp"
#include "support/error_of.hpp"
#include "support/scratch_directory.hpp"
#include "support/thread_comm.hpp"

namespace lq::storage {
namespace {

using testing::error_of;

class WriterLocks : public ::testing::Test {
 protected:
  WriterLocks() { std::ofstream(path_) << "contents"; }

  testing::ScratchDirectory directory_;
  std::string path_ = directory_.path() + "/file";
};

TEST_F(WriterLocks, KeepASecondWriterAway) {
  std::optional<WriterLock> first(std::in_place, path_);
  const Error error = error_of([&] { WriterLock second(path_); });
  EXPECT_EQ(error.code(), Code::io);
  EXPECT_EQ(error.facts().path, path_);
  first.reset();
  EXPECT_NO_THROW(WriterLock again(path_));
}

TEST_F(WriterLocks, AreSeenByWhoeverAsks) {
  EXPECT_FALSE(has_writer(path_));
  EXPECT_FALSE(has_writer(path_ + ".none"));
  {
    const WriterLock lock(path_);
    EXPECT_EQ(has_writer(path_), lock.excludes_others());
    EXPECT_EQ(has_writer(path_), lock.excludes_others()) << "the question takes nothing";
  }
  EXPECT_FALSE(has_writer(path_));
}

// HDF5 locks whole files where it reads them.
TEST_F(WriterLocks, DoNotKeepAwayWhoLocksTheWholeFile) {
  const WriterLock lock(path_);
  const int descriptor = ::open(path_.c_str(), O_RDONLY);
  ASSERT_GE(descriptor, 0);
  const bool has_both = ::flock(descriptor, LOCK_SH | LOCK_NB) == 0;
  ::close(descriptor);
  if (!has_both && !posix().unit(path_).one_writer) GTEST_SKIP() << "these servers keep both kinds of locks as one";
  EXPECT_TRUE(has_both);
}

TEST_F(WriterLocks, AreGoneWithAProcessThatIsKilled) {
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const WriterLock lock(path_);
    const char done = 1;
    if (::write(ready[1], &done, 1) != 1) ::_exit(1);
    while (true) ::pause();
  }
  char done = 0;
  ASSERT_EQ(::read(ready[0], &done, 1), 1);
  EXPECT_EQ(error_of([&] { WriterLock second(path_); }).code(), Code::io);
  ::kill(child, SIGKILL);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_NO_THROW(WriterLock after(path_));
  ::close(ready[0]);
  ::close(ready[1]);
}

// It has the same open file, and may live on.
TEST_F(WriterLocks, AreNeitherKeptNorGivenBackByAForkedChild) {
  std::optional<WriterLock> lock(std::in_place, path_);
  int told[2], done[2];
  ASSERT_EQ(::pipe(told), 0);
  ASSERT_EQ(::pipe(done), 0);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  char word = 0;
  if (child == 0) {
    lock.reset();  // as its destructors would
    if (::write(told[1], &word, 1) != 1) ::_exit(1);
    ::_exit(::read(done[0], &word, 1) == 1 ? 0 : 1);
  }
  const pid_t sibling = ::fork();
  ASSERT_GE(sibling, 0);
  if (sibling == 0) ::_exit(::read(done[0], &word, 1) == 1 ? 0 : 1);  // has it as long as it lives
  ASSERT_EQ(::read(told[0], &word, 1), 1);
  EXPECT_EQ(error_of([&] { WriterLock second(path_); }).code(), Code::io);
  lock.reset();
  EXPECT_NO_THROW(WriterLock second(path_));
  ASSERT_EQ(::write(done[1], "ab", 2), 2);
  for (const pid_t one : {child, sibling}) {
    int status = 0;
    ASSERT_EQ(::waitpid(one, &status, 0), one);
    EXPECT_EQ(status, 0);
  }
  for (const int end : {told[0], told[1], done[0], done[1]}) ::close(end);
}

TEST_F(WriterLocks, AreThoseOfAFileAndNotOfItsName) {
  const WriterLock lock(path_);
  const std::string other = path_ + ".other";
  std::ofstream(other) << "others";
  EXPECT_TRUE(lock.is_of(path_));
  EXPECT_NO_THROW(lock.require_same(*posix().open_write(path_)));
  EXPECT_EQ(error_of([&] { lock.require_same(*posix().open_write(other)); }).code(), Code::io);
  posix().rename(other, path_);
  EXPECT_FALSE(lock.is_of(path_));
  EXPECT_EQ(error_of([&] { lock.require_same(*posix().open_write(path_)); }).code(), Code::io);
  EXPECT_NO_THROW(WriterLock of_the_new_one(path_));
}

TEST_F(WriterLocks, AreNotNeededWhereThereIsNoFile) { EXPECT_NO_THROW(WriterLock(path_ + ".none")); }

// Ranks of one node that have one client see what the others wrote.
TEST(OwnersOf, RanksAreOneClientWhereAllHaveTheSame) {
  for (const std::uint64_t step : {0U, 1U}) {
    testing::run_ranks(3, [&](const std::shared_ptr<comm::Comm>& comm) {
      const auto look = [&] {
        return LocalTraits{{.bytes = 4096, .single_owner = true}, 7 + step * static_cast<std::uint64_t>(comm->rank())};
      };
      const Owners owners = owners_of(*comm, look);
      EXPECT_TRUE(owners.unit.single_owner);
      EXPECT_EQ(owners.are_one_client, step == 0 && comm->node().is_only());
      EXPECT_EQ(owners.have_incoherent_caches(), !owners.are_one_client);
    });
  }
}

}  // namespace
}  // namespace lq::storage
