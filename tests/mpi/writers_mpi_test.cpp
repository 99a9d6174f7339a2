// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Everything of the library that writes files with several ranks: what each rank then sees is what one process writes
// alone on a local disk. Where each rank has a mount of its own (tests/pfs/README.md, LQ_PFS_CLIENT), two clients with
// caches of their own write, and both are asked.
#include <gtest/gtest.h>

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <limequat/limequat.hpp>

#include "mpi/harness.hpp"
#include "support/contents.hpp"
#include "support/every_writer.hpp"
#include "support/scratch_directory.hpp"

namespace lq {
namespace {

class Writers : public ::testing::TestWithParam<lq::testing::Work> {
 protected:
  // By one process, so that all the others see it for the first time.
  void SetUp() override {
    if (lq::testing::world_rank() == 0) lq::testing::write_source(source_);
    world_.barrier();
  }

  const Communicator world_ = mpi::communicator();
  lq::testing::SharedDirectory folder_;
  const lq::testing::ScratchDirectory own_;
  const std::string source_ = folder_ / "source.ildg";
};

TEST_P(Writers, GiveEachClientWhatOneProcessWrites) {
  if (lq::testing::world_rank() == 0) std::filesystem::create_directory(folder_ / "made");
  world_.barrier();
  GetParam().run(source_, folder_ / "made/file", world_);
  GetParam().run(source_, own_ / "file", Communicator());
  world_.barrier();
  for (const auto& [name, bytes] : lq::testing::files_made_in(own_.path())) {
    const std::string made = folder_ / ("made/" + name);
    EXPECT_TRUE(GetParam().is_marked ? lq::testing::is_sound(made) : lq::testing::contents(made) == bytes) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Writers, ::testing::ValuesIn(lq::testing::works()),
                         [](const auto& one) { return one.param.name; });

class OtherWriters : public Writers {
 protected:
  // As one process reads the whole file.
  static std::string all_of(const std::string& path) {
    View view(path);
    std::string bytes(static_cast<std::size_t>(view.size()), '?');
    view.read(std::as_writable_bytes(std::span(bytes)));
    return bytes;
  }
};

// Chunks end anywhere, in sets and in a file in one piece.
TEST_F(OtherWriters, ViewsWriteTogether) {
  repartition(source_, folder_ / "some.set", world_, {.to = "t=block:3,x=cyclic:2"});
  repartition(source_, folder_ / "one.file", world_, {.to = "whole"});
  for (const char* name : {"some.set", "one.file"}) {
    const std::string before = all_of(folder_ / name), cut = "y=cyclic:" + std::to_string(world_.size());
    world_.barrier();
    {
      View view(folder_ / name, cut, static_cast<std::uint64_t>(world_.rank()), {.writable = true});
      std::vector<std::byte> bytes(static_cast<std::size_t>(view.size()));
      view.read_all(bytes, world_);
      for (std::byte& byte : bytes) byte ^= std::byte{0xff};
      view.write_all(bytes, world_, {.chunk_bytes = 50'000});
      view.sync();
    }
    world_.barrier();
    const FileArray array = partitioned_file(folder_ / name).partition.array();
    std::string expected = before;
    for (std::uint64_t at = array.begin; at < array.end(); ++at) expected[at] = static_cast<char>(~expected[at]);
    EXPECT_TRUE(all_of(folder_ / name) == expected) << name;
    world_.barrier();
  }
}

// Each by its own client: the part that shares no subfile is written, another one is written or refused, never lost.
TEST_F(OtherWriters, ViewsWriteSinglyOrRefuse) {
  const std::string blocks = "y=block:" + std::to_string(world_.size()), set = folder_ / "blocks.set";
  repartition(source_, set, world_, {.to = blocks});
  const bool loses = world_.size() > 1 && file_system_of(folder_ / "").needs_single_owner;
  std::string expected = all_of(set);
  world_.barrier();
  for (const std::string& cut : {blocks, "x=cyclic:" + std::to_string(world_.size())}) {
    View view(set, cut, static_cast<std::uint64_t>(world_.rank()), {.writable = true});
    const std::string news(static_cast<std::size_t>(view.size()), 'n');
    Code code = Code::ok;
    try {
      view.write(std::as_bytes(std::span(news)));
      view.sync();
    } catch (const Error& error) {
      code = error.code();
    }
    EXPECT_EQ(code, loses && cut != blocks ? Code::unsupported : Code::ok);
    view.close();
    world_.barrier();
    const FileArray array = partitioned_file(set).partition.array();
    for (std::uint64_t at = array.begin; at < array.end(); ++at) expected[at] = 'n';
    EXPECT_TRUE(all_of(set) == expected) << cut;
    world_.barrier();
  }
}

TEST_F(OtherWriters, CheckpointsAndTheirFields) {
  const std::string path = folder_ / "run.sion";
  const Grid grid = lq::testing::grid_of(world_);
  const auto links = lq::testing::links_in(source_, grid);
  const std::string line = "of rank " + std::to_string(world_.rank()) + "\n";
  for (const bool goes_on : {false, true}) {
    MultifileWriter set = goes_on ? MultifileWriter::append(path, world_) : MultifileWriter(path, world_, {.files = 1});
    for (int i = 0; i < 10'000; ++i) set.stream().write(line);
    set.write_field(goes_on ? "second" : "first", grid, gauge(links));
    set.close();
  }
  world_.barrier();
  const MultifileReader reader(path);  // all of it by each rank
  ASSERT_EQ(reader.tasks(), world_.size());
  for (int task = 0; task < world_.size(); ++task) {
    InStream stream = reader.task(task);
    std::string found;
    int lines = 0;
    while (stream.read_line(found)) lines += found == "of rank " + std::to_string(task) ? 1 : 0;
    EXPECT_EQ(lines, 20'000);
  }
  const Verification verdict = verify(path);
  EXPECT_TRUE(verdict.ok);
  world_.barrier();
}

}  // namespace
}  // namespace lq
