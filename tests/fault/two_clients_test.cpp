// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Everything of the library that writes files with several ranks, where these are two clients whose caches do not know
// of each other: no client, and no server, has another file than one process writes alone.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <limequat/limequat.hpp>

#include "multifile/mapped_file.hpp"
#include "multifile/parallel_file.hpp"
#include "support/cached_clients.hpp"
#include "support/error_of.hpp"
#include "support/every_writer.hpp"
#include "support/file_contents.hpp"
#include "support/scratch_directory.hpp"
#include "support/thread_comm.hpp"

namespace lq {
namespace {

using testing::TwoCachedClients;
using testing::Work;

class TwoClients : public ::testing::TestWithParam<Work> {
 protected:
  TwoClients() { testing::write_source(source_); }

  void by_all(const std::function<void(const Communicator& ranks)>& work) {
    testing::run_ranks(4, [&](std::shared_ptr<comm::Comm> comm) {
      TwoCachedClients::mine() = comm->rank() % 2;
      work(Communicator(std::move(comm)));
    });
  }

  // A file there as each client reads it after all.
  std::string seen_by(int client, const std::string& path) {
    const int before = std::exchange(TwoCachedClients::mine(), client);
    const auto file = clients_.open_read(path);
    std::string bytes(static_cast<std::size_t>(file->size()), '?');
    file->read_at(0, std::as_writable_bytes(std::span(bytes)));
    TwoCachedClients::mine() = before;
    return bytes;
  }

  // The checkpoints of a folder.
  static bool is_valid_for(int client, const std::string& folder) {
    const int before = std::exchange(TwoCachedClients::mine(), client);
    const bool is_valid = testing::are_valid(folder);
    TwoCachedClients::mine() = before;
    return is_valid;
  }

