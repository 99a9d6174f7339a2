/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Functions of several libraries on one handle, and errors that one meets and another reports; link_order_test.py links
 * this with the libraries in every order. */
#include <mpi.h>
#include <sion.h>

#include "check.h"

static int open_here(const char* name, const char* mode) {
  int files = 1, rank = 0;
  MPI_Comm local;
  sion_int64 chunk = 100;
  sion_int32 block = 256;
  return sion_paropen_mpi(name, mode, &files, MPI_COMM_WORLD, &local, &chunk, &block, &rank, NULL, NULL);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  CHECK(open_here("/no/such/folder/order.sion", "bw") == -1);
  for (int writes = 1; writes >= 0; --writes) {
    char text[5] = "abcd";
    const int sid = open_here("order.sion", writes ? "bw,keyval=inline" : "br,keyval=inline");
    CHECK(sid >= 0 && (writes ? sion_fwrite_key(text, 3, 1, 4, sid) : sion_fread_key(text, 3, 1, 4, sid)) == 4);
    CHECK(strcmp(text, "abcd") == 0 && sion_get_keyval_mode(sid) != 0 && sion_parclose_mpi(sid) == 1);
  }
  sion_int64 chunk = 0;
  sion_int32 block = 0;
  int rank = 0;
  char name[] = "order.sion";
  const int sid = sion_open_rank(name, "br", &chunk, &block, &rank, NULL);
  CHECK(sid >= 0 && rank == 0 && sion_close(sid) == 1);
  MPI_Finalize();
  return failures;
}
