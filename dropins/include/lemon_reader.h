/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Lemon's reader: the records of a file in sequence. Codes: lemon_defines.h. */
#ifndef LEMON_READER_H
#define LEMON_READER_H

#include <mpi.h>
#include "lemon_defines.h"
#include "lemon_header.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  MPI_File* fp;                   /* the caller's */
  LemonRecordHeader* curr_header; /* of the record opened last */
  MPI_Comm cartesian;             /* a duplicate of the caller's communicator */
  int my_rank;
  MPI_Offset off; /* in the file: of the open record's payload, or of the next header */
  MPI_Offset pos; /* in the record's payload */
  int is_last;    /* ME flag of the current record */
  int is_awaiting_header;
  int is_busy; /* a non-blocking read is in progress */
  int is_striped;
  void* buffer;     /* of that read */
  int bytes_wanted; /* by that read, of all ranks; at most INT_MAX is shown */
  void* limequat;   /* internal state of the library */
} LemonReader;

/* Collective. A reader at the beginning of the file. NULL: fp is NULL, or the file is not open, on some rank. */
LemonReader* lemonCreateReader(MPI_File* fp, MPI_Comm cartesian);

/* Collective. Completes a read in progress; the file stays open. NULL is allowed. */
void lemonDestroyReader(LemonReader* reader);

/* Collective. Opens the next record; an open one is closed first. LEMON_EOF after the last record (white space or NULs
 * may follow it); LEMON_ERR_HEADER_NEXT: not a header of version 1, or it announces more than the file contains. */
int lemonReaderNextRecord(LemonReader* reader);

/* Local. 0 or 1; LEMON_ERR_PARAM without an open record. */
int lemonReaderMBFlag(LemonReader* reader);
int lemonReaderMEFlag(LemonReader* reader);

/* Local. The open record's type, valid until the next record is opened; NULL without an open record. */
char const* lemonReaderType(LemonReader* reader);

/* Local. Bytes of payload, and of the padding after it; LEMON_ERR_PARAM without an open record. */
MPI_Offset lemonReaderBytes(LemonReader* reader);
MPI_Offset lemonReaderPadBytes(LemonReader* reader);

/* Collective. Reads *nbytes bytes, or the rest of the record, to every rank; sets *nbytes to their number. LEMON_EOR
 * if nothing is left. */
int lemonReaderReadData(void* dest, MPI_Offset* nbytes, LemonReader* reader);

/* Collective. LEMON_ERR_CLOSE without an open record. */
int lemonReaderCloseRecord(LemonReader* reader);

/* Local. Sets the position in the record: MPI_SEEK_SET: offset; MPI_SEEK_CUR: position + offset; MPI_SEEK_END: length -
 * offset. LEMON_ERR_SEEK, and no move, unless 0 <= result < length. */
int lemonReaderSeek(LemonReader* reader, MPI_Offset offset, int whence);

/* Local. lemonReaderSeek(reader, offset, MPI_SEEK_SET). */
int lemonSetReaderPointer(LemonReader* reader, MPI_Offset offset);

/* Local. The position in the record. */
MPI_Offset lemonGetReaderPointer(LemonReader* reader);

/* Collective. rdest continues at the position of rsrc, through its own file. */
int lemonReaderSetState(LemonReader* rdest, LemonReader const* rsrc);

/* Local. ME flag of the open record; LEMON_ERR_PARAM without one. */
int lemonEOM(LemonReader* reader);

/* Collective. This rank's block of a lattice, from the position in the record on. The communicator is Cartesian;
 * latticeDims[d] is the global extent of its dimension d, a multiple of the ranks there. In the file, dimension
 * mapping[0] of the communicator is the slowest, without mapping dimension 0; data contains the block's sites, siteSize
 * bytes each, in the same order. LEMON_ERR_PARAM: the arguments contradict each other, or the rest of the record;
 * LEMON_ERR_READ: no record is open, or the bytes could not be read. */
int lemonReadLatticeParallel(LemonReader* reader, void* data, MPI_Offset siteSize, int const* latticeDims);
int lemonReadLatticeParallelMapped(LemonReader* reader, void* data, MPI_Offset siteSize, int const* latticeDims,
                                   int const* mapping);

/* Collective. The same in the background: data must not be used until lemonFinishReading, or the next collective
 * call, which completes it. */
int lemonReadLatticeParallelNonBlocking(LemonReader* reader, void* data, MPI_Offset siteSize, int const* latticeDims);
int lemonReadLatticeParallelNonBlockingMapped(LemonReader* reader, void* data, MPI_Offset siteSize,
                                              int const* latticeDims, int const* mapping);

/* Collective. *nbytes bytes of the record to every rank, in the background. LEMON_ERR_PARAM: more than the rest. */
int lemonReaderReadDataNonBlocking(void* dest, MPI_Offset const* nbytes, LemonReader* reader);

/* Collective. Completes a read in progress, and advances the position; returns immediately if there is none. */
int lemonFinishReading(LemonReader* reader);

#ifdef __cplusplus
}
#endif

#endif
