// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The analysis of a trace, on any number of ranks: each opens one logical file after another independently, without
// communication, and reads it through the FILE* and zlib.
//
//   mpicc trace_analyse.c `sionconfig --mpi --cflags --libs` -lz && mpiexec -n 3 ./a.out trace.sion
//
// Prints:
//   4 streams hold 100000 events
//   none of them fits into one chunk
//   every enter has its leave
//   the longest stay is 997 ticks, in stream 2
#include <mpi.h>
#include <sion.h>
#include <zlib.h>

#include "trace.h"

typedef struct {
  long long events, unmatched, streams_of_one_chunk;
  struct {
    int ticks, stream;
  } longest;
} findings;

static void look_at(event one, event* entered, findings* found) {
  const int ticks = (int)(one.time - entered->time);
  ++found->events;
  if (one.enters == entered->enters || (!one.enters && one.region != entered->region)) ++found->unmatched;
  if (!one.enters && ticks > found->longest.ticks) found->longest.ticks = ticks;
  *entered = one;
}

// The usual loop over chunks; what is read through the stream counts, and sion_feof goes on to the next chunk.
static size_t read_some(int sid, FILE* stream, unsigned char* buffer, size_t most) {
  if (sion_feof(sid)) return 0;
  const size_t left = (size_t)sion_bytes_avail_in_block(sid);
  const size_t bytes = left < most ? left : most;
  require(fread(buffer, 1, bytes, stream) == bytes, "the trace cannot be read");
  return bytes;
}

static void replay(char* path, int task, findings* found) {
  FILE* stream = NULL;
  sion_int64 chunk = 0;
  sion_int32 block = 0;
  const int sid = sion_open_rank(path, "rb", &chunk, &block, &task, &stream);
  require(sid >= 0 && stream != NULL, "the trace cannot be opened");
  unsigned char in[4096];
  event one, entered = {0, 0, 0};
  z_stream zlib = {.next_out = (Bytef*)&one, .avail_out = sizeof one};
  require(inflateInit(&zlib) == Z_OK, "zlib does not start");
  int state = Z_OK;
  while (state != Z_STREAM_END) {
    if (zlib.avail_in == 0) {
      zlib.next_in = in;
      zlib.avail_in = (uInt)read_some(sid, stream, in, sizeof in);
    }
    state = inflate(&zlib, Z_NO_FLUSH);
    require(state == Z_OK || state == Z_STREAM_END, "the trace is damaged");
    if (zlib.avail_out > 0) continue;
    look_at(one, &entered, found);
    zlib.next_out = (Bytef*)&one;
    zlib.avail_out = sizeof one;
  }
  inflateEnd(&zlib);
  found->unmatched += entered.enters;
  found->streams_of_one_chunk += zlib.total_in <= (uLong)chunk;
  require(sion_close(sid) == SION_SUCCESS, "the trace cannot be closed");
}

static int number_of_streams(char* path) {
  int tasks = 0, files = 0;
  sion_int32 block = 0;
  const int sid = sion_open(path, "rb", &tasks, &files, NULL, &block, NULL, NULL);
  require(sid >= 0 && sion_close(sid) == SION_SUCCESS, "the trace cannot be opened");
  return tasks;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  char name[] = "trace.sion";
  char* const path = argc > 1 ? argv[1] : name;
  int ranks = 0, rank = 0, streams = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) streams = number_of_streams(path);
  MPI_Bcast(&streams, 1, MPI_INT, 0, MPI_COMM_WORLD);

  findings mine = {0, 0, 0, {-1, -1}}, all;
  for (int task = rank; task < streams; task += ranks) {
    const int longest = mine.longest.ticks;
    replay(path, task, &mine);
    if (mine.longest.ticks > longest) mine.longest.stream = task;
  }

  MPI_Reduce(&mine, &all, 3, MPI_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Reduce(&mine.longest, &all.longest, 1, MPI_2INT, MPI_MAXLOC, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("%d streams hold %lld events\n", streams, all.events);
    printf("%s of them fits into one chunk\n", all.streams_of_one_chunk == 0 ? "none" : "one");
    printf("every enter has its leave%s\n", all.unmatched == 0 ? "" : ", or not");
    printf("the longest stay is %d ticks, in stream %d\n", all.longest.ticks, all.longest.stream);
  }
  MPI_Finalize();
  return 0;
}
