// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Memory that runs out on one of two ranks in collective calls of the C interface: at every allocation, once or for
// good. Claim: nobody waits for ever, and all ranks get the same status.
#include <limequat_mpi.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "mpi/memory_faults.hpp"

namespace lq::testing {
namespace {

constexpr std::array<std::int64_t, 4> lattice{4, 2, 2, 4};
constexpr std::size_t local_sites = 32, gauge_numbers = 72, spinor_numbers = 24;

struct Case {
  const char* name;
  int bad_rank;
  bool for_good;
};

// Owns what a function of the interface hands out.
template <class Handle, void (*release)(Handle*)>
class Held {
 public:
  Held() = default;
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held() { reset(); }
  void reset() noexcept { release(std::exchange(handle_, nullptr)); }
  Handle** place() noexcept { return &handle_; }
  Handle* get() const noexcept { return handle_; }

 private:
  Handle* handle_ = nullptr;
};
using HeldGrid = Held<lq_grid, lq_grid_free>;
using HeldPending = Held<lq_pending, lq_pending_free>;

lq_write_options replacing() {
  lq_write_options options;
  lq_write_options_init(&options, sizeof options);
  options.overwrite = 1;
  options.sync = LQ_SYNC_NONE;
  return options;
}

class CMemory : public ::testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    if (world_size() != 2) GTEST_SKIP() << "two ranks";
    for (std::size_t i = 0; i < numbers_.size(); ++i) numbers_[i] = static_cast<double>(i) + 1000.0 * world_rank();
    ASSERT_EQ(make(grid_), LQ_OK);
    ASSERT_EQ(lq_communicator_mpi(MPI_COMM_WORLD, all_.place()), LQ_OK);
  }

  static lq_status make(HeldGrid& grid) {
    const std::array<std::int64_t, 4> processes{1, 1, 1, 2};
    lq_grid_options options;
    lq_grid_options_init(&options, sizeof options);
    options.processes = processes.data();
    return lq_grid_mpi_with(lattice.data(), 4, MPI_COMM_WORLD, &options, grid.place());
  }

  lq_scan_options scan_by_all() const {
    lq_scan_options scan;
    lq_scan_options_init(&scan, sizeof scan);
    scan.communicator = all_.get();
    return scan;
  }

  // Collective. Steps until one does not succeed; each gives all ranks the same status.
  template <class... Steps>
  static bool all_succeed(const Steps&... steps) {
    return (succeeds(steps) && ...);
  }
  template <class Step>
  static bool succeeds(const Step& step) {
    const int mine = step();
    const OwnedBy nobody(nullptr);
    const int status = same(mine);
    EXPECT_TRUE(status == LQ_OK || status == LQ_OUT_OF_MEMORY) << status << " " << lq_error_text();
    return status == LQ_OK;
  }

  // Collective. As memory_faults_in().
  template <class Work>
  static int faults_in(const Work& work) {
    return memory_faults_in(GetParam().bad_rank, GetParam().for_good, [&](HeldMemory* memory) {
      const OwnedBy owner(memory);
      return work();
    });
  }

  SharedDirectory directory_;
  std::vector<double> numbers_ = std::vector<double>(local_sites * gauge_numbers), back_ = numbers_;
  HeldGrid grid_;
  Held<lq_communicator, lq_communicator_free> all_;
};

TEST_P(CMemory, RunsOutWhereGridsAndCommunicatorsAreMade) {
  EXPECT_GE(faults_in([&] {
              HeldGrid grid;
              return succeeds([&] { return make(grid); });
            }),
            5);
  EXPECT_GE(faults_in([&] {
              Held<lq_communicator, lq_communicator_free> all;
              return succeeds([&] { return lq_communicator_mpi(MPI_COMM_WORLD, all.place()); });
            }),
            2);
}

TEST_P(CMemory, RunsOutWhileFieldsAreWrittenAndRead) {
  const std::string path = directory_ / "a file whose name is too long for a string that needs no memory.ildg";
  const lq_write_options how = replacing();
  const auto write = [&] {
    HeldPending pending;
    return all_succeed(
        [&] { return lq_write(path.c_str(), grid_.get(), lq_gauge_f64(numbers_.data()), &how); },
        [&] { return lq_write_async(path.c_str(), grid_.get(), lq_gauge_f64(numbers_.data()), &how, pending.place()); },
        [&] { return lq_pending_wait(pending.get(), nullptr); });
  };
  EXPECT_GE(faults_in(write), 20);
  const auto read = [&] {
    HeldPending pending;
    return all_succeed(
        [&] { return lq_read(path.c_str(), grid_.get(), lq_gauge_f64(back_.data()), nullptr); },
        [&] { return lq_read_async(path.c_str(), grid_.get(), lq_gauge_f64(back_.data()), nullptr, pending.place()); },
        [&] { return lq_pending_wait(pending.get(), nullptr); });
  };
  EXPECT_GE(faults_in(read), 20);
  EXPECT_EQ(back_, numbers_);
}

