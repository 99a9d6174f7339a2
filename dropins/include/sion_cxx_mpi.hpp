// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A multifile of the ranks of a communicator.
#ifndef SION_CXX_MPI_HPP_
#define SION_CXX_MPI_HPP_

#if defined(MPI_VERSION) || defined(SION_MPI)

#include <mpi.h>

#include <string>

#include "sion_cxx_parallel.hpp"

namespace sionlib {
namespace mpi {

class SIONFile : public ParallelFile {
 public:
  // To be opened. The ranks of gComm write, to num_files files or, if that is 0, to one file for each lComm.
  explicit SIONFile(std::string sion_file_name, std::string mode = "bw", int num_files = 1, int global_rank = 0,
                    MPI_Comm gComm = MPI_COMM_WORLD, MPI_Comm lComm = MPI_COMM_WORLD);

  void setLocalCommunicator(MPI_Comm lComm) { _l_comm = lComm; }
  MPI_Comm getLocalCommunicator() const { return _l_comm; }
  void setGlobalCommunicator(MPI_Comm gComm) { _g_comm = gComm; }
  MPI_Comm getGlobalCommunicator() const { return _g_comm; }

  // Collective over the communicator.
  void open();
  void close();

 private:
  MPI_Comm _g_comm;
  MPI_Comm _l_comm;
};

}  // namespace mpi
}  // namespace sionlib

#endif

#endif
