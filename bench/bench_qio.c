/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A gauge field through the interface of QIO, over whichever library it is linked with: written and read in rounds, the
 * rates of each from opening to closing, and the checksum. On a machine that does other things as well, the processor
 * time of node 0 says more. With "vectors" the file has 64 records of a fermion field each, in single precision.
 * bench_qio FILE X Y Z T ROUNDS [box|evenodd|vectors] [serpar] */
#include <mpi.h>
#include <qio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct {
  const char *type, *precision;
  int spins, number_bytes, numbers, count, records; /* numbers of a site, in so many data */
} Record;
static const Record links = {"QDP_D3_ColorMatrix", "D", 0, 8, 72, 4, 1};
static const Record vectors = {"USQCD_F3_DiracFermion", "F", 4, 4, 24, 1, 64};

static int lattice[4], grid[4] = {1, 1, 1, 1}, is_even_odd, me, nodes;
static const Record* record = &links;
static size_t site_bytes;
static char* field; /* of this node, site by site */
static double cpu_written, cpu_read;

static int node_number(const int x[]) {
  int d, node = 0;
  for (d = 3; d >= 0; --d) node = node * grid[d] + x[d] / (lattice[d] / grid[d]);
  return node;
}

static int node_index(const int x[]) {
  int d, sum = 0, index = 0, sites = 1;
  for (d = 3; d >= 0; --d) {
    const int extent = lattice[d] / grid[d];
    index = index * extent + x[d] % extent;
    sites *= extent;
    sum += x[d];
  }
  return !is_even_odd ? index : index / 2 + (sum % 2) * (sites / 2);
}

static void get_coords(int x[], int node, int index) {
  int d, rest, sites = 1, sum = 0, parity = 0, box[4];
  for (d = 0; d < 4; ++d) sites *= box[d] = lattice[d] / grid[d];
  if (is_even_odd) {
    parity = index / (sites / 2);
    index = index % (sites / 2) * 2;
  }
  for (rest = 0; rest < 2; ++rest) {
    int left = index + rest, home = node;
    for (d = sum = 0; d < 4; ++d) {
      x[d] = left % box[d] + home % grid[d] * box[d];
      left /= box[d];
      home /= grid[d];
      sum += x[d];
    }
    if (!is_even_odd || sum % 2 == parity) return;
  }
}

static int num_sites(int node) {
  (void)node;
  return lattice[0] * lattice[1] * lattice[2] * lattice[3] / nodes;
}

static void get(char* buf, size_t index, int count, void* arg) {
  (void)count;
  (void)arg;
  memcpy(buf, field + index * site_bytes, site_bytes);
}

static void put(char* buf, size_t index, int count, void* arg) {
  (void)count;
  (void)arg;
  memcpy(field + index * site_bytes, buf, site_bytes);
}

