// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Everything of the library that writes files with several ranks, where these are two clients whose caches do not know
// of each other: no client, and no server, has another file than one process writes alone.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include <limequat/limequat.hpp>

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

  const testing::ScratchDirectory own_, there_;
  const std::string source_ = own_ / "source.ildg";
  TwoCachedClients clients_{transport::posix()};
  const transport::Mount mount_{there_.path(), clients_};
};

TEST_P(TwoClients, GetTheFileOfOneProcess) {
  const std::string alone = own_ / "alone";
  std::filesystem::create_directory(alone);
  GetParam().run(source_, alone + "/file", Communicator());
  by_all([&](const Communicator& ranks) { GetParam().run(source_, there_ / "file", ranks); });
  for (const auto& [name, bytes] : testing::files_made_in(alone)) {
    EXPECT_TRUE(testing::contents(there_ / name) == bytes) << name;
    for (const int client : {0, 1}) EXPECT_TRUE(seen_by(client, there_ / name) == bytes) << name << ' ' << client;
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
