// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A catalogue while files are indexed, and its page: every call of the system by which SQLite changes files, or
// operation of the storage, fails, or the program dies there. Claim: the catalogue is never damaged, has entries that
// are right, and the next index makes it whole; a page is the old one or the new one.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <string>

#include <limequat/limequat.hpp>

#include "support/error_of.hpp"
#include "support/faulty.hpp"
#include "support/file_contents.hpp"
#include "support/scratch_directory.hpp"

namespace lq {
namespace {

namespace fs = std::filesystem;
using testing::dies_in;
using testing::error_of;

// What SQLite calls; number `at` of these calls fails, or none.
struct SystemCalls {
  std::int64_t at = -1, seen = 0;
  bool kills = false;

  bool fails() {
    if (seen++ != at) return false;
    if (kills) ::raise(SIGKILL);
    errno = EIO;
    return true;
  }
};
SystemCalls calls;

int open_or_fail(const char* path, int flags, int mode) {
  return (flags & O_CREAT) != 0 && calls.fails() ? -1 : ::open(path, flags, mode);
}
ssize_t pwrite_or_fail(int file, const void* bytes, std::size_t count, off_t offset) {
  return calls.fails() ? -1 : ::pwrite(file, bytes, count, offset);
}
int ftruncate_or_fail(int file, off_t bytes) { return calls.fails() ? -1 : ::ftruncate(file, bytes); }
int unlink_or_fail(const char* path) { return calls.fails() ? -1 : ::unlink(path); }

template <class Call>
void intercept(const char* name, Call call) {
  sqlite3_vfs* const vfs = sqlite3_vfs_find(nullptr);
  ASSERT_EQ(vfs->xSetSystemCall(vfs, name, reinterpret_cast<sqlite3_syscall_ptr>(call)), SQLITE_OK) << name;
}

class IndexFault : public ::testing::Test {
 protected:
  IndexFault() {
    intercept("open", open_or_fail);
    intercept("pwrite", pwrite_or_fail);
    intercept("pwrite64", pwrite_or_fail);
    intercept("ftruncate", ftruncate_or_fail);
    intercept("unlink", unlink_or_fail);
    fs::create_directory(folder_);
    for (int k = 0; k < 3; ++k) add_file(k);
  }
  ~IndexFault() override {
    sqlite3_vfs* const vfs = sqlite3_vfs_find(nullptr);
    vfs->xSetSystemCall(vfs, nullptr, nullptr);
  }

  void add_file(int k) const {
    const Grid grid({2, 2, 2, 4});
    std::vector<double> links(grid.local_volume() * 72);
    generate(grid, gauge(links), {.sweeps = 1, .seed = static_cast<std::uint64_t>(k)});
    write(folder_ + "/conf." + std::to_string(k) + ".ildg", grid, gauge(links));
  }
  std::uint64_t index() const { return ensemble::index({folder_}, {.db = db_}).files; }
  std::size_t entries() const {
    const ensemble::Found found = ensemble::find("", {.db = db_});
    for (const ensemble::Entry& entry : found.files) {
      EXPECT_TRUE(entry.format == "ildg" && entry.lattice == "2x2x2x4" && entry.state == "indexed") << entry.path;
    }
    return found.files.size();
  }
  void put_back(const std::string& before) const {
    for (const char* suffix : {"", "-journal", "-wal", "-shm"}) fs::remove(db_ + suffix);
    if (!before.empty()) testing::put_contents(db_, before);
  }

