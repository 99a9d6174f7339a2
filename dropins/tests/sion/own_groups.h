/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * An API of the generic interface whose callbacks are over MPI, as programs with communication of their own write them:
 * who has data to send waits for a signal, and nobody knows a group without a number. */
#ifndef LQ_TESTS_COMPAT_SION_OWN_GROUPS_H
#define LQ_TESTS_COMPAT_SION_OWN_GROUPS_H

#include <mpi.h>
#include <sion.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
  MPI_Comm comm;
} own_group;

static MPI_Comm comm_of(void* group) { return ((own_group*)group)->comm; }
static int group_rank(void* group) {
  int result = 0;
  MPI_Comm_rank(comm_of(group), &result);
  return result;
}
static MPI_Datatype type_of(int type) {
  return type == _SION_INT32 ? MPI_INT : type == _SION_INT64 ? MPI_LONG_LONG : MPI_CHAR;
}

static int own_free(void* local) {
  MPI_Comm_free(&((own_group*)local)->comm);
  free(local);
  return 0;
}

/* The how manieth group from now on this task fails to make; 0: none. */
static int bad_group = 0;

static int own_create(void** local, void* global, int grank, int gsize, int lrank, int lsize, int file, int files) {
  own_group* const made = malloc(sizeof *made);
  if (grank < 0 || grank >= gsize || lrank < 0 || lrank >= lsize || file < 0 || file >= files) abort();
  MPI_Comm_split(comm_of(global), file, lrank, &made->comm);
  int size = 0;
  MPI_Comm_size(made->comm, &size);
  if (size != lsize) abort();
  *local = made;
  if (bad_group == 0 || --bad_group > 0) return 0;
  own_free(made);
  return -1;
}
static int own_barrier(void* group) { return MPI_Barrier(comm_of(group)); }
static int own_bcast(void* data, void* group, int type, int n, int root) {
  return MPI_Bcast(data, n, type_of(type), root, comm_of(group));
}
static int own_gather(void* in, void* out, void* group, int type, int n, int root) {
  return MPI_Gather(in, n, type_of(type), out, n, type_of(type), root, comm_of(group));
}
static int own_scatter(void* in, void* out, void* group, int type, int n, int root) {
  return MPI_Scatter(in, n, type_of(type), out, n, type_of(type), root, comm_of(group));
}
static int* places(void* group, const int* counts, int root) {
  int size = 0;
  MPI_Comm_size(comm_of(group), &size);
  int* const at = calloc((size_t)size, sizeof *at);
  for (int i = 1; i < size && group_rank(group) == root; ++i) at[i] = at[i - 1] + counts[i - 1];
  return at;
}
static int own_gather_many(void* in, void* out, void* group, int type, int* counts, int n, int root) {
  int* const at = places(group, counts, root);
  const int rc = MPI_Gatherv(in, n, type_of(type), out, counts, at, type_of(type), root, comm_of(group));
  free(at);
  return rc;
}
/* Programs have its first two arguments in either order, so that nothing may depend on it. */
static int own_scatter_many(void* one, void* other, void* group, int type, int* counts, int n, int root) {
  fprintf(stderr, "scattervr was called: %p %p %p %d %p %d %d\n", one, other, group, type, (void*)counts, n, root);
  abort();
}

static long long piece_of(long long bytes, long long most) { return bytes < most ? bytes : most; }

/* On the collector: the specification of each sender, a signal to go on, the data in pieces. */
static int own_gather_execute(const void* data, sion_int64* spec, int n, sion_int64 most, void* group, int collector,
                              int first, int last, int sid, int process(const void*, sion_int64*, int)) {
  const MPI_Comm comm = comm_of(group);
  const int rank = group_rank(group);
  int go = 1;
  if (rank != collector) {
    if (rank < first || rank > last) return 0;
    MPI_Send(spec, n, MPI_LONG_LONG, collector, 1, comm);
    MPI_Recv(&go, 1, MPI_INT, collector, 2, comm, MPI_STATUS_IGNORE);
    const char* from = data;
    for (long long left = spec[1]; left > 0; left -= piece_of(left, most), from += most) {
      MPI_Ssend(from, (int)piece_of(left, most), MPI_CHAR, collector, 3, comm);
    }
    return 0;
  }
  char* const buffer = malloc((size_t)most);
  int rc = 0;
  for (int task = first; task <= last && rc == 0; ++task) {
    MPI_Recv(spec, n, MPI_LONG_LONG, task, 1, comm, MPI_STATUS_IGNORE);
    if (spec[0] != -1) MPI_Send(&go, 1, MPI_INT, task, 2, comm);
    for (long long left = spec[1]; left > 0 && rc == 0;) {
      spec[1] = piece_of(left, most);
      MPI_Recv(buffer, (int)spec[1], MPI_CHAR, task, 3, comm, MPI_STATUS_IGNORE);
      rc = process(buffer, spec, sid);
      left -= spec[1];
      spec[0] += spec[1];
    }
  }
  free(buffer);
  return rc;
}
static int own_execute_scatter(void* data, sion_int64* spec, int n, sion_int64 most, void* group, int collector,
                               int first, int last, int sid, int process(void*, sion_int64*, int)) {
  const MPI_Comm comm = comm_of(group);
  const int rank = group_rank(group);
  if (rank != collector) {
    if (rank < first || rank > last) return 0;
    MPI_Send(spec, n, MPI_LONG_LONG, collector, 1, comm);
    char* to = data;
    for (long long left = spec[1]; left > 0; left -= piece_of(left, most), to += most) {
      MPI_Recv(to, (int)piece_of(left, most), MPI_CHAR, collector, 3, comm, MPI_STATUS_IGNORE);
    }
    return 0;
  }
  char* const buffer = malloc((size_t)most);
  int rc = 0;
  for (int task = first; task <= last && rc == 0; ++task) {
    MPI_Recv(spec, n, MPI_LONG_LONG, task, 1, comm, MPI_STATUS_IGNORE);
    for (long long left = spec[1]; left > 0 && rc == 0;) {
      spec[1] = piece_of(left, most);
      rc = process(buffer, spec, sid);
      MPI_Send(buffer, (int)spec[1], MPI_CHAR, task, 3, comm);
      left -= spec[1];
      spec[0] += spec[1];
    }
  }
  free(buffer);
  return rc;
}
static int own_capability(void* group) { return group == NULL ? 52 : 50; }

/* `full`: with callbacks for data. */
static int own_api(int full) {
  char name[] = "own";
  const int aid = sion_generic_create_api(name);
  sion_generic_register_create_local_commgroup_cb(aid, own_create);
  sion_generic_register_free_local_commgroup_cb(aid, own_free);
  sion_generic_register_barrier_cb(aid, own_barrier);
  sion_generic_register_bcastr_cb(aid, own_bcast);
  sion_generic_register_gatherr_cb(aid, own_gather);
  sion_generic_register_scatterr_cb(aid, own_scatter);
  sion_generic_register_gathervr_cb(aid, own_gather_many);
  sion_generic_register_scattervr_cb(aid, own_scatter_many);
  if (!full) return aid;
  sion_generic_register_gather_and_execute_cb(aid, own_gather_execute);
  sion_generic_register_execute_and_scatter_cb(aid, own_execute_scatter);
  sion_generic_register_get_capability_cb(aid, own_capability);
  return aid;
}

#endif
