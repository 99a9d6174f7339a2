// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Multifiles over MPI: all ranks write, all, some and one of them read; a set grows; an error on one rank is one on
// all.
#include <gtest/gtest.h>
#include <limequat/mpi.hpp>
#include <limequat/multifile.hpp>

#include "mpi/harness.hpp"
#include "support/streams.hpp"

namespace lq {
namespace {

using testing::first_wrong;
using testing::same_error_of;
using testing::stream_bytes;
using testing::world_rank;
using testing::world_size;

std::uint64_t size_of(std::int64_t task) { return 10'000 + 1777 * static_cast<std::uint64_t>(task); }

class Multifiles : public ::testing::TestWithParam<Compression> {
 protected:
  void write(std::int32_t files) {
    MultifileOptions options;
    options.files = std::min(files, world_size());
    options.streams = 1 + world_rank() % 2;
    options.expected_bytes = 1;
    options.buffer_bytes = 3000;
    options.compression = GetParam();
    options.overwrite = true;
    MultifileWriter writer(path_, mpi::communicator(), options);
    for (std::size_t i = 0; i < writer.streams(); ++i) {
      const std::int64_t task = writer.stream(i).task();
      writer.stream(i).write(stream_bytes(static_cast<std::uint64_t>(task), 0, size_of(task)));
    }
    writer.close();
    tasks_ = writer.tasks();
  }

  void expect_dealt_tasks(const Communicator& readers) {
    const MultifileReader reader(path_, readers);
    ASSERT_EQ(reader.tasks(), tasks_);
    for (std::int64_t task = reader.first_task(); task < reader.first_task() + reader.local_tasks(); ++task) {
      const auto bytes = reader.task(task).read_all();
      EXPECT_EQ(bytes.size(), size_of(task));
      EXPECT_EQ(first_wrong(bytes, static_cast<std::uint64_t>(task)), bytes.size());
    }
  }

  testing::SharedDirectory directory_;
  std::string path_ = directory_ / "set.sion";
  std::int64_t tasks_ = 0;
};

TEST_P(Multifiles, AreReadByAnyNumberOfRanks) {
  for (const std::int32_t files : {1, 3}) {
    write(files);
    expect_dealt_tasks(mpi::communicator());
    expect_dealt_tasks({});
    MPI_Comm some = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, world_rank() % 3, 0, &some);
    expect_dealt_tasks(mpi::communicator(some));
    MPI_Comm_free(&some);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

TEST_P(Multifiles, AreGoneOnWith) {
  write(2);
  MultifileWriter writer = MultifileWriter::append(path_, mpi::communicator());
  const std::uint64_t before = writer.stream().size();
  EXPECT_EQ(before, size_of(writer.stream().task()));
  const auto task = static_cast<std::uint64_t>(writer.stream().task());
  writer.write(stream_bytes(task, before, 5000));
  writer.close();
  const MultifileReader reader(path_);
  const auto bytes = reader.task(world_rank()).read_all();
  EXPECT_EQ(bytes.size(), size_of(world_rank()) + 5000);
  EXPECT_EQ(first_wrong(bytes, static_cast<std::uint64_t>(world_rank())), bytes.size());
  MPI_Barrier(MPI_COMM_WORLD);
}

TEST_P(Multifiles, AreRefusedOnAllRanksAlike) {
  EXPECT_EQ(same_error_of([&] { MultifileReader(path_, mpi::communicator()); }).code(), Code::not_found);
  MultifileOptions options;
  options.compression = GetParam();
  options.streams = world_rank() == world_size() - 1 ? -1 : 1;
  EXPECT_EQ(same_error_of([&] { MultifileWriter(path_, mpi::communicator(), options); }).code(),
            Code::invalid_argument);
  write(1);
  options.streams = 1;
  EXPECT_EQ(same_error_of([&] { MultifileWriter(path_, mpi::communicator(), options); }).code(), Code::exists);
}

INSTANTIATE_TEST_SUITE_P(By, Multifiles, ::testing::Values(Compression::none, Compression::zstd),
                         [](const auto& by) { return std::string(name(by.param)); });

}  // namespace
}  // namespace lq
