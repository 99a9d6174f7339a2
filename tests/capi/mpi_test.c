// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The C API over MPI: grids of both kinds, the same file from all ranks, the same error on all ranks.
#include <limequat_mpi.h>

#include "check.h"

static int rank, size;

static uint64_t site_number(const int64_t* x) {
  return (uint64_t)(x[0] + lattice[0] * (x[1] + lattice[1] * (x[2] + lattice[2] * x[3])));
}

static void fetch_number(const int64_t* x, int dimensions, void* site, void* context) {
  (void)dimensions, (void)context;
  *(double*)site = (double)site_number(x);
}

static void check_number(const int64_t* x, int dimensions, const void* site, void* context) {
  (void)dimensions;
  CHECK(*(const double*)site == (double)site_number(x));
  ++*(uint64_t*)context;
}

static lq_field numbers(void) { return lq_sites_f64(NULL, 1, 0); }

// `path` is removed by rank 0 before anybody goes on.
static const char* shared_path(const char* name) {
  MPI_Barrier(MPI_COMM_WORLD);
  const char* path = fresh(name);
  MPI_Barrier(MPI_COMM_WORLD);
  return path;
}

static void all_sites_are_written_and_read_once(void) {
  const char* path = shared_path("numbers.lime");
  lq_grid* grid = NULL;
  uint64_t seen = 0, all = 0;
  CHECK_OK(lq_grid_mpi(lattice, 4, MPI_COMM_WORLD, &grid));
  CHECK(lq_grid_rank(grid) == rank && lq_grid_size(grid) == size);
  lq_field field = numbers();
  field.fetch = fetch_number;
  CHECK_OK(lq_write(path, grid, field, NULL));
  field = numbers();
  field.store = check_number;
  field.context = &seen;
  CHECK_OK(lq_read(path, grid, field, NULL));
  CHECK(seen == lq_grid_local_volume(grid));
  MPI_Allreduce(&seen, &all, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  CHECK(all == sites);
  lq_grid_free(grid);
}

static void a_given_process_grid_is_used(void) {
  const int64_t processes[4] = {1, 1, 1, size};
  int64_t used[4], lower[4], extents[4];
  lq_grid* grid = NULL;
  lq_grid_options options;
  CHECK_OK(lq_grid_options_init(&options, sizeof options));
  options.processes = processes;
  CHECK_OK(lq_grid_mpi_with(lattice, 4, MPI_COMM_WORLD, &options, &grid));
  CHECK_OK(lq_grid_processes(grid, used));
  CHECK(memcmp(used, processes, sizeof used) == 0);
  CHECK_OK(lq_grid_local_box(grid, lower, extents));
  CHECK(extents[0] == 4 && (rank > 0) == (lower[3] > 0));
  lq_grid_free(grid);
}

static void axes_of_a_cartesian_communicator_are_matched(void) {
  const int dims[4] = {size, 1, 1, 1}, periods[4] = {1, 1, 1, 1}, axes[4] = {1, 2, 3, 0};
  int64_t processes[4];
  MPI_Comm cartesian;
  MPI_Cart_create(MPI_COMM_WORLD, 4, dims, periods, 0, &cartesian);
  lq_grid* grid = NULL;
  lq_grid_options options;
  CHECK_OK(lq_grid_options_init(&options, sizeof options));
  options.axes = axes;
  CHECK_OK(lq_grid_mpi_with(lattice, 4, cartesian, &options, &grid));
  CHECK_OK(lq_grid_processes(grid, processes));
  CHECK(processes[3] == size && processes[0] == 1);
  lq_grid_free(grid);
  MPI_Comm_free(&cartesian);
}

static void a_process_grid_of_wrong_size_fails_on_all(void) {
  const int64_t processes[4] = {1, 1, 1, size + 1};
  lq_grid* grid = NULL;
  lq_grid_options options;
  CHECK_OK(lq_grid_options_init(&options, sizeof options));
  options.processes = processes;
  CHECK_STATUS(lq_grid_mpi_with(lattice, 4, MPI_COMM_WORLD, &options, &grid), LQ_INVALID_ARGUMENT);
  CHECK_STATUS(lq_grid_mpi(lattice, 4, MPI_COMM_WORLD, NULL), LQ_INVALID_ARGUMENT);
  CHECK(grid == NULL);
}

static void expect_same_bytes(const char* a, const char* b) {
  FILE *one = fopen(a, "rb"), *other = fopen(b, "rb");
  CHECK(one != NULL && other != NULL);
  int left = 0, right = 0;
  while (left == right && left != EOF) left = fgetc(one), right = fgetc(other);
  CHECK(left == right);
  fclose(one);
  fclose(other);
}

// Of part `index` of `parts`, of which the first ones have one slice more if they do not divide the lattice.
static int64_t first_slice(int64_t index, int64_t parts) {
  int64_t first = 0;
  for (int64_t i = 0; i < index; ++i) first += lattice[3] / parts + (i < lattice[3] % parts ? 1 : 0);
  return first;
}

// The order of QUDA, in which t is fastest, as a table; read again by the place of each rank when x is fastest and
// ranks run backwards. A Cartesian communicator is used like a plain one.
static void ranks_are_where_the_program_has_them(void) {
  const char *path = shared_path("quda.lime"), *plain = shared_path("plain.lime");
  const int64_t p[4] = {size % 2 == 0 ? 2 : 1, 1, 1, size / (size % 2 == 0 ? 2 : 1)};
  const int dims[1] = {size}, periods[1] = {1};
  int* ranks = malloc((size_t)size * sizeof *ranks);
  int number = 0;
  int64_t lower[4], extents[4], x[4];
  for (x[3] = 0; x[3] < p[3]; ++x[3])
    for (x[0] = 0; x[0] < p[0]; ++x[0]) ranks[number++] = (int)(x[0] * p[3] + x[3]);
  MPI_Comm cartesian;
  MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &cartesian);
  lq_grid* grid = NULL;
  lq_grid_options options;
  CHECK_OK(lq_grid_options_init(&options, sizeof options));
  options.processes = p;
  options.ranks = ranks;
  CHECK_OK(lq_grid_mpi_with(lattice, 4, cartesian, &options, &grid));
  CHECK_OK(lq_grid_local_box(grid, lower, extents));
  CHECK(lower[0] == rank / p[3] * extents[0] && lower[3] == first_slice(rank % p[3], p[3]));
  lq_field field = numbers();
  field.fetch = fetch_number;
  CHECK_OK(lq_write(path, grid, field, NULL));
  lq_grid_free(grid);
  if (rank == 0) {
    grid = grid_here();
    CHECK_OK(lq_write(plain, grid, field, NULL));
    lq_grid_free(grid);
    expect_same_bytes(path, plain);
  }
  const int64_t place[4] = {(size - 1 - rank) % p[0], 0, 0, (size - 1 - rank) / p[0]};
  uint64_t seen = 0;
  options.ranks = NULL;
  options.coordinates = place;
  CHECK_OK(lq_grid_mpi_with(lattice, 4, cartesian, &options, &grid));
  CHECK_OK(lq_grid_local_box(grid, lower, extents));
  CHECK(lower[0] == place[0] * extents[0] && lower[3] == first_slice(place[3], p[3]));
  field = numbers();
  field.store = check_number;
  field.context = &seen;
  CHECK_OK(lq_read(path, grid, field, NULL));
  CHECK(seen == lq_grid_local_volume(grid));
  lq_grid_free(grid);
  grid = NULL;
  const int64_t outside[4] = {0, 0, 0, p[3]};
  options.coordinates = rank == size - 1 ? outside : place;
  CHECK_STATUS(lq_grid_mpi_with(lattice, 4, cartesian, &options, &grid), LQ_INVALID_ARGUMENT);
  CHECK(size == 1 || lq_error_rank() == size - 1);
  options.coordinates = NULL;
  options.ranks = ranks;
  if (rank == size - 1) ranks[0] = ranks[0] + 1;
  CHECK_STATUS(lq_grid_mpi_with(lattice, 4, cartesian, &options, &grid),
               size == 1 ? LQ_INVALID_ARGUMENT : LQ_RANKS_DISAGREE);
  CHECK(grid == NULL);
  MPI_Comm_free(&cartesian);
  free(ranks);
}

