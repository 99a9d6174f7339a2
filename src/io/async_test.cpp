// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Transfers in flight against the same transfers in the foreground.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <limequat/async.hpp>
#include <limequat/error.hpp>
#include <limequat/file.hpp>

#include "io/background.hpp"
#include "support/error_of.hpp"
#include "support/file_contents.hpp"
#include "support/formula_field.hpp"
#include "support/scratch_directory.hpp"
#include "support/thread_comm.hpp"
#include "support/ways_here.hpp"

namespace lq {
namespace {

using testing::contents;
using testing::error_of;
using testing::formula_sites;

const Extents lattice{8, 4, 4, 8};

class Async : public ::testing::TestWithParam<Strategy> {
 protected:
  static RouteOptions route() { return {.strategy = GetParam(), .chunk_bytes = 8192}; }
  // On four ranks of two nodes, x and z split.
  static void on_ranks(const std::function<void(const Grid&)>& body) {
    testing::run_ranks(4,
                       [&](std::shared_ptr<comm::Comm> comm) {
                         body(Grid(Communicator(std::move(comm)), lattice, {.processes = Extents{2, 1, 2, 1}}));
                       },
                       {.ranks_per_node = 2});
  }
  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(directory_.path()), std::filesystem::directory_iterator()));
  }

  testing::ScratchDirectory directory_;
};

TEST_P(Async, SeveralWritesInFlightLeaveTheFilesOfWritesInTheForeground) {
  on_ranks([&](const Grid& grid) {
    std::vector<double> u = formula_sites<double>(grid, 72);
    std::vector<double> v = u;
    for (double& number : v) number *= 2;
    Pending first = write_async(directory_ / "u.ildg", grid, gauge(u), {.route = route()});
    Pending second = write_async(directory_ / "v.ildg", grid, gauge(v), {.route = route()});
    while (!second.test()) std::this_thread::yield();
    EXPECT_FALSE(std::filesystem::exists(directory_ / "v.ildg")) << "a file appears when it is waited for";
    const Report report = first.wait();
    EXPECT_EQ(report.strategy, GetParam());
    second.wait();
    write(directory_ / "v-too.ildg", grid, gauge(v));
    EXPECT_EQ(error_of([&] { second.wait(); }).code(), Code::wrong_state);
  });
  EXPECT_EQ(contents(directory_ / "v.ildg"), contents(directory_ / "v-too.ildg"));
  EXPECT_EQ(files(), 3U);
}

TEST_P(Async, ReadsBringWhatWasWritten) {
  on_ranks([&](const Grid& grid) {
    const std::vector<double> u = formula_sites<double>(grid, 72);
    write(directory_ / "u.ildg", grid, gauge(u));
    std::vector<double> v(u.size()), w(u.size());
    Pending first = read_async(directory_ / "u.ildg", grid, gauge(v), {.route = route()});
    Pending second = read_async(directory_ / "u.ildg", grid, gauge(w), {.route = route()});
    EXPECT_EQ(first.wait().status, ChecksumStatus::ok);
    EXPECT_EQ(second.wait().status, ChecksumStatus::ok);
    EXPECT_EQ(u, v);
    EXPECT_EQ(u, w);
  });
}

TEST_P(Async, ACancelledWriteLeavesNoFileAndTheOldOne) {
  on_ranks([&](const Grid& grid) {
    std::vector<double> u = formula_sites<double>(grid, 72);
    write(directory_ / "old.ildg", grid, gauge(u));
    const std::string before = contents(directory_ / "old.ildg");
    u[0] += 1;
    Pending over = write_async(directory_ / "old.ildg", grid, gauge(u), {.overwrite = true, .route = route()});
    Pending fresh = write_async(directory_ / "new.ildg", grid, gauge(u), {.route = route()});
    over.cancel();
    fresh.cancel();
    EXPECT_EQ(contents(directory_ / "old.ildg"), before);
    EXPECT_EQ(files(), 1U);
    grid.communicator().barrier();
    { const Pending given_up = write_async(directory_ / "new.ildg", grid, gauge(u), {.route = route()}); }
    grid.communicator().barrier();
    EXPECT_EQ(files(), 1U);
    EXPECT_EQ(error_of([&] { fresh.wait(); }).code(), Code::wrong_state);
  });
}

