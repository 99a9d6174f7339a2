// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Files through QIO's interface on a file system of which, on one node, the k-th operation fails: every call returns
// one code on all nodes, none of them is left waiting, what has the file's name is the old file or the new one, and
// data are right or refused.
#include <gtest/gtest.h>
#include <mpi.h>
#include <qio.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <regex>
#include <string>
#include <vector>

#include "mpi/harness.hpp"
#include "support/faulty.hpp"
#include "support/file_contents.hpp"

namespace lq {
namespace {

namespace fs = std::filesystem;
using testing::Fault;
using testing::world_rank;
using testing::world_size;

std::array<int, 4> lattice{6, 4, 4, 4};
constexpr int sites = 384, numbers = 6;

// Each node has time slices; else sites are dealt out in turn, so that none has a neighbour on its node.
bool has_slices = false;

int site_of(int node, int index) {
  return has_slices ? node * (sites / world_size()) + index : index * world_size() + node;
}
int node_number(const int x[]) {
  const int site = static_cast<int>(DML_lex_rank(x, 4, lattice.data()));
  return has_slices ? site / (sites / world_size()) : site % world_size();
}
int node_index(const int x[]) {
  const int site = static_cast<int>(DML_lex_rank(x, 4, lattice.data()));
  return has_slices ? site % (sites / world_size()) : site / world_size();
}
void get_coords(int x[], int node, int index) { DML_lex_coords(x, 4, lattice.data(), site_of(node, index)); }
int num_sites(int node) { return (sites - node + world_size() - 1) / world_size(); }

QIO_Layout layout() {
  QIO_Layout made{};
  made.node_number = node_number;
  made.node_index = node_index;
  made.get_coords = get_coords;
  made.num_sites = num_sites;
  made.latsize = lattice.data();
  made.latdim = 4;
  made.volume = sites;
  made.sites_on_node = static_cast<std::size_t>(num_sites(world_rank()));
  made.this_node = world_rank();
  made.number_of_nodes = world_size();
  return made;
}

float number_of(std::size_t index, int k) {
  return static_cast<float>(site_of(world_rank(), static_cast<int>(index)) * numbers + k);
}

void get(char* buf, size_t index, int, void*) {
  for (int k = 0; k < numbers; ++k) {
    const float number = number_of(index, k);
    std::memcpy(buf + 4 * k, &number, 4);
  }
}

void put(char* buf, size_t index, int, void* arg) {
  for (int k = 0; k < numbers; ++k) {
    const float number = number_of(index, k);
    if (std::memcmp(buf + 4 * k, &number, 4) != 0) ++*static_cast<int*>(arg);
  }
}

// Collective. The code, which must be the same on all nodes.
int same(int code) {
  std::array<int, 2> ends{code, -code}, most{};
  MPI_Allreduce(ends.data(), most.data(), 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  EXPECT_EQ(most[0], -most[1]) << "codes differ";
  return most[0] != 0 ? most[0] : -most[1];
}

bool on_any(bool here) {
  int mine = here ? 1 : 0, any = 0;
  MPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return any != 0;
}

// Two fields. Codes of opening (1: NULL), writing and closing.
int write_file(const std::string& path, int volfmt) {
  QIO_Layout nodes = layout();
  QIO_Oflag flags{QIO_SERIAL, QIO_TRUNC, QIO_ILDGNO, nullptr};
  QIO_String* const xml = QIO_string_create();
  QIO_string_set(xml, "<fault/>");
  QIO_Writer* const writer = QIO_open_write(xml, path.c_str(), volfmt, &nodes, nullptr, &flags);
  int code = same(writer == nullptr ? 1 : 0);
  char type[] = "T", f[] = "F";
  QIO_RecordInfo* const info = QIO_create_record_info(QIO_FIELD, nullptr, nullptr, 0, type, f, 3, 0, 4 * numbers, 1);
  for (int field = 0; field < 2 && writer != nullptr; ++field) {
    const int written = same(QIO_write(writer, info, xml, get, 4 * numbers, 4, nullptr));
    if (code == 0) code = written;
  }
  if (writer != nullptr) {
    const int closed = same(QIO_close_write(writer));
    if (code == 0) code = closed;
  }
  QIO_destroy_record_info(info);
  QIO_string_destroy(xml);
  return code;
}

// The first code that is not QIO_SUCCESS; what was read without one is right.
int read_file(const std::string& path) {
  QIO_Layout nodes = layout();
  QIO_String* const xml = QIO_string_create();
  QIO_Iflag flags{QIO_SERIAL, QIO_UNKNOWN};
  QIO_Reader* const reader = QIO_open_read(xml, path.c_str(), &nodes, nullptr, &flags);
  int code = same(reader == nullptr ? 1 : 0);
  static QIO_RecordInfo info;
  for (int field = 0; field < 2 && code == 0; ++field) {
    int mismatches = 0;
    code = same(QIO_read(reader, &info, xml, put, 4 * numbers, 4, &mismatches));
    if (code == 0) {
      EXPECT_EQ(mismatches, 0);
    }
  }
  if (reader != nullptr) QIO_close_read(reader);
  QIO_string_destroy(xml);
  return code;
}

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
  void SetUp() override { has_slices = GetParam().has_slices; }

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
  ASSERT_EQ(write_file(path_, GetParam().volfmt), 0);
  const std::string wanted = all_files_in(folder_);
  for (const Fault fault : {Fault::error, Fault::short_write, Fault::no_space}) {
    with_each_fault(fault, [&](testing::FaultyTransport& faulty, std::int64_t k) {
      start_anew(false);
      int code = 0;
      {
        const transport::Mount mount(folder_, faulty);
        code = write_file(path_, GetParam().volfmt);
      }
      MPI_Barrier(MPI_COMM_WORLD);
      if (code == 0) {
        EXPECT_TRUE(all_files_in(folder_) == wanted) << k;
      }
      return on_any(faulty.has_failed());
    });
  }
}

TEST_P(QioFault, WritingWithRename) {
  ::setenv("LIMEQUAT_QIO_RENAME", "1", 1);
  start_anew(true);
  const std::string old = all_files_in(folder_);
  ASSERT_EQ(write_file(path_, GetParam().volfmt), 0);
  const std::string wanted = all_files_in(folder_);
  with_each_fault(Fault::error, [&](testing::FaultyTransport& faulty, std::int64_t k) {
    start_anew(true);
    int code = 0;
    {
      const transport::Mount mount(folder_, faulty);
      code = write_file(path_, GetParam().volfmt);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (code == 0) {
      EXPECT_TRUE(all_files_in(folder_) == wanted) << k;
    } else {
      EXPECT_EQ(testing::contents(path_).substr(0, 3), "old") << k;
    }
    return on_any(faulty.has_failed());
  });
  ::unsetenv("LIMEQUAT_QIO_RENAME");
}

TEST_P(QioFault, Reading) {
  start_anew(false);
  ASSERT_EQ(write_file(path_, GetParam().volfmt), 0);
  ASSERT_EQ(read_file(path_), 0);
  with_each_fault(Fault::error, [&](testing::FaultyTransport& faulty, std::int64_t) {
    const transport::Mount mount(folder_, faulty);
    read_file(path_);
    return on_any(faulty.has_failed());
  });
}

INSTANTIATE_TEST_SUITE_P(Volumes, QioFault,
                         ::testing::Values(Case{QIO_SINGLEFILE}, Case{QIO_SINGLEFILE, true}, Case{QIO_PARTFILE},
                                           Case{QIO_PARTFILE_DIR}));

}  // namespace
}  // namespace lq