  // From a catalogue with these bytes and `least` entries, or none.
  void fail_everywhere(const std::string& before, std::size_t least, std::size_t all, bool kills) {
    std::int64_t k = 0;
    for (;; ++k) {
      SCOPED_TRACE(::testing::Message() << "call " << k << (kills ? ", killed" : ""));
      ASSERT_LT(k, 500);
      put_back(before);
      bool has_failed = false;
      if (kills) {
        has_failed = dies_in([&] {
          calls = {.at = k, .kills = true};
          index();
        });
      } else {
        calls = {.at = k};
        const Error error = error_of([&] { index(); });
        has_failed = calls.seen > k;
        calls = {};
        // SQLite opens what cannot be written to for reading, and says of what cannot be made that it is not there.
        const bool is_storage = error.code() == Code::io || error.code() == Code::no_permission;
        EXPECT_TRUE(error.code() == Code::ok || is_storage || error.code() == Code::not_found) << error.what();
      }
      if (!has_failed) break;
      std::size_t found = 0;
      const Error error = error_of([&] { found = entries(); });
      // One that did not come to have tables is like none.
      EXPECT_TRUE(error.code() == Code::ok || (before.empty() && error.code() == Code::not_found)) << error.what();
      EXPECT_TRUE(found >= least && found <= all) << found;
      EXPECT_EQ(index(), all);
      EXPECT_EQ(entries(), all);
      if (HasFailure()) return;
    }
    EXPECT_GE(k, 5);
  }

  testing::ScratchDirectory directory_;
  const std::string folder_ = directory_ / "files", db_ = directory_ / "lq.db";
};

TEST_F(IndexFault, OfANewCatalogue) {
  for (const bool kills : {false, true}) fail_everywhere("", 0, 3, kills);
}

TEST_F(IndexFault, OfTheFileOfANewCatalogue) {
  const std::string there = directory_ / "catalogues", db = there + "/lq.db";
  for (std::int64_t k = 0;; ++k) {
    SCOPED_TRACE(::testing::Message() << "operation " << k);
    ASSERT_LT(k, 100);
    fs::remove_all(there);
    fs::create_directory(there);
    testing::FaultyTransport faulty(storage::posix(), k, testing::Fault::error);
    {
      const storage::Mount mount(there, faulty);
      const Error error = error_of([&] { ensemble::index({folder_}, {.db = db}); });
      if (!faulty.has_failed()) break;
      // Nothing is left of a catalogue that could not be written.
      EXPECT_EQ(testing::files_in(there).size(), error.code() == Code::ok ? 1U : 0U) << error.what();
    }
    EXPECT_EQ(ensemble::index({folder_}, {.db = db}).files, 3U);
    if (HasFailure()) return;
  }
}

TEST_F(IndexFault, OfACatalogueThatGrows) {
  index();
  const std::string before = testing::contents(db_);
  add_file(3);
  for (const bool kills : {false, true}) fail_everywhere(before, 3, 4, kills);
}

TEST_F(IndexFault, OfAPageThatReplacesAnother) {
  index();
  const std::string there = directory_ / "pages", page = there + "/page.html";
  for (const testing::Fault fault : {testing::Fault::error, testing::Fault::kill}) {
    for (std::int64_t k = 0;; ++k) {
      SCOPED_TRACE(::testing::Message() << "operation " << k);
      ASSERT_LT(k, 200);
      fs::remove_all(there);
      fs::create_directory(there);
      testing::put_contents(page, "the old page");
      const auto report = [&](std::int64_t at) {
        testing::FaultyTransport faulty(storage::posix(), at, fault);
        const storage::Mount mount(there, faulty);
        const Error error = error_of([&] { ensemble::report_page({}, page, {.db = db_, .overwrite = true}); });
        return faulty.has_failed();
      };
      bool has_failed = false;
      if (fault == testing::Fault::kill) {
        has_failed = dies_in([&] { report(k); });
      } else {
        has_failed = report(k);
      }
      const std::string now = testing::contents(page);
      EXPECT_TRUE(now == "the old page" || now.ends_with("</html>\n")) << now.size() << " bytes";
      if (fault == testing::Fault::error) {
        EXPECT_EQ(testing::files_in(there).size(), 1U);
      }
      if (!has_failed) break;
      if (HasFailure()) return;
    }
  }
}

}  // namespace
}  // namespace lq
