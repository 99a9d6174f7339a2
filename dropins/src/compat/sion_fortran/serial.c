/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Multifiles of one process, and calls for all multifiles, from Fortran. */
#include <stdlib.h>
#include <string.h>

#include "compat/sion_fortran/face.h"

/* A word of the mode selects reading or writing; the default is reading. */
static int is_writing(const char* mode) {
  for (const char* word = mode; *word != '\0';) {
    const size_t length = strcspn(word, ",");
    if ((length == 1 && *word == 'w') ||
        (length == 2 && (strncmp(word, "wb", 2) == 0 || strncmp(word, "bw", 2) == 0))) {
      return 1;
    }
    word += length;
    if (*word == ',') ++word;
  }
  return 0;
}

/* Reading fills no arrays, because the lengths of the caller's are unknown: see fsion_get_chunksizes. */
#define OPEN                                                                                                   \
  (const char* fname, const char* file_mode, int* ntasks, int* nfiles, sion_int64* chunksizes, int* fsblksize, \
   int* globalranks, int* sid, int fname_length, int file_mode_length)
void fsion_open_ OPEN {
  char* const name = fsion_text(fname, fname_length);
  char* const mode = fsion_text(file_mode, file_mode_length);
  *sid = SION_ID_NOT_VALID;
  if (name != NULL && mode != NULL) {
    const int writes = is_writing(mode);
    int tasks = *ntasks;
    int files = *nfiles;
    int block = *fsblksize;
    *sid =
        sion_open(name, mode, &tasks, &files, writes ? &chunksizes : NULL, &block, writes ? &globalranks : NULL, NULL);
    fsion_store_int(ntasks, tasks);
    fsion_store_int(nfiles, files);
    fsion_store_int(fsblksize, block);
  }
  free(mode);
  free(name);
}
FSION_NAMES(void, fsion_open, OPEN);

#define OPEN_RANK                                                                                        \
  (const char* fname, const char* file_mode, sion_int64* chunksize, int* fsblksize, int* rank, int* sid, \
   int fname_length, int file_mode_length)
void fsion_open_rank_ OPEN_RANK {
  char* const name = fsion_text(fname, fname_length);
  char* const mode = fsion_text(file_mode, file_mode_length);
  *sid = SION_ID_NOT_VALID;
  if (name != NULL && mode != NULL) {
    sion_int64 chunk = *chunksize;
    int block = *fsblksize;
    int task = *rank;
    *sid = sion_open_rank(name, mode, &chunk, &block, &task, NULL);
    fsion_store_int64(chunksize, chunk);
    fsion_store_int(fsblksize, block);
  }
  free(mode);
  free(name);
}
FSION_NAMES(void, fsion_open_rank, OPEN_RANK);

#define OF_HANDLE (const int* sid, int* result)
void fsion_close_ OF_HANDLE { *result = sion_close(*sid); }
void fsion_feof_ OF_HANDLE { *result = sion_feof(*sid); }
void fsion_flush_ OF_HANDLE { *result = sion_flush(*sid); }
FSION_NAMES(void, fsion_close, OF_HANDLE);
FSION_NAMES(void, fsion_feof, OF_HANDLE);
FSION_NAMES(void, fsion_flush, OF_HANDLE);

#define ENSURE (const int* sid, const sion_int64* bytes, int* ierr)
void fsion_ensure_free_space_ ENSURE { *ierr = sion_ensure_free_space(*sid, *bytes); }
FSION_NAMES(void, fsion_ensure_free_space, ENSURE);

#define SEEK (const int* sid, const int* rank, const int* currentblocknr, const sion_int64* posinblk, int* ierr)
void fsion_seek_ SEEK { *ierr = sion_seek(*sid, *rank, *currentblocknr, *posinblk); }
FSION_NAMES(void, fsion_seek, SEEK);

sion_int64 fsion_bytes_avail_in_block_(const int* sid) { return sion_bytes_avail_in_block(*sid); }
sion_int64 fsion_get_position_(const int* sid) { return sion_get_position(*sid); }
FSION_NAMES(sion_int64, fsion_bytes_avail_in_block, (const int* sid));
FSION_NAMES(sion_int64, fsion_get_position, (const int* sid));
