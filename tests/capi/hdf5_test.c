// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sessions with HDF5 files: objects of every type, the tree, attributes, fields. Without HDF5 the one answer there is.
#include "check.h"

static lq_hdf5* opened(const char* path, int mode) {
  lq_hdf5* file = NULL;
  CHECK_OK(lq_hdf5_open(path, mode, NULL, &file));
  return file;
}

static lq_hdf5_array doubles(const double* data, int dimensions, uint64_t a, uint64_t b) {
  lq_hdf5_array array;
  memset(&array, 0, sizeof array);
  array.type = LQ_HDF5_DOUBLE;
  array.dimensions = dimensions;
  array.extents[0] = a;
  array.extents[1] = b;
  array.data = data;
  return array;
}

static lq_hdf5_array text_of(const char* const* text) {
  lq_hdf5_array array;
  memset(&array, 0, sizeof array);
  array.type = LQ_HDF5_TEXT;
  array.data = text;
  return array;
}

static void objects_come_back(void) {
  const char* path = fresh("objects.h5");
  const double table[6] = {1, 2, 3, 4, 5, 6}, times[3] = {0, 8, 16};
  const lq_hdf5_axis axes[2] = {{"momentum", NULL}, {"t", times}};
  const char* words = "some words";
  lq_hdf5_array array = doubles(table, 2, 2, 3);
  const lq_hdf5_array text = text_of(&words);
  lq_hdf5_value* value = NULL;
  lq_hdf5* file = opened(path, LQ_HDF5_CREATE);
  array.axes = axes;
  CHECK_OK(lq_hdf5_write(file, "/c/table", &array, 0));
  CHECK_STATUS(lq_hdf5_write(file, "/c/table", &array, 0), LQ_EXISTS);
  CHECK_OK(lq_hdf5_write(file, "/c/table", &array, 1));
  CHECK_OK(lq_hdf5_write(file, "/words", &text, 0));
  for (int type = LQ_HDF5_INT32; type <= LQ_HDF5_COMPLEX_DOUBLE; ++type) {
    char name[16];
    lq_hdf5_array number = doubles(table, 0, 0, 0);
    number.type = type;
    snprintf(name, sizeof name, "/n%d", type);
    CHECK_OK(lq_hdf5_write(file, name, &number, 0));
    CHECK_OK(lq_hdf5_read(file, name, &value));
    CHECK(lq_hdf5_value_array(value)->type == type && lq_hdf5_value_array(value)->dimensions == 0);
    CHECK(memcmp(lq_hdf5_value_array(value)->data, table, type == LQ_HDF5_INT32 || type == LQ_HDF5_FLOAT ? 4 : 8) == 0);
    lq_hdf5_value_free(value);
  }
  CHECK_OK(lq_hdf5_close(file));
  CHECK_STATUS(lq_hdf5_flush(file), LQ_WRONG_STATE);
  lq_hdf5_free(file);

  file = opened(path, LQ_HDF5_READ);
  CHECK_OK(lq_hdf5_read(file, "/c/table", &value));
  const lq_hdf5_array* back = lq_hdf5_value_array(value);
  CHECK(back->type == LQ_HDF5_DOUBLE && back->dimensions == 2 && back->extents[0] == 2 && back->extents[1] == 3);
  CHECK(memcmp(back->data, table, sizeof table) == 0);
  CHECK(back->axes != NULL && strcmp(back->axes[0].name, "momentum") == 0 && back->axes[0].coordinates == NULL);
  CHECK(strcmp(back->axes[1].name, "t") == 0 && memcmp(back->axes[1].coordinates, times, sizeof times) == 0);
  CHECK(lq_hdf5_value_status(value) == LQ_CHECKSUM_OK);
  lq_hdf5_value_free(value);
  CHECK_OK(lq_hdf5_read(file, "/words", &value));
  CHECK(strcmp(*(const char* const*)lq_hdf5_value_array(value)->data, words) == 0);
  lq_hdf5_value_free(value);
  CHECK_STATUS(lq_hdf5_read(file, "/none", &value), LQ_NO_SUCH_RECORD);
  CHECK_STATUS(lq_hdf5_write(file, "/new", &array, 0), LQ_WRONG_STATE);
  lq_hdf5_free(file);
}

