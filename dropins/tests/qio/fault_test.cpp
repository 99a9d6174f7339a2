// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Files through QIO's interface on a file system of which, on one node, the k-th operation fails: every call returns
// one code on all nodes, none of them is left waiting, what has the file's name is the old file or the new one, and
// data are right or refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <regex>
#include <string>
#include <vector>

#include "base/path.hpp"
#include "io/replacement.hpp"
#include "mpi/harness.hpp"
#include "support/faulty.hpp"
#include "support/file_contents.hpp"
#include "support/interrupted.hpp"
#include "tests/qio/fields.hpp"

namespace lq {
namespace {

namespace fs = std::filesystem;
using testing::Fault;
using testing::world_rank;
using testing::world_size;

// By name, without dates.
std::string all_files_in(const std::string& folder) {
  static const std::regex date("<date>[^<]*</date>");
  std::vector<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) names.push_back(entry.path());
  }
  std::sort(names.begin(), names.end());
  std::string all;
  for (const std::string& name : names) {
    all += name.substr(folder.size()) + "\n" + std::regex_replace(testing::contents(name), date, "<date/>");
  }
  return all;
}

struct Case {
  int volfmt;
  bool has_slices = false;
};

class QioFault : public ::testing::TestWithParam<Case> {
 protected:
  void SetUp() override { testing::deal_sites(GetParam().has_slices); }

  // Collective. The folder again, empty or with files that have been there.
  void start_anew(bool with_old) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (world_rank() == 0) {
      fs::remove_all(folder_);
      fs::create_directory(folder_);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (with_old && world_rank() == 0) testing::put_contents(path_, "old contents");
    MPI_Barrier(MPI_COMM_WORLD);
  }

  // Collective. As `lq repair` does.
  void settle() {
    MPI_Barrier(MPI_COMM_WORLD);
    if (world_rank() == 0) io::settle_replacement(storage::posix(), path_ + ".vol0000", Sync::none);
    MPI_Barrier(MPI_COMM_WORLD);
  }

  // Calls work(k) with the k-th operation of one node failing, for each node, until it is not reached any more. Nodes
  // but the master die in one way: they are not heard of.
  template <class Work>
  void with_each_fault(Fault fault, Work&& work) {
    const int nodes = fault == Fault::gone ? 1 : world_size();
    for (int unlucky = 0; unlucky < nodes; ++unlucky) {
      for (std::int64_t k = 0;; ++k) {
        ASSERT_LT(k, 200);
        testing::FaultyTransport faulty(storage::posix(), world_rank() == unlucky ? k : -1, fault);
        if (!work(faulty, k)) break;
      }
    }
  }

  testing::SharedDirectory directory_;
  const std::string folder_ = directory_ / "files", path_ = folder_ + "/f.lime";
};

TEST_P(QioFault, WritingInPlace) {
  ::unsetenv("LIMEQUAT_QIO_RENAME");
  start_anew(false);
  ASSERT_EQ(testing::write_fields(path_, GetParam().volfmt), 0);
  const std::string wanted = all_files_in(folder_);
  for (const Fault fault : {Fault::error, Fault::short_write, Fault::no_space}) {
    with_each_fault(fault, [&](testing::FaultyTransport& faulty, std::int64_t k) {
      start_anew(false);
      int code = 0;
      {
        const storage::Mount mount(folder_, faulty);
        code = testing::write_fields(path_, GetParam().volfmt);
      }
      MPI_Barrier(MPI_COMM_WORLD);
      if (code == 0) {
        EXPECT_TRUE(all_files_in(folder_) == wanted) << k;
      }
      return testing::anywhere(faulty.has_failed());
    });
  }
}