// Messages over MPI by the program's own functions; what is under way is a request of MPI.
static int start(int status, MPI_Request request, uint64_t* message) {
  if (status != MPI_SUCCESS) return status;
  MPI_Request* kept = malloc(sizeof *kept);
  *kept = request;
  *message = (uint64_t)(uintptr_t)kept;
  return 0;
}
static int own_send(void* context, const void* data, uint64_t bytes, int to, int tag, uint64_t* message) {
  MPI_Request request;
  if (tag >= 4096) return MPI_ERR_TAG;
  const int status = MPI_Isend(data, (int)bytes, MPI_BYTE, to, tag, *(MPI_Comm*)context, &request);
  return start(status, request, message);
}
static int own_receive(void* context, void* data, uint64_t bytes, int from, int tag, uint64_t* message) {
  MPI_Request request;
  const int status = MPI_Irecv(data, (int)bytes, MPI_BYTE, from, tag, *(MPI_Comm*)context, &request);
  return start(status, request, message);
}
static int own_test(void* context, uint64_t message, int* done) {
  (void)context;
  MPI_Request* kept = (MPI_Request*)(uintptr_t)message;
  const int status = MPI_Test(kept, done, MPI_STATUS_IGNORE);
  if (*done) free(kept);
  return status;
}
static int freed = 0;
static void own_free(void* context) {
  MPI_Comm_free((MPI_Comm*)context);
  ++freed;
}

