/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes one vector with any library that offers sion.h:   mpiexec -n TASKS ./write_vectors NAME
 *
 * NAME (v01, v02, ...) and TASKS are listed in tests/golden/good/sion/README.md. Hybrid vectors need OpenMP.
 * Compiled against upstream 1.7.6 it reproduces the vectors byte for byte, so it also shows whether
 * another library writes the same bytes. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sion.h"

static int rank;

/* The content formula: byte i of global rank r in the vector with this seed. */
static void fill(unsigned char* b, int seed, int r, long offset, long n) {
  for (long i = offset; i < offset + n; i++)
    b[i - offset] = (unsigned char)((31 * i + 57L * r + 7 * (i / 256) + 13L * seed) & 255);
}

/* Writes bytes 0..total-1 of rank r, `piece` bytes per call. */
static void put(int sid, int seed, int r, long total, long piece, int collective) {
  unsigned char* b = malloc(piece > 0 ? piece : 1);
  for (long done = 0; done < total;) {
    long n = total - done < piece ? total - done : piece;
    fill(b, seed, r, done, n);
    size_t w = collective ? sion_coll_fwrite(b, 1, n, sid) : sion_fwrite(b, 1, n, sid);
    if ((long)w != n) fprintf(stderr, "seed %d rank %d: short write\n", seed, r);
    done += n;
  }
  free(b);
}

static int open_mpi(const char* name, const char* mode, int nfiles, MPI_Comm lcomm, sion_int64 chunk,
                    sion_int32 fsblk) {
  int grank = rank;
  return sion_paropen_mpi(name, mode, &nfiles, MPI_COMM_WORLD, &lcomm, &chunk, &fsblk, &grank, NULL, NULL);
}

/* v09 (v08 and v18 with other byte order or format version): three tasks written by one process. */
static void serial(const char* name, int seed) {
  int ntasks = 3, nfiles = 1, granks[3] = {0, 1, 2}, *pg = granks;
  sion_int64 chunks[3] = {300, 600, 100}, *pc = chunks;
  sion_int32 fsblk = 256;
  long total[3] = {250, 1100, 0};
  int sid = sion_open((char*)name, "wb", &ntasks, &nfiles, &pc, &fsblk, &pg, NULL);
  for (int r = 0; r < 3; r++) {
    sion_seek(sid, r, SION_CURRENT_BLK, SION_CURRENT_POS);
    put(sid, seed, r, total[r], 250, 0);
  }
  sion_close(sid);
}

/* v12: two processes hold three logical tasks each, spread over two files, in an unusual order. */
static void mapped(void) {
  int nlocal = 3, nfiles = 2, granks[3], files[3], lranks[3], *pg = granks, *pf = files, *pl = lranks;
  sion_int64 chunks[3], *pc = chunks;
  sion_int32 fsblk = 256;
  for (int k = 0; k < 3; k++) {
    int g = rank * 3 + k;
    granks[k] = 5 - g;
    files[k] = g % 2;
    lranks[k] = g / 2;
    chunks[k] = 200 + 20 * g;
  }
  int sid = sion_paropen_mapped_mpi("v12_mapped.sion", "bw", &nfiles, MPI_COMM_WORLD, &nlocal, &pg, &pc, &pf, &pl,
                                    &fsblk, NULL);
  for (int k = 0; k < 3; k++) {
    sion_seek(sid, granks[k], SION_CURRENT_BLK, SION_CURRENT_POS);
    put(sid, 12, granks[k], 300 + 10 * granks[k], 150, 0);
  }
  sion_parclose_mapped_mpi(sid);
}

static void keyval(void) {
  unsigned char b[1000];
  int sid = open_mpi("v05_keyval.sion", "bw,keyval=inline", 1, MPI_COMM_WORLD, 500, 256);
  for (int rep = 0; rep < 2; rep++)
    for (int k = 0; k < 3 + rank; k++) {
      long n = 40 + 30 * k + 200 * rep * (rank == 1);
      fill(b, 5, 10 * rank + k, rep * 1000, n);
      if ((long)sion_fwrite_key(b, 10 * rank + k, 1, n, sid) != n) fprintf(stderr, "short key\n");
    }
  sion_parclose_mpi(sid);
}

/* v20 is this, written on a big-endian machine. */
static void keyval_serial(const char* name) {
  unsigned char b[1000];
  int ntasks = 2, nfiles = 1, granks[2] = {0, 1}, *pg = granks;
  sion_int64 chunks[2] = {200, 400}, *pc = chunks;
  sion_int32 fsblk = 128;
  int sid = sion_open((char*)name, "wb,keyval=inline", &ntasks, &nfiles, &pc, &fsblk, &pg, NULL);
  for (int r = 0; r < 2; r++) {
    sion_seek(sid, r, SION_CURRENT_BLK, SION_CURRENT_POS);
    for (int k = 0; k < 4; k++) {
      fill(b, 20, 100 * r + k % 3, 0, 60 + 50 * k);
      sion_fwrite_key(b, 100 * r + k % 3, 1, 60 + 50 * k, sid);
    }
  }
  sion_close(sid);
}

