/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Lemon's writer: records in sequence. Codes: lemon_defines.h.
 *
 * When lemonWriterCloseRecord has returned LEMON_SUCCESS, the whole record has been passed to storage by one
 * MPI_File_sync; before that nothing is guaranteed. */
#ifndef LEMON_WRITER_H
#define LEMON_WRITER_H

#include <mpi.h>
#include "lemon_defines.h"
#include "lemon_header.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  MPI_File* fp;       /* the caller's */
  MPI_Comm cartesian; /* a duplicate of the caller's communicator */
  int my_rank;
  MPI_Offset off; /* in the file: of the open record's payload, or of the next header */
  MPI_Offset pos; /* in the record's payload */
  int is_awaiting_header;
  int is_busy;       /* a non-blocking write is in progress */
  int is_collective; /* ... of a lattice */
  int is_first_record;
  int is_last;            /* ME flag of the open record */
  int is_last_written;    /* the record closed last ended a message */
  void* buffer;           /* of that write */
  MPI_Request request;    /* not used */
  int bytes_wanted;       /* by that write, of all ranks; at most INT_MAX is shown */
  MPI_Offset data_length; /* of the record opened last */
  void* limequat;         /* internal state of the library */
} LemonWriter;

/* Collective. A writer that begins at rank 0's individual file pointer. NULL: fp is NULL, or the file is not
 * open, on some rank. */
LemonWriter* lemonCreateWriter(MPI_File* fp, MPI_Comm cartesian);

/* Collective. Completes a write in progress; the file stays open, an open record stays without padding. Always
 * LEMON_SUCCESS, except for NULL. */
int lemonDestroyWriter(LemonWriter* writer);

/* Collective. Opens a record. LEMON_ERR_HEADER_NEXT: one is open; LEMON_ERR_MBME: the open message must continue, or
 * a new one must begin; LEMON_ERR_PARAM: a type that is not 1 to 127 printable ASCII characters, a length of 2^63 or
 * more. */
int lemonWriteRecordHeader(LemonRecordHeader const* props, LemonWriter* writer);

/* Collective. Writes *nbytes bytes of rank 0's source at the position in the record. LEMON_ERR_PARAM: NULL, no bytes,
 * or more than are left of the record; LEMON_ERR_WRITE: no record is open, or the bytes could not be written. */
int lemonWriteRecordData(void* source, MPI_Offset* nbytes, LemonWriter* writer);

/* Collective. Ends the record with its padding, however much was written of it. LEMON_ERR_CLOSE: no record is open. */
int lemonWriterCloseRecord(LemonWriter* writer);

/* Collective. As lemonReaderSeek. */
int lemonWriterSeek(LemonWriter* writer, MPI_Offset offset, int whence);

/* Collective. wdest continues at the position of wsrc, in its own file. */
int lemonWriterSetState(LemonWriter* wdest, LemonWriter const* wsrc);

/* Collective. This rank's block of a lattice, at the position in the record. Arguments and codes as for
 * lemonReadLatticeParallelMapped, with LEMON_ERR_WRITE. */
int lemonWriteLatticeParallel(LemonWriter* writer, void* data, MPI_Offset siteSize, int const* latticeDims);
int lemonWriteLatticeParallelMapped(LemonWriter* writer, void* data, MPI_Offset siteSize, int const* latticeDims,
                                    int const* mapping);

/* Collective. The same in the background: the ranks exchange sites immediately, then the file is written. data must
 * not be changed until lemonFinishWriting, or the next collective call, which completes it. */
int lemonWriteLatticeParallelNonBlocking(LemonWriter* writer, void* data, MPI_Offset siteSize, int const* latticeDims);
int lemonWriteLatticeParallelNonBlockingMapped(LemonWriter* writer, void* data, MPI_Offset siteSize,
                                               int const* latticeDims, int const* mapping);

/* Collective. lemonWriteRecordData in the background. */
int lemonWriteRecordDataNonBlocking(void* source, MPI_Offset const* nbytes, LemonWriter* writer);

/* Collective. Completes a write in progress, and advances the position; returns immediately if there is none. */
int lemonFinishWriting(LemonWriter* writer);

#ifdef __cplusplus
}
#endif

#endif