  const testing::ScratchDirectory own_, there_;
  const std::string source_ = own_ / "source.ildg";
  TwoCachedClients clients_{storage::posix()};
  const storage::Mount mount_{there_.path(), clients_};
};

TEST_P(TwoClients, GetTheFileOfOneProcess) {
  const std::string alone = own_ / "alone";
  std::filesystem::create_directory(alone);
  GetParam().run(source_, alone + "/file", Communicator());
  by_all([&](const Communicator& ranks) { GetParam().run(source_, there_ / "file", ranks); });
  for (const auto& [name, bytes] : testing::files_made_in(alone)) {
    if (std::filesystem::is_directory(there_ / name)) {
      for (const int client : {0, 1}) EXPECT_TRUE(is_valid_for(client, there_ / name)) << client;
      continue;
    }
    const std::string made = testing::contents(there_ / name);
    EXPECT_TRUE(GetParam().is_marked ? testing::is_sound(there_ / name) : made == bytes) << name;
    for (const int client : {0, 1}) EXPECT_TRUE(seen_by(client, there_ / name) == made) << name << ' ' << client;
  }
}

INSTANTIATE_TEST_SUITE_P(Writers, TwoClients, ::testing::ValuesIn(testing::works()),
                         [](const auto& one) { return one.param.name; });

class TwoClientsWithStreams : public TwoClients {};

// Chunks are whole blocks, and what closes a file is behind them.
TEST_F(TwoClientsWithStreams, SeeAllOfThemInEachClient) {
  const std::string path = there_ / "run.sion";
  for (const bool goes_on : {false, true}) {
    by_all([&](const Communicator& ranks) {
      const Grid grid = testing::grid_of(ranks);
      const auto links = testing::links_in(source_, grid);
      MultifileWriter set = goes_on ? MultifileWriter::append(path, ranks) : MultifileWriter(path, ranks, {.files = 2});
      const std::string line = "of rank " + std::to_string(ranks.rank()) + "\n";
      for (int i = 0; i < 10'000; ++i) set.stream().write(line);
      set.write_field(goes_on ? "second" : "first", grid, gauge(links));
      set.close();
      // While the object is still there.
      const MultifileReader reader(path);
      for (int task = 0; task < 4; ++task)
        EXPECT_EQ(reader.task(task).read_all().size(), goes_on ? 200'000U : 100'000U);
      ranks.agree({});
    });
  }
  for (const int client : {0, 1}) {
    TwoCachedClients::mine() = client;
    const MultifileReader reader(path);
    ASSERT_EQ(reader.tasks(), 4);
    for (int task = 0; task < 4; ++task) EXPECT_EQ(reader.task(task).read_all().size(), 200'000U);
    EXPECT_TRUE(verify(path).ok) << client;
  }
  TwoCachedClients::mine() = 0;
}

// The engine of sion.h: single files and several, each task for itself, with collectors, and dealt out to processes;
// blocks that are smaller than those of the file system, as programs ask for.
class TwoClientsWithMultifiles : public TwoClients {
 protected:
  static std::vector<std::byte> bytes_of(std::int64_t rank) {
    return std::vector<std::byte>(static_cast<std::size_t>(30'000 + 5'000 * rank), static_cast<std::byte>(rank + 1));
  }
  void expect_all(const std::string& path, std::int64_t tasks) {
    for (const int client : {0, 1}) {
      const int before = std::exchange(TwoCachedClients::mine(), client);
      multifile::Opening request;
      request.path = path;
      request.mode = multifile::parse_mode("br,posix");
      request.opener.transport = &clients_;
      std::vector<std::int64_t> ranks;
      for (std::int64_t rank = 0; rank < tasks; ++rank) ranks.push_back(rank);
      const auto file = multifile::MappedFile::open(comm::make_self(), request, ranks);
      for (std::size_t task = 0; task < ranks.size(); ++task) {
        file->select(task);
        std::vector<std::byte> found(100'000);
        found.resize(file->read_stream(0, found));
        EXPECT_TRUE(found == bytes_of(ranks[task])) << path << " task " << task << " client " << client;
      }
      file->close();
      TwoCachedClients::mine() = before;
    }
  }
};

TEST_F(TwoClientsWithMultifiles, EachTaskForItselfAndWithCollectors) {
  for (const char* mode : {"bw,posix", "bw,posix,collective,collsize=2", "bw,posix,collective,collsize=4"}) {
    for (const std::int32_t files : {1, 2}) {
      for (const std::int32_t block : {512, -1}) {
        const std::string path = there_ / fmt::format("{}_{}_{}.sion", std::string(mode).size(), files, block);
        by_all([&](const Communicator& ranks) {
          const auto handle = std::shared_ptr<comm::Comm>(std::shared_ptr<void>(), &ranks.engine());
          multifile::Creation request;
          request.path = path;
          request.mode = multifile::parse_mode(mode);
          request.chunk_bytes = 10'000;
          request.block_size = block;
          request.rank = ranks.rank();
          request.location = multifile::locate_evenly(ranks.rank(), ranks.size(), files);
          request.opener.transport = &clients_;
          const auto file = multifile::ParallelFile::create(multifile::make_team(handle), request);
          const auto bytes = bytes_of(ranks.rank());
          if (file->is_collective()) {
            std::size_t at = 0;
            for (int call = 0; call < 5; ++call) {
              const std::size_t piece = bytes.size() / 5;
              EXPECT_TRUE(file->write_together(std::span(bytes).subspan(at, piece)));
              at += piece;
            }
          } else {
            file->write_across(bytes);
          }
          file->close();
        });
        expect_all(path, 4);
      }
    }
  }
}

TEST_F(TwoClientsWithMultifiles, TasksOfProcesses) {
  const std::string path = there_ / "mapped.sion";
  by_all([&](const Communicator& ranks) {
    const auto handle = std::shared_ptr<comm::Comm>(std::shared_ptr<void>(), &ranks.engine());
    multifile::MappedCreation request;
    request.path = path;
    request.mode = multifile::parse_mode("bw,posix");
    request.files = 2;
    request.block_size = 512;
    request.opener.transport = &clients_;
    for (int k = 0; k < 2; ++k) {
      const int task = k * ranks.size() + ranks.rank();
      request.tasks.push_back({task, 10'000, task % 2, task / 2});
    }
    const auto file = multifile::MappedFile::create(handle, request);
    for (std::size_t task = 0; task < file->tasks(); ++task) {
      file->select(task);
      file->write_across(bytes_of(file->selected().rank));
    }
    file->close();
  });
  expect_all(path, 8);
}

class TwoClientsWithViews : public TwoClients {
 protected:
  // The part of the set's array at `path` that a cut gives each rank, with every byte turned, and then the whole file.
  void turn(const std::string& path, const std::string& cut, bool together) {
    by_all([&](const Communicator& ranks) {
      View view(path, cut + ":" + std::to_string(ranks.size()), static_cast<std::uint64_t>(ranks.rank()),
                {.writable = true});
      std::vector<std::byte> bytes(static_cast<std::size_t>(view.size()));
      view.read_all(bytes, ranks);
      for (std::byte& byte : bytes) byte = ~byte;
      if (together) {
        view.write_all(bytes, ranks, {.chunk_bytes = 50'000});
      } else {
        view.write(bytes);
      }
      view.close();
    });
    const FileArray array = partitioned_file(source_).partition.array();
    for (std::uint64_t at = array.begin; at < array.end(); ++at) expected_[at] = static_cast<char>(~expected_[at]);
  }

  std::string all_of(int client, const std::string& path) {
    const int before = std::exchange(TwoCachedClients::mine(), client);
    View view(path);
    std::string bytes(static_cast<std::size_t>(view.size()), '?');
    view.read(std::as_writable_bytes(std::span(bytes)));
    TwoCachedClients::mine() = before;
    return bytes;
  }

  std::string expected_ = testing::contents(source_);
};

TEST_F(TwoClientsWithViews, WriteTogetherInSetsAndFiles) {
  for (const char* to : {"whole", "t=block:3,x=cyclic:2", "y=block:4"}) {
    const std::string path = there_ / "some.set";
    by_all([&](const Communicator& ranks) { repartition(source_, path, ranks, {.to = to, .overwrite = true}); });
    expected_ = testing::contents(source_);
    turn(path, "y=cyclic", true);
    for (const int client : {0, 1}) EXPECT_TRUE(all_of(client, path) == expected_) << to << ' ' << client;
  }
}

TEST_F(TwoClientsWithViews, WriteSinglyWhereTheyShareNoSubfile) {
  const std::string path = there_ / "some.set";
  by_all([&](const Communicator& ranks) { repartition(source_, path, ranks, {.to = "y=block:4"}); });
  turn(path, "y=block", false);
  for (const int client : {0, 1}) EXPECT_TRUE(all_of(client, path) == expected_) << client;
  const Error refused = testing::error_of([&] { View(path, "x=cyclic:2", 1, {.writable = true}).write({}); });
  EXPECT_EQ(refused.code(), Code::unsupported);
  EXPECT_NE(std::string(refused.what()).find("write_all()"), std::string::npos) << refused.what();
  View(path, "whole", 0, {.writable = true}).write({});
}

}  // namespace
}  // namespace lq