static void functions_of_the_program_carry_the_messages(void) {
  const char* path = shared_path("own.lime");
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  lq_operations own = {.struct_size = sizeof own,
                       .rank = rank,
                       .size = size,
                       .node = (uint64_t)rank,
                       .tags = 4096,
                       .send = own_send,
                       .receive = own_receive,
                       .test = own_test,
                       .free = own_free,
                       .context = &comm};
  lq_communicator* communicator = NULL;
  lq_grid* grid = NULL;
  CHECK_OK(lq_communicator_create(&own, &communicator));
  CHECK(lq_communicator_rank(communicator) == rank && lq_communicator_size(communicator) == size);
  CHECK_OK(lq_grid_create(lattice, 4, communicator, NULL, &grid));
  lq_field field = numbers();
  field.fetch = fetch_number;
  CHECK_OK(lq_write(path, grid, field, NULL));
  uint64_t seen = 0;
  field = numbers();
  field.store = check_number;
  field.context = &seen;
  CHECK_OK(lq_read(path, grid, field, NULL));
  CHECK(seen == lq_grid_local_volume(grid));

  const lq_failure mine = {
      .struct_size = sizeof mine, .status = LQ_NO_SPACE, .sentence = "no room", .path = "a", .offset = 3};
  CHECK_STATUS(lq_communicator_agree(communicator, rank == size - 1 ? &mine : NULL), LQ_NO_SPACE);
  CHECK(strcmp(lq_error_path(), "a") == 0 && lq_error_offset() == 3 && strncmp(lq_error_text(), "no room", 7) == 0);
  CHECK_OK(lq_communicator_agree(communicator, NULL));
  const lq_failure unknown = {.struct_size = sizeof unknown, .status = 1234};
  CHECK_STATUS(lq_communicator_agree(communicator, &unknown), LQ_INVALID_ARGUMENT);
  lq_communicator_free(communicator);
  CHECK(freed == 0);
  lq_grid_free(grid);
  CHECK(freed == 1);
}

static void a_wrong_argument_on_the_last_rank_fails_on_all(void) {
  const char* path = shared_path("one_rank.lime");
  lq_grid* grid = NULL;
  CHECK_OK(lq_grid_mpi(lattice, 4, MPI_COMM_WORLD, &grid));
  lq_field field = numbers();
  field.fetch = fetch_number;
  CHECK_STATUS(lq_write(rank == size - 1 ? NULL : path, grid, field, NULL), LQ_INVALID_ARGUMENT);
  CHECK(size == 1 || lq_error_rank() == size - 1);
  if (rank == size - 1) field.precision = 16;
  CHECK_STATUS(lq_write(path, grid, field, NULL), LQ_INVALID_ARGUMENT);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(fopen(path, "rb") == NULL);
  lq_grid_free(grid);
}

static void all_ranks_transfer_in_the_background(void) {
  const char *path = shared_path("background.lime"), *gone = shared_path("gone.lime");
  lq_grid* grid = NULL;
  lq_pending *writing = NULL, *cancelled = NULL, *reading = NULL;
  uint64_t seen = 0;
  lq_write_options options;
  CHECK_OK(lq_write_options_init(&options, sizeof options));
  options.strategy = LQ_MESSAGES;
  CHECK_OK(lq_grid_mpi(lattice, 4, MPI_COMM_WORLD, &grid));
  lq_field field = numbers();
  field.fetch = fetch_number;
  CHECK_OK(lq_write_async(path, grid, field, &options, &writing));
  CHECK_OK(lq_write_async(gone, grid, field, &options, &cancelled));
  CHECK_OK(lq_pending_wait(writing, NULL));
  CHECK_OK(lq_pending_cancel(cancelled));
  CHECK(fopen(gone, "rb") == NULL);
  field = numbers();
  field.store = check_number;
  field.context = &seen;
  CHECK_OK(lq_read_async(path, grid, field, NULL, &reading));
  CHECK_OK(lq_pending_wait(reading, NULL));
  CHECK(seen == lq_grid_local_volume(grid));
  lq_pending_free(writing);
  lq_pending_free(cancelled);
  lq_pending_free(reading);
  lq_grid_free(grid);
}

static void questions_are_asked_by_all_ranks(void) {
  const char* path = shared_path("asked.lime");
  lq_grid* grid = NULL;
  lq_communicator* group = NULL;
  char* json = NULL;
  int is_sound = 0;
  CHECK_OK(lq_grid_mpi(lattice, 4, MPI_COMM_WORLD, &grid));
  lq_field field = numbers();
  field.fetch = fetch_number;
  CHECK_OK(lq_write(path, grid, field, NULL));
  CHECK_OK(lq_communicator_mpi(MPI_COMM_WORLD, &group));
  CHECK_STATUS(lq_communicator_mpi(MPI_COMM_WORLD, NULL), LQ_INVALID_ARGUMENT);
  lq_verify_options options;
  CHECK_OK(lq_verify_options_init(&options, sizeof options));
  options.communicator = group;
  CHECK_OK(lq_verify(path, &options, &is_sound, &json));
  CHECK(is_sound == 1);
  lq_text_free(json);
  lq_communicator_free(group);
  lq_grid_free(grid);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  all_sites_are_written_and_read_once();
  a_given_process_grid_is_used();
  axes_of_a_cartesian_communicator_are_matched();
  ranks_are_where_the_program_has_them();
  a_process_grid_of_wrong_size_fails_on_all();
  functions_of_the_program_carry_the_messages();
  a_wrong_argument_on_the_last_rank_fails_on_all();
  all_ranks_transfer_in_the_background();
  questions_are_asked_by_all_ranks();
  MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return finish();
}
