/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Operations on an open multifile, however it was opened. `sid` is the handle returned by the open. */
#ifndef SION_SION_COMMON_H
#define SION_SION_COMMON_H

#include <stdint.h>
#include <stdio.h>

#include "sion_const.h"
#include "sion_datatypes.h"

#define SION_MAX_FSBLOCKSIZE (32 * 1024 * 1024)
#define SION_DEFAULT_FSBLOCKSIZE (2 * 1024 * 1024)
#define SION_FILENAME_LENGTH 1024
#define MAXCHUNKS 100

#ifdef __cplusplus
extern "C" {
#endif

/* Data. Counts of items; 0 on error. A write is never split: it goes to the current chunk, or to the next. */
size_t sion_fwrite(const void* data, size_t size, size_t nitems, int sid);
size_t sion_fread(void* data, size_t size, size_t nitems, int sid);
int sion_ensure_free_space(int sid, sion_int64 bytes);
int sion_feof(int sid); /* goes to the next chunk at the end of this one */
sion_int64 sion_bytes_avail_in_block(int sid);
sion_int64 sion_bytes_avail_in_chunk(int sid);
int sion_flush(int sid);

/* Keys: records of a key, with separate positions. */
size_t sion_fwrite_key(const void* data, uint64_t key, size_t size, size_t nitems, int sid);
size_t sion_fread_key(void* data, uint64_t key, size_t size, size_t nitems, int sid);
int sion_fread_key_iterator_reset(int sid);
int sion_fread_key_iterator_next(int sid, uint64_t* key, size_t* size);
int sion_seek_key(int sid, uint64_t key, int entrynum, sion_int64 posinentry);
int sion_key_full_scan(int sid);
int sion_key_list_iterator_reset(int sid);
int sion_key_list_iterator_next(int sid, uint64_t* keyptr);
struct _sion_key_stat_struct {
  uint64_t key;
  sion_int64 num_blocks;
  sion_int64 total_size;
};
typedef struct _sion_key_stat_struct sion_key_stat_t;
int sion_key_get_stat(int sid, uint64_t key, sion_key_stat_t* stat);
int sion_get_keyval_mode(int sid);
char* sion_keyval_type_to_str(int type);

/* Position. */
int sion_seek(int sid, int rank, int currentblocknr, sion_int64 posinblk);
int sion_seek_fp(int sid, int rank, int currentblocknr, sion_int64 posinblk, FILE** fileptr);
sion_int64 sion_get_position(int sid);
sion_int64 sion_get_bytes_written(int sid);
sion_int64 sion_get_bytes_read(int sid);

/* Raw access, and a second stream over a duplicated descriptor for zlib and similar libraries. */
FILE* sion_get_fp(int sid);
int sion_get_fd(int sid);
int sion_set_fp_closed(int sid);
int sion_set_second_fp(int sid, FILE* fp);
int sion_unset_second_fp(int sid);
int sion_optimize_fp_buffer(int sid);

/* Another handle on a multifile opened in parallel for reading, with separate positions. */
int sion_dup(int sid, int mode, int rank, uint64_t key);
int sion_dedup(int sid);

/* Information. Arrays belong to the handle and live until it is closed. */
int sion_get_locations(int sid, int* ntasks, int* maxblocks, sion_int64* globalskip, sion_int64* start_of_varheader,
                       sion_int64** sion_chunksizes, sion_int64** sion_globalranks, sion_int64** sion_blockcount,
                       sion_int64** sion_blocksizes);
int sion_get_current_location(int sid, int* currentblock, sion_int64* currentpos, int* maxchunks,
                              sion_int64** chunksizes);
int sion_get_current_locations(int sid, int* ntasks, sion_int64** sion_currentpos, sion_int64** sion_currentblocknr);
int sion_get_mapping(int sid, int* mapping_size, sion_int32** mapping, int* numfiles);
int sion_get_number_of_files(int sid);
int sion_get_filenumber(int sid);
int sion_is_serial_opened(int sid);
int sion_using_hints(int sid);
int sion_get_file_endianness(int sid);
int sion_get_endianness(void); /* 1 big, 0 little */
int sion_endianness_swap_needed(int sid);
int sion_is_thread_safe(void);
int sion_get_version(int* main_version, int* sub_version, int* patch_level, int* fileformat_version);
int sion_get_sizeof(int sid, int* numbytes, int* numfds);

/* The files that this task reads or writes, with buddy copies; NULL without. */
struct _sion_io_stat_struct {
  int nfiles;
  const char** names;
  size_t* sizes;
  int* roles;
};
typedef struct _sion_io_stat_struct sion_io_stat_t;
sion_io_stat_t* sion_get_io_info(int sid);
sion_io_stat_t* sion_get_io_info_by_spec(int sid, int roles, int flag);
int sion_free_io_info(sion_io_stat_t* info);

/* Locks around the table of handles. */
int sion_lock_register_lock_callbacks(int lock(void*), int unlock(void*), void* lock_data);
int sion_lock_user_callbacks_defined(void);

/* Copies n elements of `size` bytes, each reversed if do_swap. */
void sion_swap(void* target, void* source, int size, int n, int do_swap);

#define _sion_stat_file _sion_file_stat_file
int _sion_file_stat_file(const char* fname); /* 1 if there is such a file */

#ifdef __cplusplus
}
#endif

/* For programs that use them; also declared in sion_debug.h. */
#ifndef DPRINTF
#define DPRINTF(A)
#define DPRINTFP(A)
#define DPRINTTS(A, B)
#define DPRINTFTS2(A, B)
#endif

#endif
