/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A program that is linked with the core alone. Without arguments it says the version of the library and, in kB, the
 * most memory that it had. With a path it says what is in the file, or the error; "threads" before it: eight threads do
 * at once. "write" before it: it writes a field there. */
#include <limequat.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The text behind `name` in a file of /proc/self. */
static int found_in(const char* file, const char* name, char* rest, size_t room) {
  char line[4096];
  FILE* lines = fopen(file, "r");
  int found = 0;
  if (lines == NULL) return 0;
  while (!found && fgets(line, sizeof line, lines) != NULL) {
    const char* const at = strstr(line, name);
    if (at == NULL) continue;
    found = 1;
    snprintf(rest, room, "%s", at + strlen(name));
  }
  fclose(lines);
  return found;
}

static void say_loaded(const char* when) {
  char rest[4096];
  printf("%s: component hdf5 is %s\n", when,
         found_in("/proc/self/maps", "liblimequat_hdf5", rest, sizeof rest) ? "loaded" : "absent");
}

static const char* path;

static void* look(void* nothing) {
  char* json = NULL;
  (void)nothing;
  if (lq_inspect(path, NULL, &json) != LQ_OK) return NULL;
  lq_text_free(json);
  return &path;
}

static int say_failure(void) {
  printf("error: %s\n", lq_error_text());
  return 1;
}

static int write_field(void) {
  const int64_t extents[4] = {2, 2, 2, 2};
  static double numbers[2 * 2 * 2 * 2 * 4 * 18];
  lq_grid* grid = NULL;
  lq_status status = lq_grid_self(extents, 4, &grid);
  if (status == LQ_OK) status = lq_write(path, grid, lq_gauge_f64(numbers), NULL);
  lq_grid_free(grid);
  return status == LQ_OK ? 0 : say_failure();
}

int main(int count, char** words) {
  char memory[64] = "";
  pthread_t threads[8];
  int i, result = 0;
  if (count == 1) {
    printf("version: %s\n", lq_version());
    found_in("/proc/self/status", "VmHWM:", memory, sizeof memory);
    printf("memory: %d\n", atoi(memory));
    return 0;
  }
  path = words[count - 1];
  say_loaded("before");
  if (count == 3 && strcmp(words[1], "write") == 0) {
    result = write_field();
  } else if (count == 3) {
    for (i = 0; i < 8; ++i) pthread_create(&threads[i], NULL, look, NULL);
    for (i = 0; i < 8; ++i) {
      void* done = NULL;
      pthread_join(threads[i], &done);
      if (done == NULL) result = 1;
    }
  } else if (look(NULL) == NULL) {
    result = say_failure();
  }
  say_loaded("after");
  return result;
}