#if defined(SION_OMPI) && defined(_OPENMP)
#include <omp.h>
static void hybrid(void) {
  omp_set_num_threads(3);
#pragma omp parallel
  {
    unsigned char b[1000];
    int nfiles = 2, grank = -1;
    MPI_Comm lcomm = MPI_COMM_WORLD;
    sion_int64 chunk = 256 + 10 * omp_get_thread_num();
    sion_int32 fsblk = 256;
    int sid =
        sion_paropen_ompi("v21_hybrid.sion", "bw", &nfiles, MPI_COMM_WORLD, &lcomm, &chunk, &fsblk, &grank, NULL, NULL);
    fill(b, 21, grank, 0, 150 + 20 * grank);
    sion_fwrite(b, 1, 150 + 20 * grank, sid);
    sion_parclose_ompi(sid);
  }
}
#endif

/* One parallel vector: name, mode, files (0: colour of the split), bytes per task, bytes per call. */
static void parallel(const char* name, const char* mode, int nfiles, int colour, int seed, sion_int64 chunk,
                     sion_int32 fsblk, long total, long piece, int collective) {
  MPI_Comm lcomm = MPI_COMM_WORLD;
  if (nfiles == 0) MPI_Comm_split(MPI_COMM_WORLD, colour, rank, &lcomm);
  int sid = open_mpi(name, mode, nfiles, lcomm, chunk, fsblk);
  put(sid, seed, rank, total, piece, collective);
  sion_parclose_mpi(sid);
}

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int r = rank, v = argc > 1 ? atoi(argv[1] + 1) : 0;
  long c1[4] = {1000, 2000, 300, 512}, b1[4] = {1000, 1500, 300, 512};
  long b3[3] = {5000, 100, 2600}, p3[3] = {400, 100, 1000}, b4[4] = {600, 0, 50, 1200};

  switch (v) {
    case 1:
      parallel("v01_1file_4tasks.sion", "bw", 1, 0, 1, c1[r], 512, b1[r], b1[r], 0);
      break;
    case 2:
      parallel("v02_2files_5tasks.sion", "bw", 2, 0, 2, 700 + 100 * r, 512, 700 + 100 * r, 350, 0);
      break;
    case 3:
      parallel("v03_multiblock.sion", "bw", 1, 0, 3, 1000, 512, b3[r], p3[r], 0);
      break;
    case 4:
      parallel("v04_emptytask.sion", "bw", 1, 0, 4, 1200, 256, b4[r], b4[r], 0);
      break;
    case 5:
      keyval();
      break;
    case 6:
      parallel("v06_1task.sion", "bw", 1, 0, 6, 4096, 4096, 3000, 3000, 0);
      break;
    case 7:
      parallel("v07_userbig.sion", "bw,endianness=big", 1, 0, 7, 300, 256, 300, 300, 0);
      break;
    case 8:
      serial("v08_bigendian.sion", 8);
      break;
    case 9:
      serial("v09_serial.sion", 9);
      break;
    case 10:
      parallel("v10_collective.sion", "bw,collective,collsize=2", 1, 0, 10, 300 + 10 * r, 512, 600 + 20 * r,
               300 + 10 * r, 1);
      break;
    case 11:
      parallel("v11_3files_splitcomm.sion", "bw", 0, r % 3, 11, 400, 256, 400 + 50 * r, 100, 0);
      break;
    case 12:
      mapped();
      break;
    case 13:
      parallel("v13_cmerge.sion", "bw,collective,cmerge,collsize=2", 1, 0, 13, 300, 512, 300, 300, 1);
      break;
    case 15:
      parallel("v15_buddy.sion", "bw,buddy", 0, r / 2, 15, 500, 256, 500 + 10 * r, 250 + 5 * r, 1);
      break;
    case 16:
      parallel("v16_manychunks.sion", "bw", 1, 0, 16, 64, 64, r ? 64 * 20 : 64 * 130 - 10, 60, 0);
      break;
    case 17: { /* a run that dies before the close */
      int sid = open_mpi("v17_unclosed.sion", "bw,posix", 1, MPI_COMM_WORLD, 500, 256);
      put(sid, 17, r, 1200, 400, 0);
      MPI_Barrier(MPI_COMM_WORLD);
      _exit(0);
    }
    case 20:
      keyval_serial("v20_keyval_be.sion");
      break;
#if defined(SION_OMPI) && defined(_OPENMP)
    case 21:
      hybrid();
      break;
#endif
    default:
      fprintf(stderr, "no such vector\n");
  }
  MPI_Finalize();
  return 0;
}