TEST_P(CMemory, RunsOutWithFilesThatStayOpen) {
  const std::string path = directory_ / "a file whose name is too long for a string that needs no memory.lime";
  const lq_write_options how = replacing();
  const auto write = [&] {
    Held<lq_writer, lq_writer_free> writer;
    return all_succeed(
        [&] { return lq_writer_create(path.c_str(), grid_.get(), &how, writer.place()); },
        [&] { return lq_writer_write(writer.get(), "links", lq_gauge_f64(numbers_.data()), nullptr, 0, nullptr); },
        [&] { return lq_writer_record(writer.get(), "note", "of the test", 11); },
        [&] { return lq_writer_close(writer.get()); });
  };
  EXPECT_GE(faults_in(write), 20);
  const lq_scan_options scan = scan_by_all();
  const auto read = [&] {
    Held<lq_file, lq_file_free> file;
    Held<lq_catalog, lq_catalog_free> catalog;
    HeldPending pending;
    return all_succeed([&] { return lq_catalog_open(path.c_str(), &scan, catalog.place()); },
                       [&] { return lq_file_open(path.c_str(), &scan, file.place()); },
                       [&] { return lq_file_read(file.get(), grid_.get(), lq_gauge_f64(back_.data()), nullptr); },
                       [&] {
                         return lq_file_read_async(file.get(), grid_.get(), lq_gauge_f64(back_.data()), nullptr,
                                                   pending.place());
                       },
                       [&] { return lq_pending_wait(pending.get(), nullptr); });
  };
  EXPECT_GE(faults_in(read), 20);
  EXPECT_EQ(back_, numbers_);
}

TEST_P(CMemory, RunsOutWithSetsOfModes) {
  const std::string path = directory_ / "a set whose name is too long for a string that needs no memory.modes";
  const lq_write_options how = replacing();
  lq_modes_description description;
  lq_modes_description_init(&description, sizeof description);
  description.dimensions = 4;
  std::ranges::copy(lattice, description.lattice);
  description.operator_name = "hermitian Wilson-Dirac";
  const lq_mode mode{0.5, 0, 1e-9};
  const auto write = [&] {
    Held<lq_modes_writer, lq_modes_writer_free> writer;
    const bool is_made = all_succeed(
        [&] { return lq_modes_create(path.c_str(), grid_.get(), &description, &how, writer.place()); },
        [&] { return lq_modes_writer_append(writer.get(), lq_spinor_f64(numbers_.data()), &mode, nullptr); });
    writer.reset();  // only one writer has the set open
    return is_made && succeeds([&] { return lq_modes_append(path.c_str(), grid_.get(), &how, writer.place()); });
  };
  EXPECT_GE(faults_in(write), 20);
  const lq_scan_options scan = scan_by_all();
  const auto read = [&] {
    Held<lq_modes, lq_modes_free> set;
    HeldPending pending;
    return all_succeed([&] { return lq_modes_open(path.c_str(), &scan, set.place()); },
                       [&] { return lq_modes_read(set.get(), 0, grid_.get(), lq_spinor_f64(back_.data()), nullptr); },
                       [&] {
                         return lq_modes_read_async(set.get(), 0, grid_.get(), lq_spinor_f64(back_.data()), nullptr,
                                                    pending.place());
                       },
                       [&] { return lq_pending_wait(pending.get(), nullptr); });
  };
  EXPECT_GE(faults_in(read), 20);
  EXPECT_TRUE(std::equal(back_.begin(), back_.begin() + local_sites * spinor_numbers, numbers_.begin()));
}

TEST_P(CMemory, RunsOutWithMultifiles) {
  const std::string path = directory_ / "a set whose name is too long for a string that needs no memory.sion";
  lq_multifile_options how;
  lq_multifile_options_init(&how, sizeof how);
  how.communicator = all_.get();
  how.overwrite = 1;
  const auto write = [&] {
    Held<lq_multifile_writer, lq_multifile_writer_free> writer;
    return all_succeed([&] { return lq_multifile_create(path.c_str(), &how, writer.place()); },
                       [&] {
                         return lq_multifile_write_field(writer.get(), "links", grid_.get(),
                                                         lq_gauge_f64(numbers_.data()), nullptr);
                       },
                       [&] { return lq_multifile_close(writer.get()); });
  };
  EXPECT_GE(faults_in(write), 20);
  lq_multifile_read_options of_all;
  lq_multifile_read_options_init(&of_all, sizeof of_all);
  of_all.communicator = all_.get();
  const auto read = [&] {
    Held<lq_multifile_reader, lq_multifile_reader_free> reader;
    return all_succeed([&] { return lq_multifile_open(path.c_str(), &of_all, reader.place()); },
                       [&] {
                         return lq_multifile_read_field(reader.get(), "links", grid_.get(), lq_gauge_f64(back_.data()),
                                                        nullptr);
                       });
  };
  EXPECT_GE(faults_in(read), 20);
  EXPECT_EQ(back_, numbers_);
}

INSTANTIATE_TEST_SUITE_P(OnOneRank, CMemory,
                         ::testing::Values(Case{"of_root_once", 0, false}, Case{"of_root_for_good", 0, true},
                                           Case{"of_last_once", 1, false}, Case{"of_last_for_good", 1, true}),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace lq::testing
