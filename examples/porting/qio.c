// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Writes and reads a field of four numbers per site, stored with even sites first, with QIO's interface.
//
//   mpicc qio.c -lqio -llime && mpirun -n 4 ./a.out field.lime
//
// Prints:
//   every node has read what it wrote
// [program]
#include <mpi.h>
#include <qio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { numbers = 4 };  // per site

static int extents[4] = {8, 8, 8, 16}, slices, rank;  // each node has `slices` time slices, even sites first

static int node_number(const int x[]) { return x[3] / slices; }

static int node_index(const int x[]) {
  int index = x[0] + 8 * (x[1] + 8 * (x[2] + 8 * (x[3] % slices)));
  return index / 2 + (x[0] + x[1] + x[2] + x[3]) % 2 * (256 * slices);
}

static void get_coords(int x[], int node, int index) {
  int odd = index / (256 * slices), pair = index % (256 * slices) * 2;
  x[1] = pair / 8 % 8;
  x[2] = pair / 64 % 8;
  x[3] = pair / 512 + node * slices;
  x[0] = pair % 8 + (x[1] + x[2] + x[3] + odd) % 2;
}

static int num_sites(int node) { return node < 0 ? 0 : 512 * slices; }

static void get(char* buf, size_t index, int count, void* field) {
  memcpy(buf, (double*)field + index * numbers, count * numbers * sizeof(double));
}

static void put(char* buf, size_t index, int count, void* field) {
  memcpy((double*)field + index * numbers, buf, count * numbers * sizeof(double));
}

static int save(const char* name, QIO_Layout* layout, double* field) {
  QIO_String* xml = QIO_string_create();
  QIO_string_set(xml, "<example/>");
  QIO_RecordInfo* info = QIO_create_record_info(QIO_FIELD, NULL, NULL, 0, "Vector", "D", 0, 0, 32, 1);
  QIO_Oflag flags = {QIO_PARALLEL, QIO_TRUNC, QIO_ILDGNO, NULL};
  QIO_Writer* writer = QIO_open_write(xml, name, QIO_SINGLEFILE, layout, NULL, &flags);
  int status = writer == NULL ? QIO_ERR_OPEN_WRITE : QIO_write(writer, info, xml, get, 32, 8, field);
  if (writer != NULL && QIO_close_write(writer) != QIO_SUCCESS) status = QIO_ERR_CLOSE;
  QIO_destroy_record_info(info);
  QIO_string_destroy(xml);
  return status;
}

static int load(const char* name, QIO_Layout* layout, double* field) {
  static QIO_RecordInfo info;
  QIO_String* xml = QIO_string_create();
  QIO_Iflag flags = {QIO_PARALLEL, QIO_SINGLEFILE};
  QIO_Reader* reader = QIO_open_read(xml, name, layout, NULL, &flags);
  int status = reader == NULL ? QIO_ERR_OPEN_READ : QIO_read(reader, &info, xml, put, 32, 8, field);
  QIO_close_read(reader);
  QIO_string_destroy(xml);
  return status;
}

int main(int argc, char** argv) {
  QIO_Layout layout = {node_number, node_index, get_coords, num_sites};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &layout.number_of_nodes);
  slices = 16 / layout.number_of_nodes;
  layout.latsize = extents;
  layout.latdim = 4;
  layout.volume = 8192;
  layout.sites_on_node = (size_t)num_sites(rank);
  layout.this_node = rank;
  size_t bytes = layout.sites_on_node * numbers * sizeof(double);
  double *written = malloc(bytes), *read = calloc(bytes, 1);
  if (written == NULL || read == NULL) return 1;
  for (size_t i = 0; i < bytes / sizeof(double); ++i) written[i] = rank * 1e6 + (double)i;

  int status = save(argv[1], &layout, written);
  if (status == QIO_SUCCESS) status = load(argv[1], &layout, read);

  int good = status == QIO_SUCCESS && memcmp(written, read, bytes) == 0, all = 0;
  MPI_Allreduce(&good, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (rank == 0) puts(all ? "every node has read what it wrote" : "something went wrong");
  free(written);
  free(read);
  MPI_Finalize();
  return !all;
}
// [/program]
