// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Fields of more than 2^32 sites, in files that the HDF5 library made with almost nothing in them: boxes at both ends
// and across the 2^32nd site are read on any number of ranks.
#include <gtest/gtest.h>
#include <hdf5.h>

#include <array>
#include <string>
#include <vector>

#include <limequat/limequat.hpp>

#include "mpi/harness.hpp"

namespace lq {
namespace {

const Extents lattice{4096, 4096, 512, 3};  // 2.6e10 sites
constexpr std::uint64_t bytes_of_field = 8ULL * 4096 * 4096 * 512 * 3;

// t times 2^33 is the first site of a slice.
const std::array<Box, 4> boxes{
    Box{{0, 0, 0, 0}, {8, 4, 2, 1}}, Box{{4088, 4092, 510, 2}, {8, 4, 2, 1}},
    Box{{4080, 4094, 255, 0}, {16, 2, 2, 1}},  // the 2^32nd site, of z = 256, is right behind its middle
    Box{{100, 2000, 511, 0}, {3, 5, 1, 3}}};

double number_at(std::int64_t x, std::int64_t y, std::int64_t z, std::int64_t t) {
  return static_cast<double>(((t * 512 + z) * 4096 + y) * 4096 + x);  // below 2^53
}

std::vector<double> numbers_in(const Box& box) {
  std::vector<double> values;
  for (std::int64_t t = 0; t < box.extents[3]; ++t) {
    for (std::int64_t z = 0; z < box.extents[2]; ++z) {
      for (std::int64_t y = 0; y < box.extents[1]; ++y) {
        for (std::int64_t x = 0; x < box.extents[0]; ++x) {
          values.push_back(number_at(box.lower[0] + x, box.lower[1] + y, box.lower[2] + z, box.lower[3] + t));
        }
      }
    }
  }
  return values;
}

MutableField real_sites(std::vector<double>& values) {
  MutableField field;
  field.spec = generic_spec(Precision::double_, 1, false);
  field.data = values.data();
  field.available = values.size();
  return field;
}

void put_attribute(hid_t object, const char* name, hid_t type, const void* value, hsize_t count) {
  const hid_t space = count == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &count, nullptr);
  const hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  EXPECT_GE(H5Awrite(attribute, type, value), 0) << name;
  H5Aclose(attribute);
  H5Sclose(space);
}

// By the library alone, as h5py would.
void make_file(const std::string& path, const std::vector<hsize_t>& chunk) {
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_EXCL, H5P_DEFAULT, H5P_DEFAULT);
  ASSERT_GE(file, 0);
  const std::array<hsize_t, 4> extents{3, 512, 4096, 4096};
  const hid_t space = H5Screate_simple(4, extents.data(), nullptr), list = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_fill_time(list, H5D_FILL_TIME_NEVER);
  if (!chunk.empty()) H5Pset_chunk(list, 4, chunk.data());
  const hid_t data = H5Dcreate2(file, "action", H5T_IEEE_F64LE, space, H5P_DEFAULT, list, H5P_DEFAULT);
  ASSERT_GE(data, 0);
  for (const Box& box : boxes) {
    std::array<hsize_t, 4> first{}, count{};
    for (int d = 0; d < 4; ++d) {
      first[static_cast<std::size_t>(3 - d)] = static_cast<hsize_t>(box.lower[d]);
      count[static_cast<std::size_t>(3 - d)] = static_cast<hsize_t>(box.extents[d]);
    }
    const std::vector<double> values = numbers_in(box);
    const hid_t memory = H5Screate_simple(4, count.data(), nullptr);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, first.data(), nullptr, count.data(), nullptr);
    ASSERT_GE(H5Dwrite(data, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, values.data()), 0);
    H5Sclose(memory);
  }
  const int version = 1;
  const std::array<int, 4> whole{4096, 4096, 512, 3};
  put_attribute(data, "limequat_layout", H5T_NATIVE_INT, &version, 1);
  put_attribute(data, "extents", H5T_NATIVE_INT, whole.data(), 4);
  const hid_t text = H5Tcopy(H5T_C_S1);
  H5Tset_size(text, 8);
  put_attribute(data, "kind", text, "generic", 1);
  H5Tclose(text);
  H5Dclose(data);
  H5Pclose(list);
  H5Sclose(space);
  ASSERT_GE(H5Fclose(file), 0);
}

class Hdf5Sparse : public ::testing::TestWithParam<std::vector<hsize_t>> {};

TEST_P(Hdf5Sparse, BoxesOfMoreThanFourMilliardSitesAreRead) {
  const testing::SharedDirectory folder;
  const std::string path = folder / "sparse.h5";
  if (testing::world_rank() == 0) make_file(path, GetParam());
  MPI_Barrier(MPI_COMM_WORLD);
  const Catalog catalog = inspect(path);
  ASSERT_EQ(catalog.fields.size(), 1u);
  EXPECT_EQ(catalog.fields[0].payload.extents, lattice);
  EXPECT_EQ(catalog.fields[0].payload.length, bytes_of_field);
  for (const Box& box : boxes) {
    const Grid grid(mpi::communicator(), box.extents, {.idle_ranks = true});
    const Box mine = grid.local_box();
    std::vector<double> values(grid.local_volume());
    const Report report = read(path, grid, real_sites(values), {.region = box});
    EXPECT_EQ(report.status, ChecksumStatus::absent);
    Box there = mine;
    for (int d = 0; d < 4; ++d) there.lower[d] += box.lower[d];
    EXPECT_EQ(values, numbers_in(there));
  }
}

INSTANTIATE_TEST_SUITE_P(Storage, Hdf5Sparse,
                         ::testing::Values(std::vector<hsize_t>{}, std::vector<hsize_t>{1, 32, 1024, 1024}),
                         [](const auto& chunk) { return chunk.param.empty() ? "contiguous" : "chunks"; });

}  // namespace
}  // namespace lq
