// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>
#include <sion_cxx_mpi.hpp>

namespace sionlib {
namespace mpi {

SIONFile::SIONFile(std::string sion_file_name, std::string mode, int num_files, int global_rank, MPI_Comm gComm,
                   MPI_Comm lComm)
    : ParallelFile(sion_file_name, mode, num_files, global_rank), _g_comm(gComm), _l_comm(lComm) {}

void SIONFile::open() {
  setSid(sion_paropen_mpi(getSionFileName(), _mode.c_str(), &_num_files, _g_comm, &_l_comm, &_chunk_size, &_fs_blk_size,
                          &_global_rank, NULL, newName()));
}

void SIONFile::close() {
  setResult(sion_parclose_mpi(_sid));
  _sid = SION_ID_UNDEF;
}

}  // namespace mpi
}  // namespace sionlib
