// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How do I write a lattice while the program computes, and read it back? The memory must not be touched
// between the start of a call and its end.
//
//   mpicc parallel_non_blocking.c -llemon && mpiexec -n 4 ./a.out
//
// Prints:
//   parallel_non_blocking.test: every rank has read what it wrote
#include <lemon.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { site_bytes = 4 * sizeof(double), local = 4 };  // sites of a rank in each dimension

static MPI_Comm grid;
static int extents[4], rank;
static const int mapping[4] = {0, 3, 2, 1};

static void make_grid(void) {
  int size = 1, ranks[4] = {0, 0, 0, 0}, periods[4] = {1, 1, 1, 1};
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Dims_create(size, 4, ranks);
  MPI_Cart_create(MPI_COMM_WORLD, 4, ranks, periods, 0, &grid);
  MPI_Comm_rank(grid, &rank);
  for (int d = 0; d < 4; ++d) extents[d] = local * ranks[d];
}

// What the program does meanwhile.
static double result = 0;
static void work(void) {
  for (int i = 1; i < 100000; ++i) result += 1.0 / i;
}

static int put_header(LemonWriter* writer, MPI_Offset volume) {
  LemonRecordHeader* header = lemonCreateHeader(1, 1, "lattice", volume * site_bytes);
  int status = lemonWriteRecordHeader(header, writer);
  lemonDestroyHeader(header);
  return status;
}

static int save(MPI_File* file, double* sites) {
  MPI_Offset volume = (MPI_Offset)extents[0] * extents[1] * extents[2] * extents[3];
  LemonWriter* writer = lemonCreateWriter(file, grid);
  if (writer == NULL) return LEMON_ERR_WRITE;
  int status = put_header(writer, volume);
  if (status == LEMON_SUCCESS) {
    status = lemonWriteLatticeParallelNonBlockingMapped(writer, sites, site_bytes, extents, mapping);
  }
  if (status == LEMON_SUCCESS) {
    work();
    status = lemonFinishWriting(writer);
  }
  if (status == LEMON_SUCCESS) status = lemonWriterCloseRecord(writer);
  lemonDestroyWriter(writer);
  return status;
}

static int load(MPI_File* file, double* sites) {
  LemonReader* reader = lemonCreateReader(file, grid);
  if (reader == NULL) return LEMON_ERR_READ;
  int status = lemonReaderNextRecord(reader);
  if (status == LEMON_SUCCESS && strcmp(lemonReaderType(reader), "lattice") != 0) status = LEMON_ERR_READ;
  if (status == LEMON_SUCCESS) {
    status = lemonReadLatticeParallelNonBlockingMapped(reader, sites, site_bytes, extents, mapping);
  }
  if (status == LEMON_SUCCESS) {
    work();
    status = lemonFinishReading(reader);
  }
  lemonDestroyReader(reader);
  return status;
}

int main(int argc, char** argv) {
  MPI_File file;
  MPI_Init(&argc, &argv);
  make_grid();
  size_t bytes = (size_t)local * local * local * local * site_bytes;
  double *written = malloc(bytes), *read = calloc(bytes, 1);
  if (written == NULL || read == NULL) return 1;
  for (size_t i = 0; i < bytes / sizeof(double); ++i) written[i] = rank * 1e6 + (double)i;

  if (MPI_File_open(grid, "parallel_non_blocking.test", MPI_MODE_WRONLY | MPI_MODE_CREATE, MPI_INFO_NULL, &file))
    return 1;
  MPI_File_set_size(file, 0);
  int status = save(&file, written);
  MPI_File_close(&file);
  if (MPI_File_open(grid, "parallel_non_blocking.test", MPI_MODE_RDONLY, MPI_INFO_NULL, &file)) return 1;
  if (status == LEMON_SUCCESS) status = load(&file, read);
  MPI_File_close(&file);

  int good = status == LEMON_SUCCESS && memcmp(written, read, bytes) == 0, all = 0;
  MPI_Allreduce(&good, &all, 1, MPI_INT, MPI_MIN, grid);
  if (rank == 0)
    printf("parallel_non_blocking.test: %s\n", all ? "every rank has read what it wrote" : "something went wrong");
  free(written);
  free(read);
  MPI_Comm_free(&grid);
  MPI_Finalize();
  return !all;
}
