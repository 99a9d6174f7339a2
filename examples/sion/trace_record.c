// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A trace recorder with sion.h, as in measurement systems: each rank writes its events, without knowing their number
// in advance, through zlib and the FILE* into its own logical file; all logical files are stored in two files on
// disk.
//
//   mpicc trace_record.c `sionconfig --mpi --cflags --libs` -lz && mpiexec -n 4 ./a.out trace.sion
//
// Prints:
//   4 ranks recorded 100000 events
//   compressed to less than a half
#include <mpi.h>
#include <sion.h>
#include <zlib.h>

#include "trace.h"

typedef struct {
  z_stream zlib;
  unsigned char out[4096];
  int sid;
  FILE* stream; /* of the library, which sees what is written through it */
} recorder;

static void start(recorder* r, int sid, FILE* stream) {
  *r = (recorder){.out = {0}, .sid = sid, .stream = stream};
  require(deflateInit(&r->zlib, Z_BEST_SPEED) == Z_OK, "zlib does not start");
}

// [put]
// One write is never split: the library makes room for it, in the next chunk if this one is full.
static void put_out(recorder* r) {
  const size_t bytes = r->zlib.next_out == NULL ? 0 : sizeof r->out - r->zlib.avail_out;
  if (bytes > 0) {
    require(sion_ensure_free_space(r->sid, (sion_int64)bytes) == 1, "no room in the trace");
    require(fwrite(r->out, 1, bytes, r->stream) == bytes, "the trace cannot be written");
  }
  r->zlib.next_out = r->out;
  r->zlib.avail_out = sizeof r->out;
}
// [/put]

static void record(recorder* r, event one) {
  r->zlib.next_in = (Bytef*)&one;
  r->zlib.avail_in = sizeof one;
  while (r->zlib.avail_in > 0) {
    if (r->zlib.avail_out == 0) put_out(r);
    require(deflate(&r->zlib, Z_NO_FLUSH) == Z_OK, "zlib fails");
  }
}

static void finish(recorder* r) {
  int state = Z_OK;
  while (state == Z_OK) {
    put_out(r);
    state = deflate(&r->zlib, Z_FINISH);
  }
  require(state == Z_STREAM_END, "zlib does not finish");
  put_out(r);
  deflateEnd(&r->zlib);
}

// What the program that is measured would do: calls of 17 functions.
static long long work(recorder* r, int rank) {
  const uint32_t calls = 5000 * ((uint32_t)rank + 1);
  uint64_t now = 0;
  for (uint32_t call = 0; call < calls; ++call) {
    record(r, (event){now += 3, call % 17, 1});
    now += rank == 2 && call == 7000 ? 997 : call * 31 % 400;
    record(r, (event){now, call % 17, 0});
  }
  return 2 * (long long)calls;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int ranks = 0, rank = 0, files = 2;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm local = MPI_COMM_NULL;
  sion_int64 chunk = 16384;
  sion_int32 block = -1;
  FILE* stream = NULL;
  const int sid = sion_paropen_mpi(argc > 1 ? argv[1] : "trace.sion", "bw", &files, MPI_COMM_WORLD, &local, &chunk,
                                   &block, &rank, &stream, NULL);
  require(sid >= 0 && stream != NULL, "the trace cannot be created");

  recorder r;
  start(&r, sid, stream);
  long long mine[2], sum[2];  // events, and what they take on disk
  mine[0] = work(&r, rank);
  finish(&r);
  require(sion_flush(sid) == SION_SUCCESS, "the trace cannot be written");
  mine[1] = sion_get_bytes_written(sid);
  require(sion_parclose_mpi(sid) == SION_SUCCESS, "the trace is not complete");

  MPI_Reduce(mine, sum, 2, MPI_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("%d ranks recorded %lld events\n", ranks, sum[0]);
    printf("compressed to %s than a half\n", 2 * sum[1] < sum[0] * (long long)sizeof(event) ? "less" : "more");
  }
  MPI_Finalize();
  return 0;
}
