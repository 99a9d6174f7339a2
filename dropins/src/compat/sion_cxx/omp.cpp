// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#ifndef SION_OMP
#define SION_OMP
#endif
#include <sion_cxx_omp.hpp>

namespace sionlib {
namespace omp {

SIONFile::SIONFile(std::string sion_file_name, std::string mode, int global_rank)
    : ParallelFile(sion_file_name, mode, 1, global_rank) {}

void SIONFile::open() {
  setSid(
      sion_paropen_omp(getSionFileName(), _mode.c_str(), &_chunk_size, &_fs_blk_size, &_global_rank, NULL, newName()));
}

void SIONFile::close() {
  setResult(sion_parclose_omp(_sid));
  _sid = SION_ID_UNDEF;
}

}  // namespace omp
}  // namespace sionlib