static void remember_name(const char* name, int kind, const char* target, void* context) {
  (void)target;
  sprintf((char*)context + strlen(context), "%s:%d ", name, kind);
}
static void remember_attribute(const char* name, const lq_hdf5_array* array, void* context) {
  sprintf((char*)context + strlen(context), "%s:%d:%d ", name, array->type, array->dimensions);
}

static void the_tree_is_browsed(void) {
  const double numbers[2] = {1.5, 2.5};
  const lq_hdf5_array array = doubles(numbers, 1, 2, 0);
  char seen[256] = "";
  int exists = -1;
  lq_hdf5* file = opened(fresh("tree.h5"), LQ_HDF5_CREATE);
  CHECK_OK(lq_hdf5_push(file, "a/b"));
  CHECK(strcmp(lq_hdf5_pwd(file), "/a/b") == 0);
  CHECK_OK(lq_hdf5_write(file, "x", &array, 0));
  CHECK_OK(lq_hdf5_mkdir(file, "c"));
  CHECK_OK(lq_hdf5_ls(file, ".", remember_name, seen));
  CHECK(strcmp(seen, "c:0 x:1 ") == 0);
  CHECK_OK(lq_hdf5_pop(file));
  CHECK_STATUS(lq_hdf5_pop(file), LQ_WRONG_STATE);
  CHECK_OK(lq_hdf5_cd(file, "a"));
  CHECK_OK(lq_hdf5_copy(file, "b/x", "/y"));
  CHECK_OK(lq_hdf5_rename(file, "b/x", "../z"));
  CHECK_OK(lq_hdf5_exists(file, "/z", &exists));
  CHECK(exists == 1);
  CHECK_OK(lq_hdf5_remove(file, "b"));
  CHECK_OK(lq_hdf5_exists(file, "/a/b", &exists));
  CHECK(exists == 0);

  lq_hdf5_facts facts;
  facts.struct_size = sizeof facts;
  CHECK_OK(lq_hdf5_stat(file, "/z", &facts));
  CHECK(facts.kind == LQ_HDF5_DATASET && facts.dimensions == 1 && facts.extents[0] == 2 && facts.bytes == 16);
  CHECK(strcmp(facts.path, "/z") == 0 && strcmp(facts.type, "float64") == 0 && facts.has_time == 1);
  CHECK(strcmp(facts.storage, "contiguous") == 0 && strlen(facts.checksum) == 64 && facts.is_chunked == 0);

  lq_hdf5_value* value = NULL;
  CHECK_OK(lq_hdf5_set_attribute(file, "/a", "beta", &array));
  CHECK_OK(lq_hdf5_attribute(file, "/a", "beta", &value));
  CHECK(lq_hdf5_value_array(value)->extents[0] == 2);
  CHECK(memcmp(lq_hdf5_value_array(value)->data, numbers, sizeof numbers) == 0);
  lq_hdf5_value_free(value);
  seen[0] = 0;
  CHECK_OK(lq_hdf5_attributes(file, "/a", remember_attribute, seen));
  CHECK(strcmp(seen, "beta:4:1 ") == 0);
  CHECK_OK(lq_hdf5_remove_attribute(file, "/a", "beta"));
  CHECK_STATUS(lq_hdf5_attribute(file, "/a", "beta", &value), LQ_NO_SUCH_RECORD);
  lq_hdf5_free(file);
}

