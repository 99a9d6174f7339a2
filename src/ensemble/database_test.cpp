// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Errors of the system that SQLite meets: each has its code, and names the catalogue.
#include "ensemble/database.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <limequat/ensemble.hpp>

#include "support/error_of.hpp"
#include "support/scratch_directory.hpp"

namespace lq::ensemble {
namespace {

int why_journals_fail = 0;

// Journals cannot be created; SQLite then tries to open them for reading.
int open_but_journals(const char* path, int flags, int mode) {
  if ((flags & O_CREAT) != 0 && std::string_view(path).ends_with("-journal")) {
    errno = why_journals_fail;
    return -1;
  }
  return ::open(path, flags, mode);
}

class WithoutJournals {
 public:
  explicit WithoutJournals(int reason) {
    why_journals_fail = reason;
    set(reinterpret_cast<sqlite3_syscall_ptr>(&open_but_journals));
  }
  ~WithoutJournals() { set(nullptr); }
  WithoutJournals(const WithoutJournals&) = delete;
  WithoutJournals& operator=(const WithoutJournals&) = delete;

 private:
  static void set(sqlite3_syscall_ptr call) {
    sqlite3_vfs* const system = sqlite3_vfs_find(nullptr);
    system->xSetSystemCall(system, "open", call);
  }
};

TEST(Catalogue, TellsWhyItsJournalCannotBeOpened) {
  const testing::ScratchDirectory folder;
  const std::string path = folder / "c.db";
  const std::string files = folder / "files";
  std::filesystem::create_directory(files);
  const CatalogueOptions options{.db = path};
  // Of other reasons than missing rights SQLite only knows that there is no such file.
  const std::vector<std::pair<int, Code>> cases = {{EIO, Code::io}, {ENXIO, Code::io}, {EACCES, Code::no_permission}};
  for (const bool is_new : {true, false}) {
    for (const auto& [reason, code] : cases) {
      if (is_new) std::filesystem::remove(path);
      if (!is_new) index({files}, options);
      const WithoutJournals without(reason);
      const Error error = testing::error_of([&] {
        Database database(path, is_new ? Opening::create : Opening::existing);
        database.run("CREATE TABLE more (number INTEGER)");
      });
      EXPECT_EQ(error.code(), code) << reason << ": " << error.what();
      EXPECT_EQ(error.facts().path, path);
    }
  }
}

TEST(Catalogue, IsNotFoundWhereItsFolderIsNot) {
  const testing::ScratchDirectory folder;
  EXPECT_EQ(testing::error_of([&] { Database(folder / "no/c.db", Opening::create); }).code(), Code::not_found);
}

}  // namespace
}  // namespace lq::ensemble
