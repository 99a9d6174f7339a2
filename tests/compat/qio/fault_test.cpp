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

#include "compat/qio/fields.hpp"
#include "mpi/harness.hpp"
#include "support/faulty.hpp"
#include "support/file_contents.hpp"

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

  // Collective. The folder anew, empty or with files that have been there.
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

  // Calls work(k) with the k-th operation of one node failing, for each node, until it is not reached any more.
  template <class Work>
  void with_each_fault(Fault fault, Work&& work) {
    for (int unlucky = 0; unlucky < world_size(); ++unlucky) {
      for (std::int64_t k = 0;; ++k) {
        ASSERT_LT(k, 200);
        testing::FaultyTransport faulty(transport::posix(), world_rank() == unlucky ? k : -1, fault);
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
        const transport::Mount mount(folder_, faulty);
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
      const transport::Mount mount(folder_, faulty);
      code = testing::write_fields(path_, GetParam().volfmt);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (code == 0) {
      EXPECT_TRUE(all_files_in(folder_) == wanted) << k;
    } else {
      EXPECT_EQ(testing::contents(path_).substr(0, 3), "old") << k;
    }
    return testing::anywhere(faulty.has_failed());
  });
  ::unsetenv("LIMEQUAT_QIO_RENAME");
}

TEST_P(QioFault, Reading) {
  start_anew(false);
  ASSERT_EQ(testing::write_fields(path_, GetParam().volfmt), 0);
  ASSERT_EQ(testing::read_fields(path_), 0);
  with_each_fault(Fault::error, [&](testing::FaultyTransport& faulty, std::int64_t) {
    const transport::Mount mount(folder_, faulty);
    testing::read_fields(path_);
    return testing::anywhere(faulty.has_failed());
  });
}

INSTANTIATE_TEST_SUITE_P(Volumes, QioFault,
                         ::testing::Values(Case{QIO_SINGLEFILE}, Case{QIO_SINGLEFILE, true}, Case{QIO_PARTFILE},
                                           Case{QIO_PARTFILE_DIR}));

}  // namespace
}  // namespace lq
