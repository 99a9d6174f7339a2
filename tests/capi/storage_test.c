// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What is known of a file system, and who is told of calls that do not return.
#define _POSIX_C_SOURCE 200809L

#include "check.h"

#include <time.h>
#include <unistd.h>

#define HAS(text, part) CHECK((text) != NULL && strstr(text, part) != NULL)

// In the place of the system's, for the whole process: a disk that takes its time.
int fsync(int descriptor) {
  const struct timespec pause = {0, 200 * 1000 * 1000};
  (void)descriptor;
  return nanosleep(&pause, NULL);
}

static void a_file_system_is_described(void) {
  char* json = NULL;
  CHECK_OK(lq_file_system_of("/proc/self", &json));
  HAS(json, "\"file_system\":\"0x00009fa0\"");  // PROC_SUPER_MAGIC: of no use for fields
  HAS(json, "\"mount_point\":\"/proc\"");
  HAS(json, "\"coherent\":\"unknown\"");
  HAS(json, "\"stripe_bytes\":null");
  lq_text_free(json);
  CHECK_STATUS(lq_file_system_of("/no-such-folder/x", &json), LQ_NOT_FOUND);
  CHECK_STATUS(lq_file_system_of(NULL, &json), LQ_INVALID_ARGUMENT);
  CHECK_STATUS(lq_file_system_of("/", NULL), LQ_INVALID_ARGUMENT);
}

typedef struct told {
  int calls;
  double seconds;
  char call[32], path[1024], sentence[1024];
} told;

static void keep(const lq_stall* stall, void* context) {
  told* all = context;
  ++all->calls;
  all->seconds = stall->seconds;
  snprintf(all->call, sizeof all->call, "%s", stall->call);
  snprintf(all->path, sizeof all->path, "%s", stall->path);
  snprintf(all->sentence, sizeof all->sentence, "%s", stall->sentence);
}

static void a_call_that_does_not_return_is_told(void) {
  double numbers[sites] = {0};
  lq_grid* grid = grid_here();
  told all = {0, 0, "", "", ""};
  CHECK_OK(lq_watch_stalls(0.04, keep, &all));
  CHECK_OK(lq_write(fresh("slow.lime"), grid, lq_sites_f64(numbers, 1, 0), NULL));
  CHECK_OK(lq_watch_stalls(0, NULL, NULL));  // ended: nobody writes to `all` any more
  CHECK(all.calls >= 1);
  CHECK(all.seconds >= 0.04 && all.seconds < 0.3);
  CHECK(strncmp(all.call, "sync", 4) == 0);
  HAS(all.path, "slow.lime");
  HAS(all.sentence, "has waited for 0 s in sync");
  const int before = all.calls;
  CHECK_OK(lq_write(fresh("unseen.lime"), grid, lq_sites_f64(numbers, 1, 0), NULL));
  CHECK(all.calls == before);
  CHECK_STATUS(lq_watch_stalls(0, keep, &all), LQ_INVALID_ARGUMENT);
  lq_grid_free(grid);
}

int main(void) {
  a_file_system_is_described();
  a_call_that_does_not_return_is_told();
  return failures != 0;
}
