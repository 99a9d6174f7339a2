// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What partest and ompi_partest share: all but who their tasks are.
#pragma once

#include <functional>

namespace lq::partest {

struct Program {
  const char* name = "partest";
  int threads = 0;  // of each rank that are tasks; 0: ranks are
  // Runs work(thread) on all of them, the caller being thread 0.
  std::function<void(const std::function<void(int thread)>& work)> on_threads = [](const auto& work) { work(0); };
};

// Between MPI_Init and MPI_Finalize, which it calls. Returns the exit status.
int run_benchmark(int argc, char** argv, const Program& program);

}  // namespace lq::partest
