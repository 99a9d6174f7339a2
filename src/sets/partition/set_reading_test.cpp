// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A lattice file that was made a set of subfiles is read, verified and compared as the file that it was.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <limequat/error.hpp>
#include <limequat/file.hpp>
#include <limequat/inspect.hpp>
#include <limequat/partition.hpp>

#include "io/verify.hpp"
#include "support/error_of.hpp"
#include "support/file_contents.hpp"
#include "support/formula_field.hpp"
#include "support/plain_set.hpp"
#include "support/scratch_directory.hpp"
#include "support/thread_comm.hpp"

namespace lq {
namespace {

using testing::contents;
using testing::error_of;
using testing::formula_sites;
using testing::put_set;

const Extents lattice{4, 2, 4, 8};

class SetsOfSubfiles : public ::testing::Test {
 protected:
  SetsOfSubfiles() {
    const std::vector<double> links = formula_sites<double>(Grid(lattice), 72);
    write(file_, Grid(lattice), gauge(links));
  }
  std::string make_set(const std::string& cuts) {
    return put_set(folder_ / "conf.set", contents(file_),
                   Partition::parse(partitioned_file(file_).partition.array(), cuts));
  }
  testing::ScratchDirectory folder_;
  std::string file_ = folder_ / "conf.ildg";
};

TEST_F(SetsOfSubfiles, AreReadAsTheFileThatTheyWere) {
  for (const std::string cuts : {"whole", "t=block:4", "x=cyclic:2,t=block:3", "z=cyclic:2:2,t=block:4"}) {
    const std::string set = make_set(cuts);
    std::vector<double> links(volume(lattice) * 72);
    const Report report = read(set, Grid(lattice), gauge(links));
    EXPECT_EQ(report.status, ChecksumStatus::ok) << cuts;
    EXPECT_EQ(links, formula_sites<double>(Grid(lattice), 72)) << cuts;
    const Catalog catalog = inspect(set), whole = inspect(file_);
    EXPECT_EQ(catalog.format, "ildg");
    EXPECT_EQ(catalog.file_bytes, whole.file_bytes);
    EXPECT_EQ(catalog.fields.front().payload.offset, whole.fields.front().payload.offset);
    EXPECT_EQ(catalog.metadata, whole.metadata);
    EXPECT_TRUE(io::verify(set).ok);
    EXPECT_TRUE(diff(set, file_).same);
    EXPECT_EQ(open(set).read_site({1, 1, 3, 5}), open(file_).read_site({1, 1, 3, 5}));
    EXPECT_EQ(open(set).read_record("ildg-format"), open(file_).read_record("ildg-format"));
  }
}

TEST_F(SetsOfSubfiles, AreReadByRanksOnAnyProcessGrid) {
  const std::string set = make_set("t=block:3,y=block:2");
  for (const Extents& processes : {Extents{1, 1, 1, 4}, Extents{2, 1, 2, 1}}) {
    for (const Strategy strategy : {Strategy::direct, Strategy::messages}) {
      testing::run_ranks(4, [&](std::shared_ptr<comm::Comm> comm) {
        const Grid grid(Communicator(std::move(comm)), lattice, {.processes = processes});
        std::vector<double> links(grid.local_volume() * 72);
        ReadOptions options;
        options.route.strategy = strategy;
        EXPECT_EQ(read(set, grid, gauge(links), options).status, ChecksumStatus::ok);
        EXPECT_EQ(links, formula_sites<double>(grid, 72));
      });
    }
  }
}

TEST_F(SetsOfSubfiles, AreConvertedToOneFile) {
  const std::string set = make_set("t=cyclic:2");
  convert(set, folder_ / "again.scidac", {}, {});
  EXPECT_TRUE(diff(set, folder_ / "again.scidac").same);
}

TEST_F(SetsOfSubfiles, ThatLackASubfileOrAreDamagedSaySo) {
  const std::string set = make_set("t=block:4");
  {
    std::fstream subfile(set + ".2", std::ios::binary | std::ios::in | std::ios::out);
    subfile.seekp(1000);
    subfile.write("XXXX", 4);
  }
  std::vector<double> links(volume(lattice) * 72);
  EXPECT_EQ(error_of([&] { read(set, Grid(lattice), gauge(links)); }).code(), Code::checksum_mismatch);
  std::filesystem::resize_file(set + ".3", 500);
  const Error cut = error_of([&] { read(set, Grid(lattice), gauge(links), {.verify = Verify::none}); });
  EXPECT_EQ(cut.code(), Code::truncated);
  EXPECT_EQ(cut.facts().path, set + ".3");
  std::filesystem::remove(set + ".3");
  testing::run_ranks(4, [&](std::shared_ptr<comm::Comm> comm) {
    const Grid grid(Communicator(std::move(comm)), lattice, {.processes = Extents{1, 1, 1, 4}});
    std::vector<double> mine(grid.local_volume() * 72);
    const Error missing = error_of([&] { read(set, grid, gauge(mine)); });
    EXPECT_EQ(missing.code(), Code::not_found);
    EXPECT_NE(std::string(missing.what()).find("conf.set.3"), std::string::npos) << missing.what();
  });
  testing::put_contents(set, contents(set).substr(0, 70));
  EXPECT_EQ(error_of([&] { read(set, Grid(lattice), gauge(links)); }).code(), Code::malformed);
}

TEST_F(SetsOfSubfiles, ThatAreOpenAreNotMixedUpWithWhatTakesTheirName) {
  const std::string set = make_set("t=block:2");
  const File open_set(set);
  std::filesystem::rename(file_, set);
  std::vector<double> links(volume(lattice) * 72);
  open_set.read(Grid(lattice), gauge(links));
  EXPECT_EQ(links, formula_sites<double>(Grid(lattice), 72));
}

}  // namespace
}  // namespace lq