TEST_P(Async, ErrorsComeWhenTheyAreKnown) {
  on_ranks([&](const Grid& grid) {
    const std::vector<double> u = formula_sites<double>(grid, 72);
    EXPECT_EQ(error_of([&] { write_async(directory_ / "no/u.ildg", grid, gauge(u)); }).code(), Code::not_found);
    write(directory_ / "u.ildg", grid, gauge(u));
    grid.communicator().barrier();
    if (grid.is_root()) {
      std::fstream file(directory_ / "u.ildg", std::ios::in | std::ios::out | std::ios::binary);
      file.seekp(3000);
      file.put('x');
    }
    grid.communicator().barrier();
    std::vector<double> v(u.size());
    Pending reading = read_async(directory_ / "u.ildg", grid, gauge(v), {.route = route()});
    EXPECT_EQ(error_of([&] { reading.wait(); }).code(), Code::checksum_mismatch);
  });
}

INSTANTIATE_TEST_SUITE_P(By, Async, ::testing::ValuesIn(testing::strategies_here()));

TEST(Borrowing, AFieldThatChangesIsNoticed) {
  std::vector<double> u(720, 1.5);
  const Grid grid({2, 2, 2, 1});  // needs the first 576 of them
  const io::BufferGuard guarded(grid, field_in(std::as_const(u), generic_spec(Precision::double_, 72, false)), true);
  const io::BufferGuard trusting(grid, field_in(std::as_const(u), generic_spec(Precision::double_, 72, false)), false);
  guarded.require_unchanged("u.lime");
  u[700] = 2.5;
  guarded.require_unchanged("u.lime");
  u[500] = 2.5;
  EXPECT_EQ(error_of([&] { guarded.require_unchanged("u.lime"); }).code(), Code::wrong_state);
  trusting.require_unchanged("u.lime");
}

TEST(ReadAhead, BringsEveryFieldInTurn) {
  const testing::ScratchDirectory directory;
  testing::run_ranks(2, [&](std::shared_ptr<comm::Comm> comm) {
    const Grid grid(Communicator(std::move(comm)), lattice);
    const std::vector<double> u = formula_sites<double>(grid, 72);
    std::vector<std::string> paths;
    for (int i = 0; i < 5; ++i) {
      std::vector<double> v = u;
      for (double& number : v) number += i;
      paths.push_back(directory / fmt::format("u{}.ildg", i));
      write(paths.back(), grid, gauge(v));
    }
    std::vector<std::vector<double>> memory(2, std::vector<double>(u.size()));
    ReadAhead ahead(paths, grid, {gauge(memory[0]), gauge(memory[1])});
    int i = 0;
    while (const auto arrival = ahead.next()) {
      EXPECT_EQ(arrival->path, paths[static_cast<std::size_t>(i)]);
      EXPECT_EQ(memory[arrival->buffer].front(), u.front() + i);
      EXPECT_EQ(memory[arrival->buffer].back(), u.back() + i);
      ++i;
    }
    EXPECT_EQ(i, 5);
    paths[2] = directory / "no-such.ildg";
    ReadAhead broken(paths, grid, {gauge(memory[0]), gauge(memory[1])});
    EXPECT_EQ(broken.next()->path, paths[0]);
    EXPECT_EQ(broken.next()->path, paths[1]);
    EXPECT_EQ(error_of([&] { broken.next(); }).code(), Code::not_found);
    EXPECT_EQ(error_of([&] { broken.next(); }).code(), Code::wrong_state);
    EXPECT_EQ(error_of([&] { ReadAhead(paths, grid, {gauge(memory[0])}); }).code(), Code::invalid_argument);
  });
}

TEST(Transfer, InFlightIsLeftToTheParentByAForkedChild) {
  const testing::ScratchDirectory directory;
  const Grid grid(Extents{16, 16, 16, 16});
  const std::vector<double> u = formula_sites<double>(grid, 72);
  Pending pending = write_async(directory / "u.ildg", grid, gauge(u));
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);  // rather than indefinitely
    for (const auto& call : {+[](Pending& one) { static_cast<void>(one.wait()); }, +[](Pending& one) { one.test(); },
                             +[](Pending& one) { one.cancel(); }}) {
      if (error_of([&] { call(pending); }).code() != Code::wrong_state) ::_exit(1);
    }
    { const Pending inherited = std::move(pending); }
    ::_exit(0);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(pending.wait().status, ChecksumStatus::ok);
  EXPECT_TRUE(std::filesystem::exists(directory / "u.ildg"));
}

}  // namespace
}  // namespace lq
