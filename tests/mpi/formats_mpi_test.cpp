// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Every format that holds a gauge field, over MPI: the file is that of one process, all ranks read it back, and
// conversions between all pairs keep every bit.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <limequat/limequat.hpp>

#include "mpi/harness.hpp"
#include "support/contents.hpp"

namespace lq {
namespace {

using testing::SharedDirectory;
using testing::world_rank;

const Extents lattice{4, 6, 2, 8};

// Links in the group, the same on any process grid.
std::vector<double> links_on(const Grid& grid) {
  std::vector<double> links(static_cast<std::size_t>(grid.local_volume() * 72));
  generate(grid, gauge(links), {.sweeps = 1, .over_relaxation = 0, .seed = 12, .hot_start = true});
  return links;
}

std::vector<std::string> gauge_formats() {
  std::vector<std::string> names;
  const Grid alone(Extents{2, 2, 2, 2});
  const std::vector<double> links = links_on(alone);
  for (const FormatInfo& format : formats()) {
    if (format.contents != Contents::fields) continue;
    const std::string path = ::testing::TempDir() + "lq_probe_" + std::to_string(world_rank());
    try {
      write(path, alone, gauge(links), {.format = std::string(format.name), .sync = Sync::none, .overwrite = true});
      names.emplace_back(format.name);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::unsupported) << error.what();
    }
  }
  return names;
}

TEST(FormatsOfOthers, AreWrittenAndReadByManyRanksAsByOne) {
  const SharedDirectory directory;
  const Grid grid = mpi::grid(lattice);
  const std::vector<double> links = links_on(grid);
  const auto names = gauge_formats();
  EXPECT_GE(names.size(), 8U);
  for (const std::string& format : names) {
    SCOPED_TRACE(format);
    const std::string path = directory / format, alone = directory / (format + ".alone");
    const WriteOptions options{.format = format, .sync = Sync::none};
    write(path, grid, gauge(links), options);
    if (world_rank() == 0) {
      const Grid one{lattice};
      write(alone, one, gauge(links_on(one)), options);
      const bool has_times = format == "hdf5";
      EXPECT_TRUE(has_times || testing::contents(path) == testing::contents(alone));
    }
    std::vector<double> found(links.size());
    EXPECT_NE(read(path, grid, gauge(found)).status, ChecksumStatus::mismatch);
    EXPECT_EQ(found, links);
    EXPECT_TRUE(verify(path, grid.communicator()).ok);
    for (const std::string& other : names) {
      const std::string to = directory / (format + "_" + other);
      convert(path, to, grid.communicator(), {.write = {.format = other, .sync = Sync::none}});
      EXPECT_TRUE(diff(path, to, grid.communicator()).same) << other;
    }
  }
}

}  // namespace
}  // namespace lq
