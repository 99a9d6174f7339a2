// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// HDF5 files over MPI: every layout from any ranks is the file that one process writes alone; sessions do on all ranks
// what they do on one, and fail alike.
#include <gtest/gtest.h>

#include <array>
#include <complex>
#include <string>
#include <vector>

#include <limequat/hdf5.hpp>
#include <limequat/limequat.hpp>

#include "mpi/harness.hpp"
#include "support/contents.hpp"
#include "support/parts_here.hpp"

namespace lq {
namespace {

using testing::same_error_of;
using testing::SharedDirectory;

using Links = std::array<std::complex<double>, 36>;
const Extents lattice{4, 6, 3, 8};

std::vector<Links> links_of(const Grid& grid) {
  std::vector<Links> all;
  const Box box = grid.local_box();
  Coord x = box.lower;
  for (std::uint64_t i = 0; i < grid.local_volume(); ++i) {
    std::int64_t site = 0;
    for (int d = 4; d-- > 0;) site = site * 31 + x[d];
    Links& links = all.emplace_back();
    for (std::size_t n = 0; n < links.size(); ++n) {
      links[n] = {static_cast<double>(site * 64) + static_cast<double>(n), static_cast<double>(n) - 0.5};
    }
    for (int d = 0; d < 4; ++d) {
      if (++x[d] < box.lower[d] + box.extents[d]) break;
      x[d] = box.lower[d];
    }
  }
  return all;
}

struct Way {
  const char* name;
  const char* layout;
  const char* chunk = "";
  const char* filters = "";
};
std::ostream& operator<<(std::ostream& out, const Way& way) { return out << way.name; }

class Hdf5Files : public ::testing::TestWithParam<Way> {
 protected:
  void SetUp() override {
    if (!testing::has_filters(GetParam().filters)) GTEST_SKIP() << "built without libdeflate";
  }
  static WriteOptions writing() {
    WriteOptions options;
    options.layout = GetParam().layout;
    options.dataset_chunk = GetParam().chunk;
    options.filters = GetParam().filters;
    options.time_stamps = false;
    return options;
  }
  SharedDirectory folder_;
};

TEST_P(Hdf5Files, AreThoseOfOneProcess) {
  const Grid grid(mpi::communicator(), lattice, {.idle_ranks = true}), alone(lattice);
  const auto links = links_of(grid);
  write(folder_ / "all.h5", grid, gauge(links), writing());
  const std::string own = folder_ / ("alone" + std::to_string(testing::world_rank()) + ".h5");
  const auto whole = links_of(alone);
  write(own, alone, gauge(whole), writing());
  EXPECT_EQ(testing::contents(folder_ / "all.h5"), testing::contents(own));

  std::vector<Links> read_back(grid.local_volume());
  const Report report = read(folder_ / "all.h5", grid, gauge(read_back));
  EXPECT_EQ(report.status, ChecksumStatus::ok);
  EXPECT_EQ(read_back, links);
}

INSTANTIATE_TEST_SUITE_P(Layouts, Hdf5Files,
                         ::testing::Values(Way{"native", "native"}, Way{"qdp", "qdp"}, Way{"qlua", "qlua"},
                                           Way{"slices", "native", "slice"}, Way{"boxes", "qdp", "2x4x3x3"},
                                           Way{"deflate", "native", "slice", "shuffle,deflate:4"},
                                           Way{"thick", "native", "4x6x3x3", "deflate:1"},
                                           Way{"blocks", "native", "2x3x3x4", "shuffle,deflate:4"},
                                           Way{"edges", "qdp", "3x4x2x5", "deflate:1,fletcher32"},
                                           Way{"qlua_blocks", "qlua", "2x4x3x3", "shuffle,deflate:1"},
                                           Way{"qlua_fletcher", "qlua", "slice", "fletcher32"}),
                         [](const auto& way) { return std::string(way.param.name); });

TEST(Hdf5Session, IsTheSameOnAllRanks) {
  const SharedDirectory folder;
  const std::string path = folder / "run.h5";
  const Grid grid(mpi::communicator(), lattice, {.idle_ranks = true});
  const auto links = links_of(grid);
  {
    hdf5::File file(path, hdf5::Mode::create, mpi::communicator());
    file.push("/conf/0010");
    file.write("gauge", grid, gauge(links));
    file.set_attribute("gauge", "beta", 6.0);
    file.write("plaquette", 0.59);
    file.close();
  }
  hdf5::File file(path, hdf5::Mode::append, mpi::communicator());
  file.cd("/conf");
  EXPECT_EQ(file.read("0010/plaquette").real(), 0.59);
  EXPECT_EQ(file.attribute("0010/gauge", "beta").real(), 6.0);
  const Error missing = same_error_of([&] { file.read("0010/nothing"); });
  EXPECT_EQ(missing.code(), Code::no_such_record) << missing.what();
  EXPECT_NE(std::string(missing.what()).find("nothing"), std::string::npos) << missing.what();
  file.write("again", grid, gauge(links));
  file.close();

  std::vector<Links> read_back(grid.local_volume());
  EXPECT_EQ(read(path, grid, gauge(read_back), {.field = "conf/again"}).status, ChecksumStatus::ok);
  EXPECT_EQ(read_back, links);
  EXPECT_EQ(same_error_of([&] { hdf5::File(path, hdf5::Mode::create, mpi::communicator()); }).code(), Code::exists);
}

}  // namespace
}  // namespace lq
