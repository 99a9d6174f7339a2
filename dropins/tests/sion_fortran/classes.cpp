// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The classes of sion_cxx.h: serially, and with MPI where that is. What it writes is taken apart by fortran_test.py.
#ifdef SION_MPI
#include <mpi.h>
#endif
#include <sion_cxx.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

void require(bool holds, const char* what) {
  if (holds) return;
  std::printf("%s\n", what);
  std::exit(1);
}

void serial() {
  using sionlib::serial::SIONFile;
  sion_int64 chunks[2] = {100, 200};
  SIONFile out("classes.sion", "wb", 2, 1, chunks, 512);
  out.open();
  require(out.getSid() >= 0 && out.getReturnCode() == out.getSid(), "open for writing");
  for (int task = 0; task < 2; ++task) {
    out.setRank(task);
    out.seek();
    require(out.getReturnCode() == SION_SUCCESS, "seek");
    out << task << 1.5;
    out.write(std::vector<int>(4, 10 + task), sizeof(int), 4);
  }
  require(out.close() == SION_SUCCESS, "close");

  SIONFile in("classes.sion", "rb");
  in.open();
  require(in.getNumberOfTasks() == 2 && in.getNumberOfFiles() == 1 && in.getFileSystemBlockSize() == 512, "open");
  require(in.getChunkSizes()[0] == 512 && in.getChunkSizes()[1] == 512 && in.getGlobalRanks()[1] == 1, "arrays");
  in.setRank(1);
  in.seek();
  int task = -1;
  double value = 0;
  int rest[5] = {0, 0, 0, 0, -1};
  in >> task >> value;
  require(task == 1 && value == 1.5, "read");
  in.read(rest, sizeof(int), 4);
  require(rest[0] == 11 && rest[3] == 11 && rest[4] == -1 && in.getNumberOfSuccessfulReadElements() == 4, "array");
  in.endOfFile();
  require(in.getReturnCode() == 1, "end of file");
  require(in.close() == SION_SUCCESS, "close after reading");

  SIONFile absent("nosuch.sion", "rb");
  absent.open();
  require(absent.getSid() == -1, "no such file");
}

#ifdef SION_MPI
void parallel() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  sionlib::mpi::SIONFile out("classes_mpi.sion", "bw,collective");
  out.setChunkSize(64);
  out.setFileSystemBlockSize(512);
  out.open();
  require(out.getSid() >= 0 && out.getGlobalRank() == rank, "parallel open");
  require(std::string(out.getNewSionFileName()) == "classes_mpi.sion", "name");
  const std::vector<double> values(8, rank + 0.5);
  out.write(values, sizeof(double), 8);
  require(out.getReturnCode() == 8, "collective write");
  out.close();
  require(out.getReturnCode() == SION_SUCCESS, "parallel close");

  sionlib::mpi::SIONFile in("classes_mpi.sion", "br", 1, rank);
  in.open();
  double first = 0;
  in >> first;
  require(first == rank + 0.5, "parallel read");
  in.close();
}
#endif

}  // namespace

int main(int argc, char** argv) {
#ifdef SION_MPI
  MPI_Init(&argc, &argv);
  parallel();
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) std::puts("ok");
  MPI_Finalize();
#else
  (void)argc;
  (void)argv;
  serial();
  std::puts("ok");
#endif
  return 0;
}
