// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Memory that runs out on one of the nodes while fields are written and read through QIO's interface: at every
// allocation, once or for good. Claim: nobody waits indefinitely, all nodes get the same code, and what is read without
// one is right.
#include <qio.h>

#include <string>

#include "mpi/memory_faults.hpp"
#include "tests/qio/fields.hpp"

namespace lq::testing {
namespace {

struct Case {
  const char* name;
  int volfmt;
  bool written_in_slices, read_in_slices;
  int bad_rank;
  bool for_good;
};

class QioMemory : public ::testing::TestWithParam<Case> {
 protected:
  // Collective. As memory_faults_in().
  template <class Work>
  static int faults_in(bool in_slices, const Work& work) {
    deal_sites(in_slices);
    return memory_faults_in(GetParam().bad_rank, GetParam().for_good, [&](HeldMemory* memory) {
      const OwnedBy owner(memory);
      return work() == QIO_SUCCESS;
    });
  }

  SharedDirectory directory_;
  const std::string path_ = directory_ / "f.lime";
};

TEST_P(QioMemory, RunsOutOnOneNodeAndAllKnow) {
  if (world_size() != 2) GTEST_SKIP() << "two nodes";
  const Case& now = GetParam();
  EXPECT_GE(faults_in(now.written_in_slices, [&] { return write_fields(path_, now.volfmt); }), 20);
  EXPECT_GE(faults_in(now.read_in_slices, [&] { return read_fields(path_); }), 20);
}

INSTANTIATE_TEST_SUITE_P(
    OnOneNode, QioMemory,
    ::testing::Values(Case{"boxes_of_root_once", QIO_SINGLEFILE, true, true, 0, false},
                      Case{"boxes_of_last_for_good", QIO_SINGLEFILE, true, true, 1, true},
                      Case{"single_sites_of_last_once", QIO_SINGLEFILE, false, false, 1, false},
                      Case{"single_sites_of_root_for_good", QIO_SINGLEFILE, false, false, 0, true},
                      Case{"parts_of_root_once", QIO_PARTFILE, true, true, 0, false},
                      Case{"parts_of_last_for_good", QIO_PARTFILE_DIR, false, false, 1, true},
                      Case{"parts_of_other_nodes_of_last_once", QIO_PARTFILE, true, false, 1, false},
                      Case{"parts_of_other_nodes_of_root_for_good", QIO_MULTIFILE, false, true, 0, true}),
    [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace lq::testing
