// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// ompi_partest: the same for the threads of all ranks, as many as OpenMP provides.
#include <omp.h>

#include "programs/partest/target.hpp"

int main(int argc, char** argv) {
  omp_set_dynamic(0);
  lq::partest::Program program;
  program.name = "ompi_partest";
  program.threads = omp_get_max_threads();
  program.on_threads = [threads = program.threads](const std::function<void(int)>& work) {
#pragma omp parallel num_threads(threads)
    work(omp_get_thread_num());
  };
  return lq::partest::run_benchmark(argc, argv, program);
}
