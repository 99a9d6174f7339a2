/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * layout FILE: a lattice of 8^4 sites, each of them its four coordinates as bytes, written by every grid of the ranks
 * there are with every mapping, a record each; then every record is read on another grid. layout_test.py looks at the
 * file. C that sees Lemon's interface and nothing else of ours. */
#include <lemon.h>
#include <stdio.h>
#include <string.h>

enum { extent = 8, site_bytes = 4, max_sites = extent * extent * extent * extent, max_grids = 64 };

static const int extents[4] = {extent, extent, extent, extent};
static int grids[max_grids][4], grid_count, mappings[24][4], wrong;
static unsigned char block[max_sites * site_bytes], back[max_sites * site_bytes];

static void find_grids(int ranks) {
  for (int a = 1; a <= ranks; ++a)
    for (int b = 1; b <= ranks; ++b)
      for (int c = 1; c <= ranks; ++c) {
        if (ranks % (a * b * c) != 0 || grid_count == max_grids) continue;
        const int grid[4] = {a, b, c, ranks / (a * b * c)};
        memcpy(grids[grid_count++], grid, sizeof grid);
      }
}

static void find_mappings(void) {
  int count = 0;
  for (int code = 0; code < 256; ++code) {
    const int mapping[4] = {code >> 6 & 3, code >> 4 & 3, code >> 2 & 3, code & 3};
    int seen = 0;
    for (int i = 0; i < 4; ++i) seen |= 1 << mapping[i];
    if (seen == 15) memcpy(mappings[count++], mapping, sizeof mapping);
  }
}

static MPI_Comm make(const int* grid) {
  const int periods[4] = {1, 1, 1, 1};
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Cart_create(MPI_COMM_WORLD, 4, grid, periods, 0, &comm);
  return comm;
}

/* This rank's sites in the order of the mapping, slowest first; how many bytes. */
static size_t fill(unsigned char* to, MPI_Comm comm, const int* grid, const int* mapping) {
  int rank = 0, here[4], local[4], x[4];
  unsigned char* const begin = to;
  MPI_Comm_rank(comm, &rank);
  MPI_Cart_coords(comm, rank, 4, here);
  for (int d = 0; d < 4; ++d) local[d] = extent / grid[d];
  for (x[0] = 0; x[0] < local[mapping[0]]; ++x[0])
    for (x[1] = 0; x[1] < local[mapping[1]]; ++x[1])
      for (x[2] = 0; x[2] < local[mapping[2]]; ++x[2])
        for (x[3] = 0; x[3] < local[mapping[3]]; ++x[3], to += site_bytes)
          for (int i = 0; i < 4; ++i) to[mapping[i]] = (unsigned char)(here[mapping[i]] * local[mapping[i]] + x[i]);
  return (size_t)(to - begin);
}

static void expect(int good) { wrong += good ? 0 : 1; }

static void put(LemonWriter* writer, MPI_Comm comm, const int* grid, const int* mapping) {
  char type[64];
  snprintf(type, sizeof type, "%d%d%d%d of %dx%dx%dx%d", mapping[0], mapping[1], mapping[2], mapping[3], grid[0],
           grid[1], grid[2], grid[3]);
  LemonRecordHeader* header = lemonCreateHeader(1, 1, type, (MPI_Offset)max_sites * site_bytes);
  expect(lemonWriteRecordHeader(header, writer) == LEMON_SUCCESS);
  lemonDestroyHeader(header);
  fill(block, comm, grid, mapping);
  expect(lemonWriteLatticeParallelMapped(writer, block, site_bytes, extents, mapping) == LEMON_SUCCESS);
  expect(lemonWriterCloseRecord(writer) == LEMON_SUCCESS);
}

static void get(LemonReader* reader, MPI_Comm comm, const int* grid, const int* mapping) {
  expect(lemonReaderNextRecord(reader) == LEMON_SUCCESS);
  const size_t bytes = fill(block, comm, grid, mapping);
  memset(back, 255, bytes);
  expect(lemonReadLatticeParallelMapped(reader, back, site_bytes, extents, mapping) == LEMON_SUCCESS);
  expect(memcmp(block, back, bytes) == 0);
  expect(lemonReaderCloseRecord(reader) == LEMON_SUCCESS);
}

/* Each grid has a writer of its own, which begins where the file pointer stands. */
static void save(MPI_File* file) {
  for (int g = 0; g < grid_count; ++g) {
    MPI_Comm comm = make(grids[g]);
    LemonWriter* writer = lemonCreateWriter(file, comm);
    for (int m = 0; m < 24; ++m) put(writer, comm, grids[g], mappings[m]);
    MPI_File_seek(*file, writer->off, MPI_SEEK_SET);
    lemonDestroyWriter(writer);
    MPI_Comm_free(&comm);
  }
}

/* A reader begins at the first record: those of the grids before are passed by. */
static void load(MPI_File* file) {
  for (int g = 0; g < grid_count; ++g) {
    const int* other = grids[(g + 1) % grid_count];
    MPI_Comm comm = make(other);
    LemonReader* reader = lemonCreateReader(file, comm);
    for (int skipped = 0; skipped < 24 * g; ++skipped) expect(lemonReaderNextRecord(reader) == LEMON_SUCCESS);
    for (int m = 0; m < 24; ++m) get(reader, comm, other, mappings[m]);
    lemonDestroyReader(reader);
    MPI_Comm_free(&comm);
  }
}

int main(int argc, char** argv) {
  int ranks = 1, rank = 0;
  MPI_File file;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  find_grids(ranks);
  find_mappings();
  if (argc != 2 || MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &file))
    return 1;
  save(&file);
  load(&file);
  MPI_File_close(&file);
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("%d grids, %d mistakes\n", grid_count, wrong);
  MPI_Finalize();
  return wrong != 0;
}
