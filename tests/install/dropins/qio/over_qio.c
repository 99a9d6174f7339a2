/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes a field with QIO's calls and reads it back, in one process. */
#include <qio.h>
#include <stdio.h>
#include <string.h>

static int extents[2] = {4, 6};
static float sites[24], back[24];

static int node_number(const int x[]) { return x[0] < 0; }
static int node_index(const int x[]) { return x[0] + 4 * x[1]; }
static void get_coords(int x[], int node, int index) {
  x[0] = index % 4 + node;
  x[1] = index / 4;
}
static int num_sites(int node) { return 24 + node; }
static void get(char* buf, size_t index, int count, void* arg) {
  memcpy(buf, (float*)arg + index, (size_t)count * sizeof(float));
}
static void put(char* buf, size_t index, int count, void* arg) {
  memcpy((float*)arg + index, buf, (size_t)count * sizeof(float));
}

int main(void) {
  static QIO_RecordInfo info;
  QIO_Layout layout;
  QIO_String* xml = QIO_string_create();
  QIO_RecordInfo* made = QIO_create_record_info(QIO_FIELD, NULL, NULL, 0, "Real", "F", 0, 0, 4, 1);
  QIO_Writer* writer;
  QIO_Reader* reader;
  int i;
  for (i = 0; i < 24; ++i) sites[i] = (float)i / 8;
  memset(&layout, 0, sizeof layout);
  layout.node_number = node_number;
  layout.node_index = node_index;
  layout.get_coords = get_coords;
  layout.num_sites = num_sites;
  layout.latsize = extents;
  layout.latdim = 2;
  layout.volume = layout.sites_on_node = 24;
  layout.number_of_nodes = 1;
  QIO_string_set(xml, "<over_qio/>");
  writer = QIO_open_write(xml, "over_qio.lime", QIO_SINGLEFILE, &layout, NULL, NULL);
  if (writer == NULL || QIO_write(writer, made, xml, get, 4, 4, sites) != QIO_SUCCESS) return 1;
  if (QIO_close_write(writer) != QIO_SUCCESS) return 2;
  reader = QIO_open_read(xml, "over_qio.lime", &layout, NULL, NULL);
  if (reader == NULL || QIO_read(reader, &info, xml, put, 4, 4, back) != QIO_SUCCESS) return 3;
  if (memcmp(sites, back, sizeof sites) != 0 || strcmp(QIO_string_ptr(xml), "<over_qio/>") != 0) return 4;
  if (QIO_read_record_info(reader, &info, xml) != QIO_EOF) return 5;
  QIO_close_read(reader);
  QIO_destroy_record_info(made);
  QIO_string_destroy(xml);
  puts("same");
  return 0;
}
