// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What is the shortest program that writes a LIME file with Lemon's interface? One record of text, by all ranks.
//
//   mpicc canonical.c -llemon && mpiexec -n 4 ./a.out && lq ls canonical.test
//
// Prints:
//   canonical.test: one record of 27 bytes
#include <lemon.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char** argv) {
  char text[] = "The quick brown quark jumps";
  MPI_Offset bytes = (MPI_Offset)strlen(text);  // rank 0's are written
  int rank = 0, status = LEMON_SUCCESS;
  MPI_File file;

  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (MPI_File_open(MPI_COMM_WORLD, "canonical.test", MPI_MODE_WRONLY | MPI_MODE_CREATE, MPI_INFO_NULL, &file))
    return 1;
  MPI_File_set_size(file, 0);

  LemonWriter* writer = lemonCreateWriter(&file, MPI_COMM_WORLD);
  LemonRecordHeader* header = lemonCreateHeader(1, 1, "text", bytes);
  if (writer == NULL || header == NULL) return 1;
  status = lemonWriteRecordHeader(header, writer);
  lemonDestroyHeader(header);
  if (status == LEMON_SUCCESS) status = lemonWriteRecordData(text, &bytes, writer);
  if (status == LEMON_SUCCESS) status = lemonWriterCloseRecord(writer);
  lemonDestroyWriter(writer);
  MPI_File_close(&file);

  if (rank == 0)
    printf("canonical.test: %s of %d bytes\n", status == LEMON_SUCCESS ? "one record" : "no record", (int)bytes);
  MPI_Finalize();
  return status != LEMON_SUCCESS;
}
