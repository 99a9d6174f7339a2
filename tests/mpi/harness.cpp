// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The main program of the MPI tests. Rank 0 prints what GoogleTest prints; the others print failures only, at once,
// because a rank that failed may leave the rest waiting for it.
#include "mpi/harness.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <thread>

namespace lq::testing {

void wait(MPI_Request request) {
  for (int done = 0; done == 0; MPI_Test(&request, &done, MPI_STATUS_IGNORE)) std::this_thread::yield();
}

bool anywhere(bool here) {
  int is_there = here ? 1 : 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(MPI_IN_PLACE, &is_there, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &request);
  wait(request);
  return is_there == 1;
}

int same(int code) {
  int ends[2] = {code, -code};
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(MPI_IN_PLACE, ends, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &request);
  wait(request);
  EXPECT_EQ(ends[0], -ends[1]) << "ranks got different codes";
  return ends[0] != 0 ? ends[0] : -ends[1];
}

namespace {

class RankListener : public ::testing::EmptyTestEventListener {
 public:
  // The verdict is of all ranks; those who see no failure of their own wait here for the others.
  void OnTestEnd(const ::testing::TestInfo& test) override {
    int failed = test.result()->Failed() ? 1 : 0;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Iallreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    wait(request);
    failed_tests_ += failed > 0 ? 1 : 0;
    if (failed > 0 && world_rank() == 0) {
      std::fprintf(stderr, "[ %d of %d ranks ] failed %s.%s\n", failed, world_size(), test.test_suite_name(),
                   test.name());
    }
  }

  void OnTestPartResult(const ::testing::TestPartResult& part) override {
    if (!part.failed() || world_rank() == 0) return;
    const char* file = part.file_name() != nullptr ? part.file_name() : "unknown file";
    std::fprintf(stderr, "[ rank %d of %d ] %s:%d: %s\n", world_rank(), world_size(), file, part.line_number(),
                 part.message());
  }

  int failed_tests() const noexcept { return failed_tests_; }

 private:
  int failed_tests_ = 0;
};

std::string broadcast_from_root(std::string text) {
  int length = static_cast<int>(text.size());
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibcast(&length, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
  wait(request);
  text.resize(static_cast<std::size_t>(length));
  MPI_Ibcast(text.data(), length, MPI_CHAR, 0, MPI_COMM_WORLD, &request);
  wait(request);
  return text;
}

std::string describe(const Error& error) {
  const ErrorFacts& facts = error.facts();
  const auto number = [](const auto& value) { return value ? std::to_string(*value) : std::string("none"); };
  return std::to_string(static_cast<int>(error.code())) + " | " + error.what() + " | " + facts.path + " | " +
         facts.record + " | offset " + number(facts.offset) + " | rank " + number(facts.rank) + " | " + facts.expected +
         " | " + facts.found + " | errno " + std::to_string(facts.system_errno);
}

}  // namespace

int world_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

int world_size() {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

SharedDirectory::SharedDirectory() {
  if (world_rank() == 0) {
    const char* shared = std::getenv("LQ_SHARED_FILE_SYSTEM");  // a folder of a file system to be tried
    const auto parent = shared != nullptr ? std::filesystem::path(shared) : std::filesystem::temp_directory_path();
    path_ = (parent / "limequat-mpi-XXXXXX").string();
    if (::mkdtemp(path_.data()) == nullptr) path_.clear();
  }
  path_ = broadcast_from_root(path_);
  if (path_.empty()) throw std::runtime_error("cannot make a temporary directory");
}

SharedDirectory::~SharedDirectory() {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  wait(request);
  std::error_code ignored;
  if (world_rank() == 0) std::filesystem::remove_all(path_, ignored);
}

Error same_error_of(const std::function<void()>& work) {
  Error mine(Code::ok, "no error");
  try {
    work();
  } catch (const Error& error) {
    mine = error;
  } catch (const std::exception& error) {
    ADD_FAILURE() << "not an lq::Error: " << error.what();
  }
  EXPECT_EQ(describe(mine), broadcast_from_root(describe(mine)));
  return mine;
}

}  // namespace lq::testing

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  const lq::mpi::Environment environment(argc, argv);
  auto& listeners = ::testing::UnitTest::GetInstance()->listeners();
  if (lq::testing::world_rank() != 0) delete listeners.Release(listeners.default_result_printer());
  auto* listener = new lq::testing::RankListener;  // owned by GoogleTest
  listeners.Append(listener);
  const int mine = RUN_ALL_TESTS();
  return listener->failed_tests() == 0 ? mine : 1;
}
