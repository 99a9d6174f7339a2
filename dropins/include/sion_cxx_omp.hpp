// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A multifile of the threads of a parallel region: each thread has its own object, and all of them open and
// close.
#ifndef SION_CXX_OMP_HPP_
#define SION_CXX_OMP_HPP_

#ifdef SION_OMP

#include <string>

#include "sion_cxx_parallel.hpp"

namespace sionlib {
namespace omp {

class SIONFile : public ParallelFile {
 public:
  // To be opened.
  explicit SIONFile(std::string sion_file_name, std::string mode = "bw", int global_rank = 0);

  // Collective over the threads.
  void open();
  void close();
};

}  // namespace omp
}  // namespace sionlib

#endif

#endif
