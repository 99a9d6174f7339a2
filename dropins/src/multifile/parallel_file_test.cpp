// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Multifiles written by ranks that are threads are the bytes of the conformance vectors, and are read back.
#include "multifile/parallel_file.hpp"

#include <gtest/gtest.h>

#include <cstdio>

#include "format/sion/head.hpp"
#include "support/error_of.hpp"
#include "support/faulty.hpp"
#include "support/multifile_vectors.hpp"
#include "support/scratch_directory.hpp"
#include "support/thread_comm.hpp"

namespace lq::multifile {
namespace {

using testing::bytes_in;
using testing::error_of;
using testing::golden_vector;
using testing::run_ranks;
using testing::vector_bytes;
using testing::without_version;
using Handle = std::shared_ptr<comm::Comm>;

struct Vector {
  const char* name;
  const char* mode;
  int ranks, files;
  std::int64_t seed;
  std::int32_t block;
  std::vector<std::int64_t> chunks, totals;
  std::int64_t piece;  // bytes per call; 0: all at once
};

std::vector<Vector> vectors() {
  return {{"v01_1file_4tasks.sion", "bw,posix", 4, 1, 1, 512, {1000, 2000, 300, 512}, {1000, 1500, 300, 512}, 0},
          {"v02_2files_5tasks.sion",
           "bw,posix",
           5,
           2,
           2,
           512,
           {700, 800, 900, 1000, 1100},
           {700, 800, 900, 1000, 1100},
           350},
          {"v04_emptytask.sion", "bw,posix", 4, 1, 4, 256, {1200, 1200, 1200, 1200}, {600, 0, 50, 1200}, 0},
          {"v06_1task.sion", "bw,posix", 1, 1, 6, 4096, {4096}, {3000}, 0},
          {"v07_userbig.sion", "bw,posix,endianness=big", 2, 1, 7, 256, {300, 300}, {300, 300}, 0},
          {"v10_collective.sion",
           "bw,posix,collective,collsize=2",
           4,
           1,
           10,
           512,
           {300, 310, 320, 330},
           {600, 620, 640, 660},
           -2},
          {"v13_cmerge.sion",
           "bw,posix,collective,cmerge,collsize=2",
           4,
           1,
           13,
           512,
           {300, 300, 300, 300},
           {300, 300, 300, 300},
           -1},
          {"v16_manychunks.sion", "bw,posix", 2, 1, 16, 64, {64, 64}, {8310, 1280}, 60}};
}

std::unique_ptr<ParallelFile> create(const Handle& comm, storage::Transport& transport, const Vector& vector) {
  const auto rank = static_cast<std::size_t>(comm->rank());
  Creation request;
  request.path = vector.name;
  request.mode = parse_mode(vector.mode);
  request.chunk_bytes = vector.chunks[rank];
  request.block_size = vector.block;
  request.rank = comm->rank();
  request.location = locate_evenly(comm->rank(), comm->size(), vector.files);
  request.opener.transport = &transport;
  return ParallelFile::create(make_team(comm), request);
}

// `piece` below 0: collective calls, as many as that says.
void write_all(ParallelFile& file, const Vector& vector, int rank) {
  const std::int64_t total = vector.totals[static_cast<std::size_t>(rank)];
  const std::int64_t piece = vector.piece > 0 ? vector.piece : (vector.piece < 0 ? total / -vector.piece : total);
  for (std::int64_t done = 0; done < total; done += piece) {
    const auto bytes = vector_bytes(vector.seed, rank, done, std::min(piece, total - done));
    EXPECT_TRUE(vector.piece < 0 ? file.write_together(bytes) : file.write(bytes));
  }
}

Opening opening_of(storage::Transport& transport, const std::string& path, const char* mode = "br,posix") {
  Opening request;
  request.path = path;
  request.mode = parse_mode(mode);
  request.opener.transport = &transport;
  return request;
}

std::vector<std::byte> read_all(ParallelFile& file, bool together) {
  std::vector<std::byte> all;
  std::vector<std::byte> buffer(1000);
  while (!file.is_at_end()) {
    const std::size_t got = together ? file.read_together(buffer) : file.read(buffer);
    all.insert(all.end(), buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(got));
  }
  return all;
}

class Vectors : public ::testing::TestWithParam<Vector> {};

TEST_P(Vectors, AreWhatRanksWrite) {
  const Vector& vector = GetParam();
  const auto memory = storage::make_memory();
  run_ranks(vector.ranks, [&](Handle comm) {
    const auto file = create(comm, *memory, vector);
    write_all(*file, vector, comm->rank());
    file->close();
  });
  const std::string name = vector.name;
  EXPECT_EQ(without_version(bytes_in(*memory, name)), without_version(golden_vector(name)));
  if (vector.files > 1) {
    EXPECT_EQ(without_version(bytes_in(*memory, name + ".000001")), without_version(golden_vector(name + ".000001")));
  }
}

TEST_P(Vectors, AreReadByAsManyRanks) {
  const Vector& vector = GetParam();
  if (vector.piece == -1) return;  // merged streams are not those of the tasks
  const std::string path = std::string(LQ_SOURCE_DIR) + "/tests/golden/good/sion/" + vector.name;
  run_ranks(vector.ranks, [&](Handle comm) {
    const auto file = ParallelFile::open(make_team(comm), opening_of(storage::posix(), path));
    const auto rank = static_cast<std::size_t>(comm->rank());
    EXPECT_EQ(read_all(*file, false), vector_bytes(vector.seed, comm->rank(), 0, vector.totals[rank]));
    EXPECT_EQ(file->facts().block_size, vector.block);
    file->close();
  });
}

INSTANTIATE_TEST_SUITE_P(Multifile, Vectors, ::testing::ValuesIn(vectors()),
                         [](const auto& vector) { return std::string(vector.param.name).substr(0, 3); });

// The program's own stream has left its chunk on one rank, collector or not: the others do not wait for it.
TEST(ParallelFile, ATaskThatCannotTakePartGivesItsErrorToItsGroup) {
  const testing::ScratchDirectory directory;
  for (const int bad_rank : {2, 3}) {
    run_ranks(4, [&](Handle comm) {
      Creation request;
      request.path = directory / "together.sion";
      request.mode = parse_mode("bw,collective,collsize=2");
      request.chunk_bytes = 10'000;
      request.block_size = 512;
      request.location = locate_evenly(comm->rank(), comm->size(), 1);
      const auto file = ParallelFile::create(make_team(comm), request);
      const std::vector<std::byte> bytes(1000, static_cast<std::byte>(comm->rank()));
      FILE* const stream = file->channel().share_stream();
      file->channel().seek(file->selected().stream.offset());
      EXPECT_TRUE(file->write_together(bytes));
      if (comm->rank() == bad_rank) std::fseek(stream, 100'000'000, SEEK_SET);
      const bool is_of_its_group = comm->rank() / 2 == bad_rank / 2;
      const Error error = error_of([&] { EXPECT_TRUE(file->write_together(bytes)); });
      EXPECT_EQ(error.code(), is_of_its_group ? Code::wrong_state : Code::ok) << error.what();
      EXPECT_TRUE(file->write_together(bytes));
      file->close();
    });
    run_ranks(4, [&](Handle comm) {
      const auto file = ParallelFile::open(make_team(comm), opening_of(storage::posix(), directory / "together.sion"));
      const auto rank = static_cast<std::byte>(comm->rank());
      const std::size_t calls = comm->rank() / 2 == bad_rank / 2 ? 2 : 3;
      EXPECT_EQ(read_all(*file, false), std::vector<std::byte>(calls * 1000, rank));
      file->close();
    });
  }
}

TEST(ParallelFile, CollectorsReadForTheirGroups) {
  const std::string path = std::string(LQ_SOURCE_DIR) + "/tests/golden/good/sion/v10_collective.sion";
  run_ranks(4, [&](Handle comm) {
    const auto file =
        ParallelFile::open(make_team(comm), opening_of(storage::posix(), path, "br,posix,collective,collsize=4"));
    ASSERT_TRUE(file->is_collective());
    const int rank = comm->rank();
    std::vector<std::byte> all;
    for (int call = 0; call < 2; ++call) {
      std::vector<std::byte> buffer(static_cast<std::size_t>(300 + 10 * rank));
      const std::size_t got = file->read_together(buffer);
      all.insert(all.end(), buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(got));
    }
    EXPECT_EQ(all, vector_bytes(10, rank, 0, 600 + 20 * rank));
    file->close();
  });
}

TEST(ParallelFile, AWriteLargerThanAChunkWritesNothing) {
  const auto memory = storage::make_memory();
  run_ranks(2, [&](Handle comm) {
    const auto file = create(comm, *memory, {"f", "bw,posix", 2, 1, 1, 64, {64, 64}, {}, 0});
    EXPECT_FALSE(file->write(vector_bytes(1, 0, 0, 65)));
    EXPECT_TRUE(file->write(vector_bytes(1, 0, 0, 64)));
    EXPECT_EQ(file->selected().stream.size(), 64U);
    file->close();
  });
}

TEST(ParallelFile, OtherChunkSizesCanBeChosenBeforeDataAreWritten) {
  const auto memory = storage::make_memory();
  run_ranks(2, [&](Handle comm) {
    const auto file = create(comm, *memory, {"f", "bw,posix", 2, 1, 1, 64, {64, 64}, {}, 0});
    file->resize_chunks(1000);
    EXPECT_TRUE(file->write(vector_bytes(1, comm->rank(), 0, 1000)));
    EXPECT_EQ(error_of([&] { file->resize_chunks(10); }).code(), Code::wrong_state);
    file->close();
    const auto back = ParallelFile::open(make_team(comm), opening_of(*memory, "f"));
    EXPECT_EQ(back->selected().stream.width(), 1024U);
    EXPECT_EQ(read_all(*back, false), vector_bytes(1, comm->rank(), 0, 1000));
    back->close();
  });
}

// All ranks must get this error, and none may wait indefinitely: run_ranks notices.
template <class Work>
void expect_everywhere(int ranks, Code code, const Work& work) {
  run_ranks(ranks, [&](Handle comm) {
    const Error error = error_of([&] { work(comm); });
    EXPECT_EQ(error.code(), code) << "rank " << comm->rank() << ": " << error.what();
  });
}

TEST(ParallelFile, ReadingWithAnotherNumberOfTasksIsAnErrorThatNamesBoth) {
  const std::string path = std::string(LQ_SOURCE_DIR) + "/tests/golden/good/sion/v02_2files_5tasks.sion";
  for (const int ranks : {1, 3, 6}) {
    run_ranks(ranks, [&](Handle comm) {
      const Error error = error_of([&] { ParallelFile::open(make_team(comm), opening_of(storage::posix(), path)); });
      EXPECT_EQ(error.code(), Code::invalid_argument);
      EXPECT_EQ(error.facts().expected, "5 tasks");
    });
  }
}

TEST(ParallelFile, WhatCannotBeIsRefusedOnAllTasks) {
  const auto memory = storage::make_memory();
  const Vector good{"f", "bw,posix", 3, 1, 1, 64, {64, 64, 64}, {}, 0};
  expect_everywhere(3, Code::invalid_argument, [&](const Handle& comm) {
    Vector bad = good;
    bad.block = 0;
    create(comm, *memory, bad);
  });
  expect_everywhere(3, Code::invalid_argument, [&](const Handle& comm) {
    Vector bad = good;
    bad.chunks[1] = -1;  // on one rank
    create(comm, *memory, bad);
  });
  expect_everywhere(3, Code::ranks_disagree, [&](const Handle& comm) {
    Vector bad = good;
    bad.block = comm->rank() == 2 ? 128 : 64;
    create(comm, *memory, bad);
  });
  expect_everywhere(3, Code::too_large, [&](const Handle& comm) {
    Vector bad = good;
    bad.chunks = {INT64_MAX / 2, INT64_MAX / 2, INT64_MAX / 2};
    create(comm, *memory, bad);
  });
  const std::string long_name(1024, 'n');
  expect_everywhere(3, Code::invalid_argument, [&](const Handle& comm) {
    Vector bad = good;
    bad.name = long_name.c_str();
    create(comm, *memory, bad);
  });
  EXPECT_EQ(error_of([] { locate_evenly(0, 3, 4); }).code(), Code::invalid_argument);
}

TEST(ParallelFile, AFolderThatIsNotThereIsAnErrorOnAllTasks) {
  expect_everywhere(3, Code::not_found, [](const Handle& comm) {
    create(comm, storage::posix(), {"/no/such/folder/f", "bw,posix", 3, 1, 1, 64, {64, 64, 64}, {}, 0});
  });
}

TEST(ParallelFile, AnUnclosedFileIsRefusedOnAllTasks) {
  const std::string path = std::string(LQ_SOURCE_DIR) + "/tests/golden/good/sion/v17_unclosed.sion";
  expect_everywhere(3, Code::truncated, [&](const Handle& comm) {
    ParallelFile::open(make_team(comm), opening_of(storage::posix(), path));
  });
}

TEST(ParallelFile, AMissingPhysicalFileIsAnErrorOnAllTasks) {
  const auto memory = storage::make_memory();
  memory->create("v02")->write_at(0, golden_vector("v02_2files_5tasks.sion"));
  expect_everywhere(5, Code::not_found,
                    [&](const Handle& comm) { ParallelFile::open(make_team(comm), opening_of(*memory, "v02")); });
}

TEST(ParallelFile, ASwappedPhysicalFileIsAnErrorOnAllTasks) {
  const auto memory = storage::make_memory();
  memory->create("v02")->write_at(0, golden_vector("v02_2files_5tasks.sion"));
  memory->create("v02.000001")->write_at(0, golden_vector("v12_mapped.sion.000001"));  // 3 tasks, too, of another set
  expect_everywhere(5, Code::malformed,
                    [&](const Handle& comm) { ParallelFile::open(make_team(comm), opening_of(*memory, "v02")); });
}

TEST(ParallelFile, NeverHangsWhateverOperationFailsAndNeverLooksCompleteThen) {
  const Vector vector{"f", "bw,posix", 4, 2, 1, 64, {64, 200, 64, 64}, {100, 150, 0, 64}, 50};
  const auto attempt = [&](storage::Transport& transport) {
    run_ranks(4, [&](Handle comm) {
      const auto file = create(comm, transport, vector);
      // A rank whose writes fail still comes to the close.
      const Error failed = error_of([&] { write_all(*file, vector, comm->rank()); });
      if (failed.code() == Code::ok) return file->close();
      EXPECT_NE(error_of([&] { file->close(); }).code(), Code::communication);
      throw failed;
    });
  };
  const auto clean = storage::make_memory();
  testing::FaultyTransport counting(*clean);
  attempt(counting);
  for (const auto fault : {testing::Fault::error, testing::Fault::short_write}) {
    for (std::int64_t k = 0; k < counting.operations(); ++k) {
      const auto memory = storage::make_memory();
      testing::FaultyTransport faulty(*memory, k, fault);
      const Error error = error_of([&] { attempt(faulty); });
      if (!faulty.has_failed()) continue;
      EXPECT_NE(error.code(), Code::communication) << "operation " << k << ": " << error.what();
    }
  }
}

}  // namespace
}  // namespace lq::multifile
