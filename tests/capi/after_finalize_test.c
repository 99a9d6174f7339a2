// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A program that finalises MPI too early: collective calls and the waits of transfers are LQ_WRONG_STATE, handles are
// freed, and the process ends as it should, where MPI would end it.
#include <limequat_mpi.h>

#include "check.h"

static lq_grid* grid;
static lq_communicator* all;
static double* u;

static void calls_are_refused(const char* path) {
  lq_write_options write;
  lq_scan_options scan;
  lq_verify_options verify;
  lq_multifile_options set;
  lq_multifile_writer* writer = NULL;
  lq_grid* late = NULL;
  char* json = NULL;
  double values[3];
  int is_sound = 0;
  lq_write_options_init(&write, sizeof write);
  lq_scan_options_init(&scan, sizeof scan);
  lq_verify_options_init(&verify, sizeof verify);
  lq_multifile_options_init(&set, sizeof set);
  write.overwrite = 1;
  scan.communicator = verify.communicator = set.communicator = all;
  CHECK_STATUS(lq_write(path, grid, lq_gauge_f64(u), &write), LQ_WRONG_STATE);
  CHECK(strstr(lq_error_text(), "finalised") != NULL);
  CHECK_STATUS(lq_read(path, grid, lq_gauge_f64(u), NULL), LQ_WRONG_STATE);
  CHECK_STATUS(lq_inspect(path, &scan, &json), LQ_WRONG_STATE);
  CHECK_STATUS(lq_verify(path, &verify, &is_sound, NULL), LQ_WRONG_STATE);
  CHECK_STATUS(lq_plaquette(grid, lq_gauge_f64(u), values), LQ_WRONG_STATE);
  CHECK_STATUS(lq_multifile_create(path, &set, &writer), LQ_WRONG_STATE);
  CHECK_STATUS(lq_communicator_agree(all, NULL), LQ_WRONG_STATE);
  CHECK_STATUS(lq_grid_create(lattice, 4, all, NULL, &late), LQ_WRONG_STATE);
  CHECK_STATUS(lq_grid_mpi(lattice, 4, MPI_COMM_WORLD, &late), LQ_WRONG_STATE);
}

int main(int argc, char** argv) {
  lq_pending *by_thread = NULL, *by_messages = NULL;
  lq_writer* writer = NULL;
  lq_write_options options;
  MPI_Init(&argc, &argv);
  CHECK_OK(lq_grid_mpi(lattice, 4, MPI_COMM_WORLD, &grid));
  CHECK_OK(lq_communicator_mpi(MPI_COMM_WORLD, &all));
  u = calloc(gauge_numbers, sizeof *u);
  lq_write_options_init(&options, sizeof options);
  options.overwrite = 1;
  const char* path = fresh("there.ildg");
  CHECK_OK(lq_write(path, grid, lq_gauge_f64(u), &options));
  CHECK_OK(lq_write_async(fresh("direct.ildg"), grid, lq_gauge_f64(u), &options, &by_thread));
  options.strategy = LQ_MESSAGES;
  CHECK_OK(lq_write_async(fresh("messages.ildg"), grid, lq_gauge_f64(u), &options, &by_messages));
  CHECK_OK(lq_writer_create(fresh("several.lime"), grid, NULL, &writer));
  MPI_Finalize();

  calls_are_refused(path);
  CHECK_STATUS(lq_writer_close(writer), LQ_WRONG_STATE);
  CHECK_STATUS(lq_pending_wait(by_thread, NULL), LQ_WRONG_STATE);
  CHECK_STATUS(lq_pending_wait(by_messages, NULL), LQ_WRONG_STATE);
  lq_pending_free(by_messages);
  lq_pending_free(by_thread);
  lq_writer_free(writer);
  lq_communicator_free(all);
  lq_grid_free(grid);
  free(u);
  return finish();
}
