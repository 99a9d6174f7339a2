// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The Comm over MPI, asked what every Comm is asked: on all ranks, on parts of them, and with messages so small
// that all data travel in many pieces, as data beyond 1 GiB do.
#include "mpi/mpi_comm.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <tuple>

#include "comm/agree.hpp"
#include "mpi/harness.hpp"
#include "support/comm_suite.hpp"

namespace lq::mpi {
namespace {

using testing::CommQuestion;
using testing::same_error_of;
using testing::world_rank;
using testing::world_size;

constexpr std::size_t tiny_chunk = 8;

std::unique_ptr<comm::Comm> whole_world(std::size_t chunk_bytes = default_chunk_bytes) {
  MPI_Comm duplicate = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &duplicate);
  return std::make_unique<MpiComm>(duplicate, chunk_bytes);
}

// Made once: communicators are slow to make where ranks share cores.
comm::Comm* group(const std::string& name) {
  static const auto world = whole_world();
  static const auto pieces = whole_world(tiny_chunk);
  static const auto reversed = world->split(0, -world_rank());
  static const auto every_other = world->split(world_rank() % 2, 0);
  static const auto halves = pieces->split(world_rank() < world_size() / 2 ? 1 : 0, 0);
  static const auto all_but_last = world->split(world_rank() == world_size() - 1 ? -1 : 0, 0);
  static const std::map<std::string, comm::Comm*> groups{
      {"world", world.get()},
      {"world_in_pieces", pieces.get()},
      {"world_reversed", reversed.get()},
      {"every_other_rank", every_other.get()},
      {"halves_in_pieces", halves.get()},
      {"all_but_the_last", all_but_last.get()},
  };
  return groups.at(name);
}

class MpiComms : public ::testing::TestWithParam<std::tuple<const char*, CommQuestion>> {};

INSTANTIATE_TEST_SUITE_P(
    Every, MpiComms,
    ::testing::Combine(::testing::Values("world", "world_in_pieces", "world_reversed", "every_other_rank",
                                         "halves_in_pieces", "all_but_the_last"),
                       ::testing::ValuesIn(testing::all_comm_questions())),
    [](const auto& test) { return std::string(std::get<0>(test.param)) + "_" + std::get<1>(test.param).name; });

TEST_P(MpiComms, AnswersAsEveryComm) {
  comm::Comm* const comm = group(std::get<0>(GetParam()));
  if (comm != nullptr) std::get<1>(GetParam()).ask(*comm);
}

std::vector<std::byte> pattern(std::size_t bytes, int seed) {
  std::vector<std::byte> data(bytes);
  for (std::size_t i = 0; i < bytes; ++i)
    data[i] = static_cast<std::byte>((i * 131 + i / 251) ^ static_cast<std::size_t>(seed));
  return data;
}

// Sizes around multiples of the chunk, where pieces are exact, one more, one less.
class MpiCommPieces : public ::testing::TestWithParam<std::size_t> {
 protected:
  static constexpr std::size_t chunk = 4096;
  std::size_t bytes_ = GetParam();
  static comm::Comm& in_pieces() {
    static const auto world = whole_world(chunk);
    return *world;
  }
};
INSTANTIATE_TEST_SUITE_P(Bytes, MpiCommPieces, ::testing::Values(0, 1, 4095, 4096, 4097, 8192, 8193, 100'000));

TEST_P(MpiCommPieces, BroadcastArrivesWhole) {
  std::vector<std::byte> data = world_rank() == 0 ? pattern(bytes_, 1) : std::vector<std::byte>(bytes_);
  in_pieces().broadcast(data, 0);
  EXPECT_EQ(data, pattern(bytes_, 1));
}

TEST_P(MpiCommPieces, ReductionTakesEveryElement) {
  std::vector<std::uint64_t> values(bytes_ / 8);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = i;
  in_pieces().all_reduce(values, comm::Reduce::sum);
  for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(values[i], i * static_cast<std::size_t>(world_size()));
}

TEST_P(MpiCommPieces, GatherAndScatterArriveWhole) {
  const int root = world_size() - 1;
  const auto parts = in_pieces().gather(pattern(bytes_, world_rank()), root);
  for (std::size_t r = 0; r < parts.size(); ++r) EXPECT_EQ(parts[r], pattern(bytes_, static_cast<int>(r)));
  EXPECT_EQ(in_pieces().scatter(parts, root), pattern(bytes_, world_rank()));
}

TEST_P(MpiCommPieces, ExchangedMessagesArriveWhole) {
  for (int round = 0; round < 3; ++round) {
    std::vector<comm::Message> outgoing;
    for (int to = 0; to < world_size(); ++to) outgoing.push_back({to, pattern(bytes_, world_rank() + 8 * to + round)});
    const auto incoming = in_pieces().all_to_all(std::move(outgoing));
    ASSERT_EQ(incoming.size(), static_cast<std::size_t>(world_size()));
    for (const auto& message : incoming) {
      EXPECT_EQ(message.bytes, pattern(bytes_, message.rank + 8 * world_rank() + round));
    }
  }
}

TEST(MpiComm, MisuseOfMpiIsACommunicationError) {
  comm::Comm* const comm = group("world");
  std::vector<std::byte> data(3);
  const Error error = same_error_of([&] { comm->broadcast(data, world_size() + 3); });
  EXPECT_EQ(error.code(), Code::communication);
  EXPECT_EQ(std::string(error.what()).rfind("MPI: cannot broadcast: ", 0), 0u);
  EXPECT_FALSE(error.facts().found.empty());
}

// Errors of a single rank need not say which.
void expect_rank(const Error& error, int rank) {
  EXPECT_EQ(error.facts().rank, world_size() > 1 ? std::optional(rank) : std::nullopt);
}

TEST(MpiAgree, ErrorsOfAnyRankAreErrorsOfAll) {
  comm::Comm* const comm = group("world");
  for (int failing = 0; failing < world_size(); ++failing) {
    const Error error = same_error_of([&] {
      comm::agree(*comm, [&] {
        if (world_rank() != failing) return;
        ErrorFacts facts;
        facts.path = "conf.lime";
        facts.offset = 123;
        throw Error(Code::truncated, "conf.lime: ends too early", facts);
      });
    });
    EXPECT_EQ(error.code(), Code::truncated);
    expect_rank(error, failing);
    EXPECT_EQ(error.facts().offset, 123u);
  }
}

TEST(MpiAgree, TheLowestFailingRankSpeaks) {
  comm::Comm* const comm = group("world");
  const Error error = same_error_of([&] {
    comm::agree(*comm, [] {
      if (world_rank() >= world_size() / 2) throw Error(Code::io, "rank " + std::to_string(world_rank()));
    });
  });
  expect_rank(error, world_size() / 2);
}

TEST(MpiAgree, RanksThatDifferAreNamed) {
  comm::Comm* const comm = group("world");
  EXPECT_EQ(same_error_of([&] { comm::require_same(*comm, "same", "path"); }).code(), Code::ok);
  if (world_size() < 2) return;
  const Error error =
      same_error_of([&] { comm::require_same(*comm, world_rank() == world_size() - 1 ? "b" : "a", "path"); });
  EXPECT_EQ(error.code(), Code::ranks_disagree);
  EXPECT_EQ(error.facts().rank, world_size() - 1);
}

}  // namespace
}  // namespace lq::mpi
