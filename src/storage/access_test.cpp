// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Nobody may do more with a new file than with the one it replaces. Lists of access are written here byte by byte, as
// acl(5) and the kernel's posix_acl_xattr.h describe them.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include <limequat/error.hpp>

#include "storage/transport.hpp"
#include "support/ordinary_user.hpp"
#include "support/scratch_directory.hpp"

namespace lq::storage {
namespace {

using testing::OrdinaryUser;

class Access : public ::testing::Test {
 protected:
  std::string at(const std::string& name) { return directory_ / name; }
  // A file that is to be replaced.
  std::string put(const std::string& name, mode_t mode) {
    std::ofstream(at(name)) << "old";
    EXPECT_EQ(::chmod(at(name).c_str(), mode), 0);
    return at(name);
  }
  // A private one that will replace it.
  std::string create(const std::string& name) {
    posix().create(at(name), {.is_private = true});
    return at(name);
  }
  static unsigned mode_of(const std::string& path) {
    struct stat status {};
    EXPECT_EQ(::stat(path.c_str(), &status), 0);
    return status.st_mode & 07777;
  }
  testing::ScratchDirectory directory_;
};

struct Mask {
  explicit Mask(mode_t mask) : before(::umask(mask)) {}
  ~Mask() { ::umask(before); }
  mode_t before;
};

TEST_F(Access, OfAPrivateFileIsItsOwnersWhateverTheMaskPermits) {
  const Mask everything(0);
  EXPECT_EQ(mode_of(create("secret")), 0600u);
  posix().create(at("public"));
  EXPECT_EQ(mode_of(at("public")), 0666u);
}

TEST_F(Access, IsThatOfTheReplacedFile) {
  const std::string old = put("old", 0640), fresh = create("new");
  posix().copy_permissions(old, fresh);
  EXPECT_EQ(mode_of(fresh), 0640u);
}

// Group quotas: what lies in such a folder counts for its group.
TEST_F(Access, OfACopyInAFolderThatGivesItsGroupIsForThatGroup) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a folder to a group that it is not in";
  constexpr gid_t of_folder = 54321, of_source = 12345;
  const std::string old = put("old", 0640);
  ASSERT_EQ(::chown(old.c_str(), 0, of_source), 0);
  const auto group_of = [](const std::string& path) {
    struct stat status {};
    EXPECT_EQ(::stat(path.c_str(), &status), 0);
    return status.st_gid;
  };
  const std::string plain = create("plain");
  posix().give_permissions(old, plain);
  EXPECT_EQ(group_of(plain), of_source);
  ASSERT_EQ(::chown(at(".").c_str(), 0, of_folder), 0);
  ASSERT_EQ(::chmod(at(".").c_str(), 02775), 0);
  const std::string copy = create("copy"), replaced = create("replaced");
  posix().give_permissions(old, copy);
  posix().copy_permissions(old, replaced);
  EXPECT_EQ(group_of(copy), of_folder);
  constexpr uid_t somebody = 4321;
  ASSERT_EQ(::chown(old.c_str(), somebody, of_source), 0);
  const std::string of_somebody = create("of_somebody");
  posix().copy_permissions(old, of_somebody);
  struct stat status {};
  ASSERT_EQ(::stat(of_somebody.c_str(), &status), 0);
  EXPECT_EQ(status.st_uid, somebody);
  EXPECT_EQ(mode_of(copy), 0640u);
  EXPECT_EQ(group_of(replaced), of_source);
}

TEST_F(Access, ToWhatIsMadeOfAPrivateFileIsNotGivenToOthers) {
  const Mask usual(022);
  const auto made_of = [&](mode_t mode) {
    const std::string fresh = at("made" + std::to_string(mode));
    posix().create(fresh);
    posix().keep_private(put("like" + std::to_string(mode), mode), fresh);
    return mode_of(fresh);
  };
  EXPECT_EQ(made_of(0600), 0600u);
  EXPECT_EQ(made_of(0640), 0640u);
  EXPECT_EQ(made_of(0444), 0644u);
  EXPECT_EQ(made_of(0666), 0644u);
}

TEST_F(Access, ToWhatIsMadeOfAReadableFileIsThatOfTheUmask) {
  const Mask of_a_group(002);
  for (const auto& [mode, expected] :
       {std::pair<mode_t, mode_t>{0644, 0664}, {0444, 0664}, {0640, 0660}, {0600, 0600}}) {
    const std::string fresh = at("made" + std::to_string(mode));
    posix().create(fresh);
    posix().keep_private(put("like" + std::to_string(mode), mode), fresh);
    EXPECT_EQ(mode_of(fresh), expected) << mode;
  }
}

TEST_F(Access, OfTheGroupOfAPrivateFileIsNotGivenToAnotherGroup) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a file to a group that it is not in";
  const Mask usual(022);
  const std::string secret = put("secret", 0640), open = put("open", 0664), fresh = at("fresh"),
                    readable = at("readable");
  for (const std::string& path : {secret, open}) ASSERT_EQ(::chown(path.c_str(), 0, 54321), 0);
  for (const std::string& path : {fresh, readable}) posix().create(path);
  posix().keep_private(secret, fresh);
  posix().keep_private(open, readable);
  EXPECT_EQ(mode_of(fresh), 0600u);
  EXPECT_EQ(mode_of(readable), 0644u);
}

