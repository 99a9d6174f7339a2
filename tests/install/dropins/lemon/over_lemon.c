/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Every rank writes its block of a lattice with Lemon's calls and reads it back. */
#ifdef LEMON_HEADER
#include LEMON_HEADER
#else
#include <lemon.h>
#endif

#include <stdio.h>
#include <string.h>

enum { site_bytes = 24, sites = 16 };

static int write_file(MPI_Comm grid, char* block, int const* dims, int const* mapping) {
  MPI_File fp;
  LemonWriter* writer;
  LemonRecordHeader* header;
  MPI_Offset bytes = site_bytes * sites;
  int size;
  int code;
  MPI_Comm_size(grid, &size);
  bytes *= size;
  if (MPI_File_open(grid, "over_lemon.lime", MPI_MODE_WRONLY | MPI_MODE_CREATE, MPI_INFO_NULL, &fp) != 0) return 1;
  writer = lemonCreateWriter(&fp, grid);
  header = lemonCreateHeader(1, 1, "ildg-binary-data", bytes);
  code = lemonWriteRecordHeader(header, writer);
  if (code == 0) code = lemonWriteLatticeParallelMapped(writer, block, site_bytes, dims, mapping);
  if (code == 0) code = lemonWriterCloseRecord(writer);
  lemonDestroyHeader(header);
  lemonDestroyWriter(writer);
  MPI_File_close(&fp);
  return code;
}

static int read_file(MPI_Comm grid, char* block, int const* dims, int const* mapping) {
  MPI_File fp;
  LemonReader* reader;
  int code;
  if (MPI_File_open(grid, "over_lemon.lime", MPI_MODE_RDONLY, MPI_INFO_NULL, &fp) != 0) return 1;
  reader = lemonCreateReader(&fp, grid);
  code = lemonReaderNextRecord(reader);
  if (code == 0) code = lemonReadLatticeParallelMapped(reader, block, site_bytes, dims, mapping);
  lemonDestroyReader(reader);
  MPI_File_close(&fp);
  return code;
}

int main(int argc, char** argv) {
  static char block[site_bytes * sites];
  static char back[site_bytes * sites];
  int const mapping[4] = {0, 3, 2, 1};
  int const periods[4] = {1, 1, 1, 1};
  int grid_dims[4] = {0, 1, 1, 1};
  int dims[4] = {2, 2, 2, 2};
  int size;
  int rank;
  int same;
  MPI_Comm grid;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  grid_dims[0] = size;
  dims[0] *= size;
  MPI_Cart_create(MPI_COMM_WORLD, 4, grid_dims, periods, 0, &grid);
  MPI_Comm_rank(grid, &rank);
  memset(block, 'a' + rank, sizeof block);
  same = write_file(grid, block, dims, mapping) == 0 && read_file(grid, back, dims, mapping) == 0 &&
         memcmp(block, back, sizeof block) == 0;
  MPI_Allreduce(MPI_IN_PLACE, &same, 1, MPI_INT, MPI_MIN, grid);
  if (rank == 0) printf("%d ranks %s\n", size, same ? "same" : "differ");
  MPI_Comm_free(&grid);
  MPI_Finalize();
  return same ? 0 : 1;
}
