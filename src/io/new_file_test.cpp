// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What may happen to a file while it has its temporary name.
#include "io/new_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <optional>

#include <limequat/error.hpp>

#include "support/cached_clients.hpp"
#include "support/error_of.hpp"
#include "support/file_contents.hpp"
#include "support/scratch_directory.hpp"
#include "support/thread_comm.hpp"

namespace lq::io {
namespace {

namespace fs = std::filesystem;
using testing::contents;
using testing::error_of;
using testing::put_contents;

unsigned mode_of(const std::string& path) {
  struct stat status {};
  EXPECT_EQ(::stat(path.c_str(), &status), 0);
  return status.st_mode & 0777;
}

class New : public ::testing::Test {
 protected:
  std::unique_ptr<NewFile> create(bool overwrite) {
    auto file = std::make_unique<NewFile>(storage::posix(), Communicator(), path_);
    file->create(overwrite, 4);
    return file;
  }
  static void complete(NewFile& file) {
    file.file().write_at(0, base::as_bytes(std::string("new!")));
    file.finish(Sync::full);
    file.publish(Sync::full);
  }

  testing::ScratchDirectory directory_;
  std::string path_ = directory_ / "conf.ildg";
};

TEST_F(New, SuccessorOfAPrivateFileIsPrivateWhileItIsWritten) {
  put_contents(path_, "old");
  ASSERT_EQ(::chmod(path_.c_str(), 0640), 0);
  const mode_t mask = ::umask(0);
  const auto file = create(true);
  ::umask(mask);
  EXPECT_EQ(mode_of(file->temporary_path()), 0600u);
  complete(*file);
  EXPECT_EQ(mode_of(path_), 0640u);
  EXPECT_EQ(contents(path_), "new!");
}

// What is added to a file comes from as many clients as what made it.
TEST(GoneOn, TellsTheMountsOfItsRanksApart) {
  const auto servers = storage::make_memory();
  servers->create("begun", {})->write_at(0, base::as_bytes(std::string("old")));
  for (const std::uint64_t other : {7U, 8U}) {
    testing::CachedClient first(*servers, 7), second(*servers, other);
    std::array<std::uint64_t, 2> clients{};
    std::array<storage::StorageTraits, 2> units;
    testing::run_ranks(2, [&](std::shared_ptr<comm::Comm> comm) {
      const auto rank = static_cast<std::size_t>(comm->rank());
      NewFile file(rank == 0 ? first : second, Communicator(std::move(comm)), "whole");
      file.go_on("begun");
      units[rank] = file.unit();
      clients[rank] = file.client(units[rank]);
    });
    EXPECT_EQ(clients, (std::array<std::uint64_t, 2>{7, other}));
    for (const storage::StorageTraits& unit : units) {
      EXPECT_TRUE(unit.single_owner);
      EXPECT_EQ(unit.bytes, testing::CachedClient::block);
    }
  }
}

TEST_F(New, FileThatAnotherTookThePlaceOfGetsNoName) {
  const auto file = create(false);
  const std::string temporary = file->temporary_path();
  fs::remove(temporary);
  put_contents(temporary, "evil");
  const Error error = error_of([&] { complete(*file); });
  EXPECT_EQ(error.code(), Code::io);
  EXPECT_EQ(error.facts().path, path_);
  EXPECT_NE(std::string(error.what()).find("was replaced by another file"), std::string::npos) << error.what();
  EXPECT_FALSE(fs::exists(path_));
}

TEST_F(New, FileIsNotOpenedThroughALinkThatTookItsPlace) {
  put_contents(directory_ / "other", "precious");
  testing::run_ranks(2, [&](std::shared_ptr<comm::Comm> comm) {
    const Communicator all(comm);
    NewFile file(storage::posix(), all, path_);
    file.create(false, 4);
    comm->barrier();
    if (comm->rank() == 0) {
      fs::remove(file.temporary_path());
      fs::create_symlink(directory_ / "other", file.temporary_path());
    }
    comm->barrier();
    EXPECT_EQ(error_of([&] { file.open_for_writing(true); }).code(), Code::io);
  });
  EXPECT_EQ(contents(directory_ / "other"), "precious");
}

TEST_F(New, FileStaysWhenAForkedChildGivesItUp) {
  std::optional<std::unique_ptr<NewFile>> file = create(false);
  const pid_t child = ::fork();
  if (child == 0) {
    file.reset();
    ::_exit(0);
  }
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_TRUE(fs::exists((*file)->temporary_path()));
  complete(**file);
  EXPECT_EQ(contents(path_), "new!");
}

TEST_F(New, FileSaysThatItsNameIsALinkThatLeadsNowhere) {
  fs::create_symlink(directory_ / "nowhere", path_);
  const Error error = error_of([&] { create(true); });
  EXPECT_EQ(error.code(), Code::invalid_argument);
  EXPECT_NE(std::string(error.what()).find("this symbolic link has no target"), std::string::npos) << error.what();
}

}  // namespace
}  // namespace lq::io
