// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What only a real file system can refuse: special files, permissions, limits, gaps.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "storage/publish.hpp"
#include "storage/transport.hpp"
#include "support/contents.hpp"
#include "support/error_of.hpp"
#include "support/ordinary_user.hpp"
#include "support/scratch_directory.hpp"

namespace lq::storage {
namespace {

using testing::error_of;
using testing::OrdinaryUser;

class Posix : public ::testing::Test {
 protected:
  std::string at(const std::string& name) { return directory_ / name; }
  std::string put(const std::string& name, const std::string& text) {
    std::ofstream(at(name), std::ios::binary) << text;
    return at(name);
  }
  std::string get(const std::string& name) { return testing::contents(at(name)); }
  testing::ScratchDirectory directory_;
};

// RLIMIT_FSIZE with SIGXFSZ ignored.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &old_);
    const rlimit limit{bytes, old_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &old_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit old_{};
  void (*handler_)(int);
};

TEST_F(Posix, RefusesAFifoWithoutWaiting) {
  ASSERT_EQ(::mkfifo(at("fifo").c_str(), 0600), 0);
  const Error error = error_of([&] { posix().open_read(at("fifo")); });
  EXPECT_EQ(error.code(), Code::io);
  EXPECT_EQ(error.what(), at("fifo") +
                              ": cannot open: is a FIFO, expected a regular file; "
                              "`lq` reads a pipe as \"-\"; or store the data in a file first");
  EXPECT_EQ(error_of([&] { posix().open_write(at("fifo")); }).code(), Code::io);
  EXPECT_EQ(posix().kind(at("fifo")), PathKind::other);
}

TEST_F(Posix, RefusesADevice) {
  const Error error = error_of([&] { posix().open_read("/dev/null"); });
  EXPECT_STREQ(error.what(), "/dev/null: cannot open: is a device, expected a regular file");
}

TEST_F(Posix, RefusesASocket) {
  const int descriptor = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, at("socket").c_str(), sizeof(address.sun_path) - 1);
  ASSERT_EQ(::bind(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  const Error error = error_of([&] { posix().open_read(at("socket")); });
  EXPECT_EQ(error.what(), at("socket") + ": cannot open: is a socket, expected a regular file");
  ::close(descriptor);
}

TEST_F(Posix, ReportsMissingPermission) {
  put("secret", "text");
  ASSERT_EQ(::chmod(at("secret").c_str(), 0), 0);
  ASSERT_EQ(::chmod(directory_.path().c_str(), 0555), 0);
  {
    const OrdinaryUser user;
    EXPECT_EQ(error_of([&] { posix().open_read(at("secret")); }).code(), Code::no_permission);
    EXPECT_EQ(error_of([&] { posix().open_write(at("secret")); }).code(), Code::no_permission);
    EXPECT_EQ(error_of([&] { posix().create(at("new")); }).code(), Code::no_permission);
    EXPECT_EQ(error_of([&] { posix().remove(at("secret")); }).code(), Code::no_permission);
  }
  ASSERT_EQ(::chmod(directory_.path().c_str(), 0755), 0);
}

TEST_F(Posix, AFileSizeLimitIsNoSpace) {
  const FileSizeLimit limit(100);
  const auto file = posix().create(at("a"));
  const std::string text(150, 'x');
  const Error error = error_of([&] { file->write_at(0, base::as_bytes(text)); });
  EXPECT_EQ(error.code(), Code::no_space);
  EXPECT_EQ(error.facts().path, at("a"));
  EXPECT_EQ(error.facts().offset, 100u);  // the first byte that found no place
  EXPECT_EQ(error.facts().system_errno, EFBIG);
  EXPECT_EQ(error_of([&] { file->resize(101); }).code(), Code::no_space);
}

TEST_F(Posix, FreeSpaceCountsTheFileSizeLimit) {
  const FileSizeLimit limit(12345);
  EXPECT_EQ(posix().free_space(at("a")), 12345u);
}

TEST_F(Posix, FreeSpaceIsThatOfTheFileSystem) {
  const auto space = posix().free_space(at("a"));
  const std::uintmax_t capacity = std::filesystem::space(directory_.path()).capacity;
  ASSERT_EQ(space.has_value(), capacity > 0);  // CephFS without a manager tells nothing
  EXPECT_LE(space.value_or(0), capacity);
}

TEST_F(Posix, FreeSpaceIsUnknownWhereThereIsNoDirectory) {
  EXPECT_EQ(posix().free_space(at("no/such/file")), std::nullopt);
}

TEST_F(Posix, WritesBeyondFourGibibytesWithoutFillingTheGap) {
  const std::uint64_t far = (std::uint64_t{5} << 30) + 3;
  const auto file = posix().create(at("a"));
  file->write_at(far, base::as_bytes("far"));
  std::string text(4, '?');
  EXPECT_EQ(file->read_at(far - 1, std::as_writable_bytes(std::span(text))), 4u);
  EXPECT_EQ(text, std::string("\0far", 4));
  EXPECT_EQ(file->size(), far + 3);
  std::ofstream(at("hole")).close();
  std::filesystem::resize_file(at("hole"), far);
  struct stat status {
  }, hole{};
  ASSERT_EQ(::stat(at("a").c_str(), &status), 0);
  ASSERT_EQ(::stat(at("hole").c_str(), &hole), 0);
  EXPECT_LT(status.st_blocks, hole.st_blocks + 1000);  // CephFS counts holes, too
}

TEST_F(Posix, FilesAreClosedInChildPrograms) {
  const auto file = posix().create(at("a"));
  int found = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code ignored;
    if (std::filesystem::read_symlink(entry, ignored) != at("a")) continue;
    const int descriptor = std::stoi(entry.path().filename().string());
    EXPECT_NE(::fcntl(descriptor, F_GETFD) & FD_CLOEXEC, 0);
    ++found;
  }
  EXPECT_EQ(found, 1);
}

TEST_F(Posix, ALinkThatLeadsNowhereOccupiesItsName) {
  std::filesystem::create_symlink(at("nowhere"), at("link"));
  put("a", "new");
  EXPECT_EQ(posix().kind(at("link")), PathKind::dangling_link);
  EXPECT_EQ(error_of([&] { posix().publish(at("a"), at("link")); }).code(), Code::exists);
}

TEST_F(Posix, AnOpenFileIsKnownAsItWasWhenItWasOpened) {
  const auto file = posix().open_read(put("a", "old"));
  const Identity before = file->identity();
  EXPECT_TRUE(is_unchanged(file->identity_when_opened(), before));
  put("a", "longer");
  EXPECT_EQ(file->identity().bytes, 6U);
  EXPECT_TRUE(is_unchanged(file->identity_when_opened(), before));
}

TEST_F(Posix, SyncDirectoryNamesTheMissingDirectory) {
  const Error error = error_of([&] { posix().sync_directory(at("no/file")); });
  EXPECT_EQ(error.code(), Code::not_found);
  EXPECT_EQ(error.facts().path, at("no"));
}

int link_here(const std::string& from, const std::string& to) noexcept {
  struct stat before {};
  return ::lstat(from.c_str(), &before) == 0 ? publish_by_link(from, to, before) : errno;
}
int publish_here(const std::string& from, const std::string& to) noexcept { return Publisher().publish(from, to); }
using PublishFunction = int (*)(const std::string&, const std::string&) noexcept;
class Publish : public Posix, public ::testing::WithParamInterface<std::pair<const char*, PublishFunction>> {};
INSTANTIATE_TEST_SUITE_P(EveryWay, Publish,
                         ::testing::Values(std::pair("rename", &publish_by_rename), std::pair("link", &link_here),
                                           std::pair("check", &publish_by_check), std::pair("best", &publish_here)),
                         [](const auto& test) { return test.param.first; });

TEST_P(Publish, MovesToAFreeName) {
  const std::string from = put("a", "new");
  const int reason = GetParam().second(from, at("b"));
  if (reason == EINVAL && GetParam().first == std::string("rename")) GTEST_SKIP() << "not on this file system";
  ASSERT_EQ(reason, 0);
  EXPECT_EQ(get("b"), "new");
  EXPECT_FALSE(std::filesystem::exists(from));
}

TEST_P(Publish, LeavesAnExistingFileAlone) {
  const std::string from = put("a", "new");
  put("b", "old");
  EXPECT_EQ(GetParam().second(from, at("b")), EEXIST);
  EXPECT_EQ(get("b"), "old");
  EXPECT_EQ(get("a"), "new");
}

TEST_P(Publish, ReportsAMissingSource) { EXPECT_EQ(GetParam().second(at("no"), at("b")), ENOENT); }

int refusals = 0;
int refused(const std::string&, const std::string&) noexcept {
  ++refusals;
  return EINVAL;
}
template <int reason>
int fails(const std::string&, const std::string&, const struct stat&) noexcept {
  return reason;
}

// OrangeFS says ENOENT where it means that it has no links, others other things.
TEST_F(Posix, APathIsPublishedWhereNeitherRenameNorLinkIsToBeHad) {
  for (const auto link :
       {&fails<ENOENT>, &fails<EPERM>, &fails<EIO>, &fails<EACCES>, &fails<ENOTSUP>, &fails<ENOTTY>}) {
    Publisher publisher({refused, link});
    const std::string from = put("a", "new");
    ASSERT_EQ(publisher.publish(from, at("b")), 0);
    EXPECT_EQ(get("b"), "new");
    EXPECT_FALSE(std::filesystem::exists(from));
    put("a", "newer");
    EXPECT_EQ(publisher.publish(from, at("b")), EEXIST);
    EXPECT_EQ(get("b"), "new");
    EXPECT_EQ(get("a"), "newer");
    EXPECT_EQ(publisher.publish(at("no"), at("c")), ENOENT);
    std::filesystem::remove(at("b"));
  }
  EXPECT_EQ(Publisher({refused, fails<EEXIST>}).publish(put("a", "new"), at("b")), EEXIST);
  EXPECT_EQ(get("a"), "new");
}

// There it is a request to servers each time.
TEST_F(Posix, ARenameThatAFileSystemDoesNotKnowIsAskedForOnce) {
  Publisher publisher({refused, publish_by_link});
  refusals = 0;
  for (const char* name : {"b", "c", "d"}) ASSERT_EQ(publisher.publish(put("a", name), at(name)), 0);
  EXPECT_EQ(refusals, 1);
  EXPECT_EQ(get("b") + get("c") + get("d"), "bcd");
  EXPECT_EQ(publisher.publish(put("a", "new"), at("b")), EEXIST);
  EXPECT_EQ(refusals, 1);
  // Another mount, where there is one.
  struct stat here {};
  struct stat there {};
  std::string elsewhere = "/dev/shm/limequat-XXXXXX";
  if (::stat("/dev/shm", &there) != 0 || ::stat(at(".").c_str(), &here) != 0 || here.st_dev == there.st_dev) return;
  ASSERT_NE(::mkdtemp(elsewhere.data()), nullptr);
  std::ofstream(elsewhere + "/a") << "new";
  EXPECT_EQ(publisher.publish(elsewhere + "/a", elsewhere + "/b"), 0);
  EXPECT_EQ(refusals, 2);
  std::filesystem::remove_all(elsewhere);
}

}  // namespace
}  // namespace lq::storage