static void fields_come_back(void) {
  const char* path = fresh("fields.h5");
  lq_grid* grid = grid_here();
  double *u = new_links(), *back = calloc(gauge_numbers, sizeof *back);
  lq_hdf5* file = opened(path, LQ_HDF5_CREATE);
  CHECK_OK(lq_hdf5_write_field(file, "/cfg/u", grid, lq_gauge_f64(u), NULL));
  CHECK_STATUS(lq_hdf5_write_field(file, "/cfg/u", grid, lq_gauge_f64(u), NULL), LQ_EXISTS);
  CHECK_OK(lq_hdf5_close(file));
  lq_hdf5_free(file);
  file = opened(path, LQ_HDF5_APPEND);
  CHECK_OK(lq_hdf5_read_field(file, "/cfg/u", grid, lq_gauge_f64(back), NULL));
  CHECK(memcmp(u, back, gauge_numbers * sizeof *u) == 0);
  CHECK_OK(lq_hdf5_write_field(file, "/cfg/w", grid, lq_gauge_f64(u), NULL));
  CHECK_OK(lq_hdf5_close(file));
  lq_hdf5_free(file);
  lq_grid_free(grid);
  free(u);
  free(back);
}

static void wrong_arguments_are_told(void) {
  lq_hdf5* file = NULL;
  lq_hdf5_options options;
  const double number = 1;
  lq_hdf5_array array = doubles(&number, 0, 0, 0);
  CHECK_OK(lq_hdf5_options_init(&options, sizeof options));
  CHECK(options.time_stamps == 1 && options.sync == LQ_SYNC_FULL && options.digests == LQ_DIGESTS_CHECK);
  CHECK_OK(lq_hdf5_options_set(&options, "layout", "qlua"));
  CHECK_STATUS(lq_hdf5_open(NULL, LQ_HDF5_READ, &options, &file), LQ_INVALID_ARGUMENT);
  CHECK_STATUS(lq_hdf5_open("x.h5", 3, &options, &file), LQ_INVALID_ARGUMENT);
  CHECK_OK(lq_hdf5_open(fresh("wrong.h5"), LQ_HDF5_CREATE, &options, &file));
  array.type = 8;
  CHECK_STATUS(lq_hdf5_write(file, "x", &array, 0), LQ_INVALID_ARGUMENT);
  array = doubles(&number, 2, UINT64_C(1) << 33, UINT64_C(1) << 31);  // which is 0 in 64 bits
  CHECK_STATUS(lq_hdf5_write(file, "x", &array, 0), LQ_INVALID_ARGUMENT);
  array = doubles(&number, 2, 3, UINT64_C(0xAAAAAAAAAAAAAAAB));  // which is 1
  CHECK_STATUS(lq_hdf5_write(file, "x", &array, 0), LQ_INVALID_ARGUMENT);
  CHECK_STATUS(lq_hdf5_set_attribute(file, "/", "x", &array), LQ_INVALID_ARGUMENT);
  array = doubles(&number, 0, 0, 0);
  CHECK_STATUS(lq_hdf5_write(file, NULL, &array, 0), LQ_INVALID_ARGUMENT);
  CHECK_STATUS(lq_hdf5_write(file, "x", NULL, 0), LQ_INVALID_ARGUMENT);
  CHECK_STATUS(lq_hdf5_ls(file, ".", NULL, NULL), LQ_INVALID_ARGUMENT);
  CHECK_STATUS(lq_hdf5_cd(NULL, "."), LQ_INVALID_ARGUMENT);
  CHECK(strcmp(lq_hdf5_pwd(NULL), "") == 0 && lq_hdf5_value_array(NULL) == NULL);
  lq_hdf5_value_free(NULL);
  lq_hdf5_free(file);
  lq_hdf5_free(NULL);
}

int main(void) {
  lq_hdf5* file = NULL;
  if (lq_hdf5_open(fresh("probe.h5"), LQ_HDF5_CREATE, NULL, &file) == LQ_UNSUPPORTED) {
    CHECK(strstr(lq_error_text(), "HDF5") != NULL);
    return finish();
  }
  lq_hdf5_free(file);
  objects_come_back();
  the_tree_is_browsed();
  fields_come_back();
  wrong_arguments_are_told();
  return finish();
}