static double write_once(const char* name, QIO_Layout* layout, int serpar) {
  QIO_Oflag flags = {serpar, QIO_TRUNC, QIO_ILDGNO, NULL};
  QIO_String* xml = QIO_string_create();
  QIO_Writer* writer;
  QIO_RecordInfo* info = QIO_create_record_info(QIO_FIELD, NULL, NULL, 0, (char*)record->type, (char*)record->precision,
                                                3, record->spins, (int)site_bytes / record->count, record->count);
  double begin;
  int i, code = QIO_SUCCESS;
  QIO_string_set(xml, "<benchmark/>");
  MPI_Barrier(MPI_COMM_WORLD);
  begin = MPI_Wtime();
  cpu_written = (double)clock() / CLOCKS_PER_SEC;
  writer = QIO_open_write(xml, name, QIO_SINGLEFILE, layout, NULL, &flags);
  if (writer == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  for (i = 0; i < record->records && code == QIO_SUCCESS; ++i) {
    code = QIO_write(writer, info, xml, get, site_bytes, record->number_bytes, NULL);
  }
  if (code != QIO_SUCCESS || QIO_close_write(writer) != QIO_SUCCESS) MPI_Abort(MPI_COMM_WORLD, 1);
  cpu_written = (double)clock() / CLOCKS_PER_SEC - cpu_written;
  MPI_Barrier(MPI_COMM_WORLD);
  begin = MPI_Wtime() - begin;
  QIO_destroy_record_info(info);
  QIO_string_destroy(xml);
  return begin;
}

static double read_once(const char* name, QIO_Layout* layout, int serpar) {
  static QIO_RecordInfo info;
  QIO_Iflag flags = {serpar, QIO_SINGLEFILE};
  QIO_String* xml = QIO_string_create();
  QIO_Reader* reader;
  double begin;
  int i, code = QIO_SUCCESS;
  MPI_Barrier(MPI_COMM_WORLD);
  begin = MPI_Wtime();
  cpu_read = (double)clock() / CLOCKS_PER_SEC;
  reader = QIO_open_read(xml, name, layout, NULL, &flags);
  if (reader == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  for (i = 0; i < record->records && code == QIO_SUCCESS; ++i) {
    code = QIO_read(reader, &info, xml, put, site_bytes, record->number_bytes, NULL);
  }
  if (code != QIO_SUCCESS) MPI_Abort(MPI_COMM_WORLD, 1);
  if (me == 0) printf("checksum %x %x ", QIO_get_reader_last_checksuma(reader), QIO_get_reader_last_checksumb(reader));
  QIO_close_read(reader);
  cpu_read = (double)clock() / CLOCKS_PER_SEC - cpu_read;
  MPI_Barrier(MPI_COMM_WORLD);
  begin = MPI_Wtime() - begin;
  QIO_string_destroy(xml);
  return begin;
}

/* Nodes along t, then z, as far as these divide. */
static int find_grid(void) {
  int d, rest = nodes;
  for (d = 3; d >= 0 && rest > 1; --d) {
    while (rest % 2 == 0 && lattice[d] / grid[d] % 2 == 0) {
      grid[d] *= 2;
      rest /= 2;
    }
  }
  return rest == 1;
}

int main(int argc, char** argv) {
  QIO_Layout layout;
  int d, round, rounds, serpar;
  size_t i, numbers;
  double all_bytes;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &nodes);
  if (argc < 7) {
    fprintf(stderr, "usage: %s FILE X Y Z T ROUNDS [box|evenodd|vectors] [serpar]\n", argv[0]);
    return 2;
  }
  for (d = 0; d < 4; ++d) lattice[d] = atoi(argv[2 + d]);
  rounds = atoi(argv[6]);
  is_even_odd = argc > 7 && strcmp(argv[7], "evenodd") == 0;
  if (argc > 7 && strcmp(argv[7], "vectors") == 0) record = &vectors;
  site_bytes = (size_t)(record->numbers * record->number_bytes);
  serpar = argc > 8 ? atoi(argv[8]) : QIO_SERIAL;
  if (!find_grid()) return 2;
  memset(&layout, 0, sizeof layout);
  layout.node_number = node_number;
  layout.node_index = node_index;
  layout.get_coords = get_coords;
  layout.num_sites = num_sites;
  layout.latsize = lattice;
  layout.latdim = 4;
  layout.volume = (size_t)lattice[0] * (size_t)lattice[1] * (size_t)lattice[2] * (size_t)lattice[3];
  layout.sites_on_node = layout.volume / (size_t)nodes;
  layout.this_node = me;
  layout.number_of_nodes = nodes;
  numbers = layout.sites_on_node * (size_t)record->numbers;
  all_bytes = (double)layout.volume * (double)site_bytes * record->records;
  field = malloc(layout.sites_on_node * site_bytes);
  if (field == NULL) return 1;
  for (i = 0; i < numbers; ++i) {
    const double number = (double)(i * 7 % 1009) / 1009 - 0.5 + me;
    if (record->number_bytes == 8) {
      ((double*)field)[i] = number;
    } else {
      ((float*)field)[i] = (float)number;
    }
  }
  for (round = 0; round < rounds; ++round) {
    double written, read;
    if (me == 0) remove(argv[1]); /* a new file each time */
    written = write_once(argv[1], &layout, serpar);
    read = read_once(argv[1], &layout, serpar);
    if (me == 0) {
      printf("write %.4f read %.4f GB/s, processor %.4f %.4f s\n", all_bytes / 1e9 / written, all_bytes / 1e9 / read,
             cpu_written, cpu_read);
    }
  }
  free(field);
  MPI_Finalize();
  return 0;
}
