// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How do I write a record of text, and read it on every rank? The text is tmLQCD's record
// xlf-info.
//
//   mpicc xlf.c -llemon && mpiexec -n 4 ./a.out
//
// Prints:
//   xlf.test: every rank has read the record xlf-info
#include <lemon.h>
#include <stdio.h>
#include <string.h>

static char text[] =
    "plaquette = 0.593714288\n trajectory nr = 1\n beta = 6.0, kappa = 0.177, mu = 0.5, c2_rec = 0.0\n"
    " time = 1234567890\n hmcversion = 5.0.1\n mubar = 0.0\n epsilonbar = 0.0\n date = Fri Feb 13 23:31:30 2009\n";

static int save(MPI_File* file) {
  MPI_Offset bytes = (MPI_Offset)strlen(text);
  LemonWriter* writer = lemonCreateWriter(file, MPI_COMM_WORLD);
  if (writer == NULL) return LEMON_ERR_WRITE;
  LemonRecordHeader* header = lemonCreateHeader(1, 1, "xlf-info", bytes);
  int status = lemonWriteRecordHeader(header, writer);
  lemonDestroyHeader(header);
  if (status == LEMON_SUCCESS) status = lemonWriteRecordData(text, &bytes, writer);
  if (status == LEMON_SUCCESS) status = lemonWriterCloseRecord(writer);
  lemonDestroyWriter(writer);
  return status;
}

static int load(MPI_File* file, char* read) {
  LemonReader* reader = lemonCreateReader(file, MPI_COMM_WORLD);
  if (reader == NULL) return LEMON_ERR_READ;
  int status = lemonReaderNextRecord(reader);
  MPI_Offset bytes = lemonReaderBytes(reader);
  if (status == LEMON_SUCCESS && bytes != (MPI_Offset)strlen(text)) status = LEMON_ERR_READ;
  if (status == LEMON_SUCCESS && strcmp(lemonReaderType(reader), "xlf-info") != 0) status = LEMON_ERR_READ;
  if (status == LEMON_SUCCESS) status = lemonReaderReadData(read, &bytes, reader);
  lemonDestroyReader(reader);
  return status;
}

int main(int argc, char** argv) {
  char read[sizeof text] = "";
  int rank = 0;
  MPI_File file;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);

  if (MPI_File_open(MPI_COMM_WORLD, "xlf.test", MPI_MODE_WRONLY | MPI_MODE_CREATE, MPI_INFO_NULL, &file)) return 1;
  MPI_File_set_size(file, 0);
  int status = save(&file);
  MPI_File_close(&file);
  if (MPI_File_open(MPI_COMM_WORLD, "xlf.test", MPI_MODE_RDONLY, MPI_INFO_NULL, &file)) return 1;
  if (status == LEMON_SUCCESS) status = load(&file, read);
  MPI_File_close(&file);

  int good = status == LEMON_SUCCESS && strcmp(read, text) == 0, all = 0;
  MPI_Allreduce(&good, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (rank == 0) printf("xlf.test: %s\n", all ? "every rank has read the record xlf-info" : "something went wrong");
  MPI_Finalize();
  return !all;
}
