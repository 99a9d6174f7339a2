// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Places of chunks, whatever index of chunks the library chose, in files that it wrote by itself.
#include "hdf5/tree/storage.hpp"

#include <gtest/gtest.h>

#include <array>

#include "hdf5/tree/tree.hpp"
#include "support/contents.hpp"
#include "support/scratch_directory.hpp"

namespace lq::hdf5 {
namespace {

constexpr hsize_t user_block = 512;

struct IndexCase {
  const char* name;
  H5F_libver_t lowest;
  std::vector<hsize_t> extents, most, chunk;
  bool is_filtered = false, is_early = false;
  std::vector<hsize_t> left_out = {};  // first element of a chunk that is never written
};

std::ostream& operator<<(std::ostream& out, const IndexCase& one) { return out << one.name; }

// Element k of the dataset is k.
void make_file(const IndexCase& one, const std::string& path) {
  const Lock lock;
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose), creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
  H5Pset_libver_bounds(access.get(), one.lowest, H5F_LIBVER_LATEST);
  H5Pset_userblock(creation.get(), user_block);
  const Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation.get(), access.get()), H5Fclose);
  const auto rank = static_cast<int>(one.extents.size());
  const Handle space(H5Screate_simple(rank, one.extents.data(), one.most.data()), H5Sclose);
  const Handle list(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_chunk(list.get(), rank, one.chunk.data());
  if (one.is_filtered) H5Pset_fletcher32(list.get());
  if (one.is_early) H5Pset_alloc_time(list.get(), H5D_ALLOC_TIME_EARLY);
  H5Pset_fill_time(list.get(), H5D_FILL_TIME_NEVER);
  const Handle data(H5Dcreate2(file.get(), "d", H5T_STD_I64LE, space.get(), H5P_DEFAULT, list.get(), H5P_DEFAULT),
                    H5Dclose);
  std::vector<std::int64_t> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space.get())));
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = static_cast<std::int64_t>(k);
  const Handle there(H5Scopy(space.get()), H5Sclose);
  if (!one.left_out.empty()) {
    H5Sselect_hyperslab(there.get(), H5S_SELECT_NOTB, one.left_out.data(), nullptr, one.chunk.data(), nullptr);
  }
  EXPECT_GE(H5Dwrite(data.get(), H5T_NATIVE_INT64, there.get(), there.get(), H5P_DEFAULT, values.data()), 0);
}

std::vector<std::byte> file_of(const IndexCase& one) {
  const lq::testing::ScratchDirectory directory;
  const std::string path = directory.path() + "/a.h5";
  make_file(one, path);
  const std::string bytes = lq::testing::contents(path);
  const auto all = base::as_bytes(bytes);
  return {all.begin(), all.end()};
}

class ChunkIndex : public ::testing::TestWithParam<IndexCase> {};

TEST_P(ChunkIndex, LeadsToTheNumbersOfEachChunk) {
  const IndexCase& one = GetParam();
  const std::vector<std::byte> bytes = file_of(one);
  base::MemorySource source(bytes, one.name);
  const Opened opened(source);
  const auto found = find_object(opened, "/d");
  ASSERT_TRUE(found);
  const Dataset data = describe_dataset(opened, found->handle.get(), opened.where("/d"));
  const std::vector<Chunk> chunks =
      chunks_of(opened, found->handle.get(), data.storage, data.extents, opened.where("/d"), 1 << 20);
  ASSERT_EQ(one.extents.size(), 2u);
  const hsize_t across = (one.extents[1] + one.chunk[1] - 1) / one.chunk[1];
  ASSERT_EQ(chunks.size(), (one.extents[0] + one.chunk[0] - 1) / one.chunk[0] * across);
  for (std::size_t k = 0; k < chunks.size(); ++k) {
    const std::array<hsize_t, 2> first{k / across * one.chunk[0], k % across * one.chunk[1]};
    if (std::equal(first.begin(), first.end(), one.left_out.begin(), one.left_out.end())) {
      EXPECT_EQ(chunks[k], Chunk{});
      continue;
    }
    EXPECT_EQ(chunks[k].bytes, 8 * one.chunk[0] * one.chunk[1] + (one.is_filtered ? 4 : 0)) << k;
    EXPECT_EQ(chunks[k].skipped, 0u);
    std::array<std::byte, 8> number{};
    source.read_at(chunks[k].offset, number);
    EXPECT_EQ(base::load_le<std::uint64_t>(number.data()), first[0] * one.extents[1] + first[1]) << k;
  }
}

constexpr hsize_t any = H5S_UNLIMITED;
INSTANTIATE_TEST_SUITE_P(
    Indices, ChunkIndex,
    ::testing::Values(
        IndexCase{"tree_1", H5F_LIBVER_EARLIEST, {40, 30}, {40, 30}, {3, 4}},
        IndexCase{"tree_1_filtered", H5F_LIBVER_V18, {40, 30}, {40, 30}, {3, 4}, true},
        IndexCase{"tree_1_sparse", H5F_LIBVER_V18, {40, 30}, {40, 30}, {3, 4}, false, false, {6, 8}},
        IndexCase{"single", H5F_LIBVER_V110, {4, 5}, {4, 5}, {4, 5}},
        IndexCase{"single_filtered", H5F_LIBVER_V110, {4, 5}, {4, 5}, {4, 5}, true},
        IndexCase{"implicit", H5F_LIBVER_V110, {40, 30}, {40, 30}, {3, 4}, false, true},
        IndexCase{"fixed_array", H5F_LIBVER_V110, {40, 30}, {40, 30}, {3, 4}},
        IndexCase{"fixed_array_filtered", H5F_LIBVER_V110, {40, 30}, {40, 30}, {3, 4}, true},
        IndexCase{"extensible_array", H5F_LIBVER_V110, {90, 30}, {any, 30}, {1, 4}},
        IndexCase{"extensible_array_sparse", H5F_LIBVER_V110, {90, 30}, {any, 30}, {1, 4}, false, false, {70, 8}},
        IndexCase{"tree_2", H5F_LIBVER_V110, {40, 30}, {any, any}, {3, 4}},
        IndexCase{"tree_2_filtered", H5F_LIBVER_V110, {40, 30}, {any, any}, {3, 4}, true}),
    [](const auto& index) { return std::string(index.param.name); });

}  // namespace
}  // namespace lq::hdf5
