// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// For every k: allocation number k of one rank fails, alone, or with all behind it, while HDF5 files are written, read
// and worked on by all ranks. Claim: nobody waits for ever, all ranks throw the same error or none, what is read is
// right, and the HDF5 library is left with nothing of the files that failed.
#include <gtest/gtest.h>
#include <hdf5.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <limequat/hdf5.hpp>
#include <limequat/limequat.hpp>

#include "hdf5/driver/driver.hpp"
#include "support/formula_field.hpp"
#include "support/memory_fault.hpp"
#include "support/parts_here.hpp"
#include "support/scratch_directory.hpp"

namespace lq {
namespace {

using testing::MemoryFaults;

const Extents small_lattice{2, 2, 2, 6};
constexpr int ranks_of_it = 3;

using Numbers = std::shared_ptr<std::vector<double>>;
using Work = std::function<void()>;

struct Scenario {
  const char* name;
  const char* chunk;
  const char* filters;
  Work (*make)(const Grid& grid, const std::string& path, const WriteOptions& options);
  bool writes;  // a new file; else one is there
};

Numbers formula_of(const Grid& grid) {
  return std::make_shared<std::vector<double>>(testing::formula_sites<double>(grid, 72));
}

Work write_field(const Grid& grid, const std::string& path, const WriteOptions& options) {
  return [=, values = formula_of(grid)] { write(path, grid, gauge(*values), options); };
}

Work read_field(const Grid& grid, const std::string& path, const WriteOptions&) {
  return [=, right = formula_of(grid), values = Numbers(new std::vector<double>(formula_of(grid)->size()))] {
    read(path, grid, gauge(*values));
    EXPECT_TRUE(*values == *right);
  };
}

Work use_objects(const Grid& grid, const std::string& path, const WriteOptions&) {
  const std::string folder = "a folder whose name is too long for a string without memory";
  return [=, note = hdf5::Array(folder)] {
    hdf5::File file(path, hdf5::Mode::create, grid.communicator());
    file.push(folder);
    file.set_attribute(".", folder, note);
    file.write("note", note);
    file.read("note");
    file.pop();
    file.ls();
    file.close();
  };
}

Work use_fields(const Grid& grid, const std::string& path, const WriteOptions& options) {
  return [=, values = formula_of(grid), back = formula_of(grid)] {
    hdf5::File file(path, hdf5::Mode::create, grid.communicator());
    file.write("links", grid, gauge(*values), options);
    file.read("links", grid, gauge(*back));
    file.close();
  };
}

// The driver that files of ours are opened with; as long as any of them is open, the library refers to it.
hid_t driver_of_ours() {
  const hdf5::Lock lock;
  hdf5::Image image("no file");
  hdf5::Handle file = hdf5::create_in(image);
  const hdf5::Handle access(H5Fget_access_plist(file.get()), H5Pclose);
  const hid_t driver = H5Pget_driver(access.get());
  hdf5::close_in(std::move(file), image);
  return driver;
}

struct Fault {
  int rank;
  bool for_good;
};

class Hdf5Files : public ::testing::TestWithParam<std::tuple<Scenario, Fault>> {};

TEST_P(Hdf5Files, EndOnAllRanksWhereMemoryRunsOutOnOne) {
  const auto& [scenario, fault] = GetParam();
  if (!testing::has_filters(scenario.filters)) GTEST_SKIP() << "built without libdeflate";
  const testing::ScratchDirectory directory;
  const std::string path = directory / "a file whose name is too long for a string without memory.h5";
  WriteOptions options;
  options.layout = "native";
  options.dataset_chunk = scenario.chunk;
  options.filters = scenario.filters;
  options.sync = Sync::none;
  if (!scenario.writes) {
    const Grid alone(small_lattice);
    write(path, alone, gauge(*formula_of(alone)), options);
  }
  const hid_t driver = driver_of_ours();
  ASSERT_EQ(H5Iget_ref(driver), 1);
  MemoryFaults faults(ranks_of_it, fault.rank, fault.for_good);
  const auto prepare = [&, &scenario = scenario](const Communicator& all) {
    return scenario.make(Grid(all, small_lattice, {.processes = Extents{1, 1, 1, ranks_of_it}}), path, options);
  };
  while (faults.next(prepare)) {
    if (scenario.writes) std::filesystem::remove(path);
    EXPECT_EQ(H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
    EXPECT_EQ(H5Iget_ref(driver), 1);
    ASSERT_FALSE(HasFailure()) << "allocation " << faults.allocations() - 1;
  }
  EXPECT_GE(faults.failures(), 10);
}

std::string name_of(const ::testing::TestParamInfo<Hdf5Files::ParamType>& info) {
  const auto& [scenario, fault] = info.param;
  return std::string(scenario.name) + "_rank" + std::to_string(fault.rank) + (fault.for_good ? "_for_good" : "_once");
}

INSTANTIATE_TEST_SUITE_P(
    OnOneRank, Hdf5Files,
    ::testing::Combine(::testing::Values(Scenario{"Write", "", "", write_field, true},
                                         Scenario{"WriteChunks", "slice", "shuffle,deflate:1", write_field, true},
                                         Scenario{"Read", "", "", read_field, false},
                                         Scenario{"ReadChunks", "slice", "shuffle,deflate:1", read_field, false}),
                       ::testing::Values(Fault{0, false}, Fault{0, true}, Fault{1, false}, Fault{1, true})),
    name_of);
// These take longer.
INSTANTIATE_TEST_SUITE_P(InSession, Hdf5Files,
                         ::testing::Combine(::testing::Values(Scenario{"Objects", "", "", use_objects, true},
                                                              Scenario{"Fields", "", "", use_fields, true}),
                                            ::testing::Values(Fault{0, false}, Fault{1, true})),
                         name_of);

}  // namespace
}  // namespace lq