TEST_P(QioFault, WritingWithRename) {
  ::setenv("LIMEQUAT_QIO_RENAME", "1", 1);
  start_anew(true);
  const std::string old = all_files_in(folder_);
  ASSERT_EQ(testing::write_fields(path_, GetParam().volfmt), 0);
  const std::string wanted = all_files_in(folder_);
  with_each_fault(Fault::error, [&](testing::FaultyTransport& faulty, std::int64_t k) {
    start_anew(true);
    int code = 0;
    {
      const storage::Mount mount(folder_, faulty);
      code = testing::write_fields(path_, GetParam().volfmt);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    settle();
    if (code == 0) {
      EXPECT_TRUE(all_files_in(folder_) == wanted) << k;
    } else {
      EXPECT_EQ(testing::contents(path_).substr(0, 3), "old") << k;
    }
    return testing::anywhere(faulty.has_failed());
  });
  ::unsetenv("LIMEQUAT_QIO_RENAME");
}

// What was there is gone from the beginning, and is never mixed with what comes.
TEST_P(QioFault, WritingInPlaceOfOthers) {
  ::unsetenv("LIMEQUAT_QIO_RENAME");
  with_each_fault(Fault::error, [&](testing::FaultyTransport& faulty, std::int64_t k) {
    start_anew(false);
    EXPECT_EQ(testing::write_fields(path_, GetParam().volfmt, 0), 0);
    int code = 0, version = 0;
    {
      const storage::Mount mount(folder_, faulty);
      code = testing::write_fields(path_, GetParam().volfmt, 1);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    const int read = testing::read_fields(path_, &version);
    if (code == 0) {
      EXPECT_EQ(read, 0) << k;
      EXPECT_EQ(version, 1) << k;
    }
    return testing::anywhere(faulty.has_failed());
  });
}

// A node that died removes nothing.
class KeepsAll final : public storage::ForwardingTransport {
 public:
  using ForwardingTransport::ForwardingTransport;
  void remove(const std::string& path) override { throw Error(Code::io, path + ": this node is dead", {.path = path}); }
};

// The set that is there stays, or the new one is there: at any error of a node, and wherever the master dies.
TEST_P(QioFault, RenamingIsOldOrNew) {
  ::setenv("LIMEQUAT_QIO_RENAME", "1", 1);
  int were_new = 0, were_old = 0;
  const std::string kept = directory_ / "kept";
  if (world_rank() == 0) fs::create_directory(kept);
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_EQ(testing::write_fields(kept + "/f.lime", GetParam().volfmt, 0), 0);
  for (const Fault fault : {Fault::error, Fault::gone}) {
    with_each_fault(fault, [&](testing::FaultyTransport& faulty, std::int64_t k) {
      start_anew(false);
      if (world_rank() == 0) fs::copy(kept, folder_, fs::copy_options::recursive);
      MPI_Barrier(MPI_COMM_WORLD);
      KeepsAll keeps(faulty);
      int code = 0, version = 0;
      {
        storage::Transport& dying = keeps;
        const storage::Mount mount(folder_, fault == Fault::gone && world_rank() != 0 ? dying : faulty);
        code = testing::write_fields(path_, GetParam().volfmt, 1);
      }
      MPI_Barrier(MPI_COMM_WORLD);
      EXPECT_EQ(testing::read_fields(path_, &version), 0) << k;
      (version == 1 ? were_new : were_old) += 1;
      EXPECT_TRUE(code != 0 || version == 1) << k;
      const bool is_named = !fs::exists(io::replacement_path(path_ + ".vol0000"));
      settle();
      if (!testing::anywhere(!is_named)) return testing::anywhere(faulty.has_failed());
      int settled = 0;
      EXPECT_EQ(testing::read_fields(path_, &settled), 0) << k;
      EXPECT_EQ(settled, version) << k;
      return testing::anywhere(faulty.has_failed());
    });
  }
  EXPECT_GT(were_new, 0);
  EXPECT_GT(were_old, 0);
  ::unsetenv("LIMEQUAT_QIO_RENAME");
}

// Another program gives the names to a new set, at any operation of the master.
TEST_P(QioFault, ReadingWhileItIsReplaced) {
  const std::string other = directory_ / "new";
  start_anew(false);
  if (world_rank() == 0) fs::create_directory(other);
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_EQ(testing::write_fields(other + "/f.lime", GetParam().volfmt, 1), 0);
  const auto replace = [&] {
    std::vector<io::Renaming> files;
    for (const auto& entry : fs::recursive_directory_iterator(other)) {
      if (!entry.is_regular_file()) continue;
      const std::string to = folder_ + entry.path().string().substr(other.size());
      const std::string from = base::temporary_name(to, 0x1234abcd);
      fs::copy_file(entry.path(), from);
      files.push_back({from, to});
    }
    std::ranges::sort(files, {}, &io::Renaming::to);
    if (files.size() == 1) return storage::posix().rename(files[0].from, files[0].to);
    io::replace_together(
        storage::posix(), files, true, Sync::none, [] {}, io::files_of_set);
  };
  bool was_old = false, was_new = false;
  for (std::int64_t k = 0;; ++k) {
    ASSERT_LT(k, 300);
    start_anew(false);
    EXPECT_EQ(testing::write_fields(path_, GetParam().volfmt, 0), 0);
    testing::Interrupted interrupted(world_rank() == 0 ? k : -1, replace);
    int version = 0;
    {
      const storage::Mount mount(folder_, interrupted);
      EXPECT_EQ(testing::read_fields(path_, &version), 0) << k;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (!testing::anywhere(world_rank() == 0 && interrupted.was_interrupted())) break;
    (version == 1 ? was_new : was_old) = true;
    if (HasFailure()) break;
  }
  EXPECT_TRUE(was_old && was_new);
}

TEST_P(QioFault, Reading) {
  start_anew(false);
  ASSERT_EQ(testing::write_fields(path_, GetParam().volfmt), 0);
  ASSERT_EQ(testing::read_fields(path_), 0);
  with_each_fault(Fault::error, [&](testing::FaultyTransport& faulty, std::int64_t) {
    const storage::Mount mount(folder_, faulty);
    testing::read_fields(path_);
    return testing::anywhere(faulty.has_failed());
  });
}

INSTANTIATE_TEST_SUITE_P(Volumes, QioFault,
                         ::testing::Values(Case{QIO_SINGLEFILE}, Case{QIO_SINGLEFILE, true}, Case{QIO_PARTFILE},
                                           Case{QIO_PARTFILE_DIR}));

}  // namespace
}  // namespace lq
