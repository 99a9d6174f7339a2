// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Tasks dealt out in any way, among processes that are threads.
#include "multifile/mapped_file.hpp"

#include <gtest/gtest.h>

#include "support/error_of.hpp"
#include "support/multifile_vectors.hpp"
#include "support/thread_comm.hpp"

namespace lq::multifile {
namespace {

using testing::bytes_in;
using testing::error_of;
using testing::golden_vector;
using testing::read_to_end;
using testing::run_ranks;
using testing::vector_bytes;
using testing::without_version;
using Handle = std::shared_ptr<comm::Comm>;

MappedCreation v12(int process, storage::Transport& transport) {
  MappedCreation request;
  request.path = "v12_mapped.sion";
  request.mode = parse_mode("bw,posix");
  request.files = 2;
  request.block_size = 256;
  request.opener.transport = &transport;
  for (int k = 0; k < 3; ++k) {
    const int g = process * 3 + k;
    request.tasks.push_back({5 - g, 200 + 20 * g, g % 2, g / 2});
  }
  return request;
}

TEST(MappedFile, IsTheVector) {
  const auto memory = storage::make_memory();
  run_ranks(2, [&](Handle comm) {
    const auto file = MappedFile::create(comm, v12(comm->rank(), *memory));
    for (std::size_t i = 0; i < file->tasks(); ++i) {
      file->select(i);
      const std::int64_t rank = file->selected().rank;
      EXPECT_EQ(rank, 5 - (comm->rank() * 3 + static_cast<std::int64_t>(i)));
      for (std::int64_t done = 0; done < 300 + 10 * rank; done += 150) {
        EXPECT_TRUE(file->write(vector_bytes(12, rank, done, std::min<std::int64_t>(150, 300 + 10 * rank - done))));
      }
    }
    file->close();
  });
  for (const char* name : {"v12_mapped.sion", "v12_mapped.sion.000001"}) {
    EXPECT_EQ(without_version(bytes_in(*memory, name)), without_version(golden_vector(name))) << name;
  }
}

Opening opening_of(const char* name) {
  Opening request;
  request.path = std::string(LQ_SOURCE_DIR) + "/tests/golden/good/sion/" + name;
  request.mode = parse_mode("br,posix");
  return request;
}

TEST(MappedFile, AnyNumberOfProcessesReadsAllTasks) {
  for (const int processes : {1, 2, 3, 7, 9}) {
    std::vector<std::vector<std::int64_t>> read_by(static_cast<std::size_t>(processes));
    run_ranks(processes, [&](Handle comm) {
      const auto file = MappedFile::open(comm, opening_of("v11_3files_splitcomm.sion"), std::nullopt);
      for (std::size_t i = 0; i < file->tasks(); ++i) {
        file->select(i);
        const std::int64_t rank = file->selected().rank;
        EXPECT_EQ(read_to_end(*file), vector_bytes(11, rank, 0, 400 + 50 * rank));
        read_by[static_cast<std::size_t>(comm->rank())].push_back(rank);
      }
      file->close();
    });
    std::vector<std::int64_t> all;
    for (const auto& ranks : read_by) all.insert(all.end(), ranks.begin(), ranks.end());
    EXPECT_EQ(all, (std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 6})) << processes;
  }
}

TEST(MappedFile, ListsMayOverlapAndBeEmpty) {
  const std::vector<std::vector<std::int64_t>> lists{{3, 0}, {}, {0, 2}};
  run_ranks(3, [&](Handle comm) {
    const auto& mine = lists[static_cast<std::size_t>(comm->rank())];
    const auto file = MappedFile::open(comm, opening_of("v01_1file_4tasks.sion"), mine);
    const std::vector<std::int64_t> totals{1000, 1500, 300, 512};
    ASSERT_EQ(file->tasks(), mine.size());
    for (std::size_t i = 0; i < mine.size(); ++i) {
      file->select(i);
      EXPECT_EQ(read_to_end(*file), vector_bytes(1, mine[i], 0, totals[static_cast<std::size_t>(mine[i])]));
    }
    file->close();
  });
}

TEST(MappedFile, WhatCannotBeIsRefusedOnAllProcesses) {
  const auto memory = storage::make_memory();
  const auto refused = [&](const auto& change) {
    run_ranks(2, [&](Handle comm) {
      MappedCreation request = v12(comm->rank(), *memory);
      if (comm->rank() == 1) change(request);
      EXPECT_EQ(error_of([&] { MappedFile::create(comm, request); }).code(), Code::invalid_argument);
    });
  };
  refused([](MappedCreation& request) { request.tasks[0].rank = 5; });    // twice
  refused([](MappedCreation& request) { request.tasks[0].rank = 6; });    // of 6
  refused([](MappedCreation& request) { request.tasks[0].file = 2; });    // of 2
  refused([](MappedCreation& request) { request.tasks[0].number = 0; });  // taken
  refused([](MappedCreation& request) { request.tasks[0].chunk_bytes = -1; });
  run_ranks(2, [&](Handle comm) {
    const Error error = error_of([&] {
      MappedFile::open(comm, opening_of("v01_1file_4tasks.sion"),
                       std::vector<std::int64_t>{comm->rank() == 0 ? std::int64_t{0} : std::int64_t{4}});
    });
    EXPECT_EQ(error.code(), Code::invalid_argument);
  });
}

TEST(MappedFile, ALaterFileOfASetHasNoMapAndIsNoSet) {
  run_ranks(2, [&](Handle comm) {
    for (const auto& wanted :
         {std::optional<std::vector<std::int64_t>>(), std::optional(std::vector<std::int64_t>{0})}) {
      EXPECT_EQ(
          error_of([&] { MappedFile::open(comm, opening_of("v11_3files_splitcomm.sion.000001"), wanted); }).code(),
          Code::malformed);
    }
  });
}

}  // namespace
}  // namespace lq::multifile
