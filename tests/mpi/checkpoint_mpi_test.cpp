// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Multifiles over MPI: all ranks write, all, some and one of them read; a set grows; an error on one rank is one on
// all.
#include <gtest/gtest.h>
#include <limequat/mpi.hpp>
#include <limequat/multifile.hpp>

#include <filesystem>

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

  // Each byte once.
  void expect_windows(const Communicator& readers) {
    const MultifileReader reader(path_, readers, {.record_bytes = 24});
    InStream window = reader.window();
    std::uint64_t at = reader.window_begin(), task = 0;
    while (at > 0 && at >= size_of(static_cast<std::int64_t>(task))) at -= size_of(static_cast<std::int64_t>(task++));
    for (std::uint64_t left = window.size(); left > 0;) {
      std::vector<std::byte> bytes(std::min(left, size_of(static_cast<std::int64_t>(task)) - at));
      window.read_whole(bytes);
      EXPECT_EQ(first_wrong(bytes, task, at), bytes.size());
      left -= bytes.size();
      at = 0;
      ++task;
    }
  }

  testing::SharedDirectory directory_;
  std::string path_ = directory_ / "set.sion";
  std::int64_t tasks_ = 0;
};

TEST_P(Multifiles, AreReadByAnyNumberOfRanks) {
  for (const std::int32_t files : {1, 2, 3, 8}) {
    write(files);
    expect_dealt_tasks(mpi::communicator());
    expect_windows(mpi::communicator());
    expect_dealt_tasks({});
    MPI_Comm some = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, world_rank() % 3, 0, &some);
    expect_dealt_tasks(mpi::communicator(some));
    expect_windows(mpi::communicator(some));
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
  write(8);
  if (world_size() > 1) {
    const std::string last = path_ + ".00000" + std::to_string(std::min(8, world_size()) - 1);
    MPI_Barrier(MPI_COMM_WORLD);
    if (world_rank() == 0) std::filesystem::resize_file(last, std::filesystem::file_size(last) - 1);
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_EQ(same_error_of([&] { MultifileReader(path_, mpi::communicator()); }).code(), Code::malformed);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  options.streams = 1;
  EXPECT_EQ(same_error_of([&] { MultifileWriter(path_, mpi::communicator(), options); }).code(), Code::exists);
}

INSTANTIATE_TEST_SUITE_P(By, Multifiles, ::testing::Values(Compression::none, Compression::zstd),
                         [](const auto& by) { return std::string(name(by.param)); });

}  // namespace
}  // namespace lq
