// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A file made into a set of subfiles, looked at through views, and made one file again.
#include "check.h"

static const char bytes[] = "head00112233445566778899AABBtail!";
static const int64_t extents[2] = {3, 4};
static const lq_file_array array = {4, 2, 2, extents};

static void files_become_sets_and_come_back(void) {
  const char *plain = fresh("plain.dat"), *set = fresh("plain.set"), *back = fresh("back.dat");
  put(plain, bytes);
  lq_repartition_options how;
  CHECK_OK(lq_repartition_options_init(&how, sizeof how));
  CHECK_OK(lq_repartition_options_set(&how, "extents", "3x4"));
  CHECK_OK(lq_repartition_options_set(&how, "element_bytes", "2"));
  how.begin = 4;
  how.to = "y=cyclic:2";
  char* json = NULL;
  CHECK_OK(lq_repartition(plain, set, &how, &json));
  CHECK(strstr(json, "\"to\":\"y=cyclic:2\"") != NULL);
  lq_text_free(json);
  CHECK_OK(lq_partition_of(set, NULL, "y=block:2", 2, &json));
  CHECK(strstr(json, "\"is_set\":true") != NULL);
  CHECK(strstr(json, "\"pairs\":4,\"runs\":4") != NULL);
  CHECK(strstr(json, "\"proposed\":\"y=block:2\"") != NULL);
  lq_text_free(json);
  CHECK_OK(lq_repartition(set, back, NULL, NULL));
  CHECK(holds(back, bytes));
  CHECK_STATUS(lq_repartition(set, back, NULL, NULL), LQ_EXISTS);
  how.to = "9=block:2";
  CHECK_STATUS(lq_repartition(plain, set, &how, NULL), LQ_INVALID_ARGUMENT);
}

static void views_are_read_and_written_like_files(void) {
  const char* plain = fresh("view.dat");
  put(plain, bytes);
  lq_view* view = NULL;
  CHECK_OK(lq_view_open(plain, "x=block:3", 1, &array, 1, &view));
  uint64_t number = 0;
  CHECK_OK(lq_view_size(view, &number));
  CHECK(number == 8);
  char found[20] = "";
  CHECK_OK(lq_view_read(view, found, 20, &number));
  CHECK(number == 8 && memcmp(found, "114477AA", 8) == 0);
  CHECK_OK(lq_view_seek(view, 3));
  CHECK_OK(lq_view_write(view, "xyz", 3));
  CHECK_OK(lq_view_tell(view, &number));
  CHECK(number == 6);
  CHECK_STATUS(lq_view_write(view, "xyz", 3), LQ_INVALID_ARGUMENT);
  CHECK_OK(lq_view_read_all(view, found, 8, NULL, 0));
  CHECK(memcmp(found, "114xyzAA", 8) == 0);
  CHECK_OK(lq_view_write_all(view, found, 8, NULL, 3));
  CHECK_STATUS(lq_view_read_all(view, found, 7, NULL, 0), LQ_INVALID_ARGUMENT);
  CHECK_OK(lq_view_sync(view));
  CHECK_OK(lq_view_close(view));
  CHECK_STATUS(lq_view_size(view, &number), LQ_WRONG_STATE);
  lq_view_free(view);
  lq_view_free(NULL);
  CHECK(holds(plain, "head001122334x5566yz8899AABBtail!"));
  CHECK_OK(lq_view_open(plain, NULL, 0, NULL, 0, &view));
  CHECK_OK(lq_view_size(view, &number));
  CHECK(number == sizeof bytes - 1);
  CHECK_STATUS(lq_view_write(view, "x", 1), LQ_WRONG_STATE);
  lq_view_free(view);
  CHECK_STATUS(lq_view_open(fresh("none"), NULL, 0, NULL, 0, &view), LQ_NOT_FOUND);
}

static void places_are_told(void) {
  uint64_t part = 9, position = 9, element = 9;
  CHECK_OK(lq_partition_place(&array, "y=cyclic:2,x=block:3", 8, &part, &position));
  CHECK(part == 4 && position == 1);  // x 2, y 2: part 0 of y and 2 of x
  CHECK_OK(lq_partition_element(&array, "y=cyclic:2,x=block:3", part, position, &element));
  CHECK(element == 8);
  CHECK_STATUS(lq_partition_place(&array, "y=cyclic:2", 12, &part, &position), LQ_INVALID_ARGUMENT);
  CHECK_STATUS(lq_partition_place(NULL, "y=cyclic:2", 0, &part, &position), LQ_INVALID_ARGUMENT);
}

int main(void) {
  files_become_sets_and_come_back();
  views_are_read_and_written_like_files();
  places_are_told();
  return finish();
}