TEST_F(Access, OfAGroupThatCannotBeKeptIsDropped) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can make a file of a group that others cannot give";
  constexpr uid_t user = 65534;
  constexpr gid_t elsewhere = 54321;
  ASSERT_EQ(::chmod(at(".").c_str(), 0777), 0);
  const std::string old = put("old", 0664);
  ASSERT_EQ(::chown(old.c_str(), user, elsewhere), 0);
  const OrdinaryUser ordinary;
  const std::string fresh = create("new");
  posix().copy_permissions(old, fresh);
  EXPECT_EQ(mode_of(fresh), 0604u);
}

// user::rw-, user:1234:r--, group::---, mask::r--, other::---
const std::string list_of_one_reader(
    "\2\0\0\0"
    "\1\0\6\0\xff\xff\xff\xff"
    "\2\0\4\0\xd2\4\0\0"
    "\4\0\0\0\xff\xff\xff\xff"
    "\20\0\4\0\xff\xff\xff\xff"
    "\40\0\0\0\xff\xff\xff\xff",
    44);

bool set_list(const std::string& path, const char* kind) {
  return ::setxattr(path.c_str(), kind, list_of_one_reader.data(), list_of_one_reader.size(), 0) == 0;
}

std::string list_of(const std::string& path) {
  std::string list(100, '\0');
  const ssize_t bytes = ::getxattr(path.c_str(), "system.posix_acl_access", list.data(), list.size());
  list.resize(bytes < 0 ? 0 : static_cast<std::size_t>(bytes));
  return list;
}

TEST_F(Access, ByAListIsCopiedAsItIs) {
  const std::string old = put("old", 0600), fresh = create("new");
  if (!set_list(old, "system.posix_acl_access")) GTEST_SKIP() << "no access control lists here";
  posix().copy_permissions(old, fresh);
  EXPECT_EQ(list_of(fresh), list_of_one_reader);
  EXPECT_EQ(mode_of(fresh), 0640u);  // the mask, which is not what the group may do
}

TEST_F(Access, ByTheMaskOfAListIsNotGivenToTheGroup) {
  const std::string old = put("old", 0600), fresh = at("fresh");
  if (!set_list(old, "system.posix_acl_access")) GTEST_SKIP() << "no access control lists here";
  posix().create(fresh);
  posix().keep_private(old, fresh);
  EXPECT_EQ(mode_of(fresh), 0600u);
}

TEST_F(Access, ByAListOfTheFolderIsNotAdded) {
  const std::string old = put("old", 0640);
  if (!set_list(at("."), "system.posix_acl_default")) GTEST_SKIP() << "no access control lists here";
  const std::string fresh = create("new");
  ASSERT_NE(list_of(fresh), "");
  posix().copy_permissions(old, fresh);
  EXPECT_EQ(list_of(fresh), "");
  EXPECT_EQ(mode_of(fresh), 0640u);
}

TEST_F(Access, IsNotGivenThroughALink) {
  const std::string old = put("old", 0644), other = put("other", 0600);
  ASSERT_EQ(::symlink(other.c_str(), at("new").c_str()), 0);
  EXPECT_THROW(posix().copy_permissions(old, at("new")), Error);
  EXPECT_EQ(mode_of(other), 0600u);
}

}  // namespace
}  // namespace lq::storage
