// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The classes of sion_cxx.h whose tasks are threads: two of them, of this process with SION_OMP, of each rank with
// SION_OMPI. What they write is taken apart by fortran_test.py.
#ifdef SION_OMPI
#include <mpi.h>
#endif
#include <omp.h>
#include <sion_cxx.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

#ifdef SION_OMPI
using sionlib::ompi::SIONFile;
#else
using sionlib::omp::SIONFile;
#endif

void require(bool holds, const char* what) {
  if (holds) return;
  std::printf("%s\n", what);
  std::exit(1);
}

// Each thread has an object of its own; what they share is the file.
void work(int task) {
  SIONFile out("classes_threads.sion", "bw,collective");
  out.setChunkSize(100);
  out.setFileSystemBlockSize(512);
  out.open();
  require(out.getSid() >= 0 && out.getReturnCode() == out.getSid() && out.getGlobalRank() == task, "open");
  require(std::string(out.getNewSionFileName()) == "classes_threads.sion", "name");
  const std::vector<double> values(8, task + 0.5);
  out.write(values, sizeof(double), 8);
  require(out.getReturnCode() == 8, "collective write");
  out.close();
  require(out.getReturnCode() == SION_SUCCESS, "close");

  SIONFile in("classes_threads.sion", "br");
  in.open();
  require(in.getSid() >= 0 && in.getGlobalRank() == task && in.getFileSystemBlockSize() == 512, "open for reading");
  double first = 0;
  in >> first;
  require(first == task + 0.5, "read");
  double rest[8] = {0};
  in.read(rest, sizeof(double), 7);
  require(rest[6] == task + 0.5 && rest[7] == 0 && in.getNumberOfSuccessfulReadElements() == 7, "read the rest");
  in.endOfFile();
  require(in.getReturnCode() == 1, "end of file");
  in.close();
  require(in.getReturnCode() == SION_SUCCESS, "close after reading");

  SIONFile absent("nosuch.sion", "br");
  absent.open();
  require(absent.getSid() == -1, "no such file");
}

}  // namespace

int main(int argc, char** argv) {
  int rank = 0;
#ifdef SION_OMPI
  int given = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &given);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#else
  (void)argc;
  (void)argv;
#endif
#pragma omp parallel num_threads(2)
  work(2 * rank + omp_get_thread_num());
  if (rank == 0) std::puts("ok");
#ifdef SION_OMPI
  MPI_Finalize();
#endif
  return 0;
}
