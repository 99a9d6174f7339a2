/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Lemon's reader: the records of a file in their order. Codes: lemon_defines.h. */
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
  LemonRecordHeader* curr_header; /* of the record that was opened last */
  MPI_Comm cartesian;             /* a duplicate of the caller's communicator */
  int my_rank;
  MPI_Offset off; /* in the file: of the open record's payload, or of the next header */
  MPI_Offset pos; /* in the record's payload */
  int is_last;    /* ME flag of the current record */
  int is_awaiting_header;
  int is_busy; /* a non-blocking read is on its way */
  int is_striped;
  void* buffer;     /* of that read */
  int bytes_wanted; /* by that read, of all ranks; at most INT_MAX is shown */
  void* limequat;   /* what the library keeps */
} LemonReader;

/* Collective. A reader at the beginning of the file. NULL: fp is NULL, or the file is not open, on some rank. */
LemonReader* lemonCreateReader(MPI_File* fp, MPI_Comm cartesian);

/* Collective. Completes what is on its way; the file stays open. NULL is allowed. */
void lemonDestroyReader(LemonReader* reader);

/* Collective. Opens the next record; an open one is closed first. LEMON_EOF behind the last record (white space or NULs
 * may follow it); LEMON_ERR_HEADER_NEXT: what follows is no header of version 1, or announces more than the file holds.
 */
int lemonReaderNextRecord(LemonReader* reader);

/* Local. 0 or 1; LEMON_ERR_PARAM without an open record. */
int lemonReaderMBFlag(LemonReader* reader);
int lemonReaderMEFlag(LemonReader* reader);

/* Local. The open record's type, valid until the next record is opened; NULL without an open record. */
char const* lemonReaderType(LemonReader* reader);

/* Local. Bytes of payload, and of padding behind it; LEMON_ERR_PARAM without an open record. */
MPI_Offset lemonReaderBytes(LemonReader* reader);
MPI_Offset lemonReaderPadBytes(LemonReader* reader);

/* Collective. Reads *nbytes bytes, or what is left of the record, to every rank; *nbytes tells how many came. LEMON_EOR
 * when nothing is left. */
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

/* Collective. rdest goes on where rsrc stands, through its own file. */
int lemonReaderSetState(LemonReader* rdest, LemonReader const* rsrc);

/* Local. ME flag of the open record; LEMON_ERR_PARAM without one. */
int lemonEOM(LemonReader* reader);

/* Collective. This rank's block of a lattice, from the position in the record on. The communicator is Cartesian;
 * latticeDims[d] is the global extent of its dimension d, a multiple of the ranks there. In the file the dimension
 * mapping[0] of the communicator is the slowest, without mapping dimension 0; in data the block's sites, siteSize bytes
 * each, lie in the same order. LEMON_ERR_PARAM: the arguments fit neither each other nor what is left of the record;
 * LEMON_ERR_READ: no record is open, or the bytes could not be read. */
int lemonReadLatticeParallel(LemonReader* reader, void* data, MPI_Offset siteSize, int const* latticeDims);
int lemonReadLatticeParallelMapped(LemonReader* reader, void* data, MPI_Offset siteSize, int const* latticeDims,
                                   int const* mapping);

/* Collective. The same in the background: data is not to be touched until lemonFinishReading, or the next collective
 * call, which finishes by itself. */
int lemonReadLatticeParallelNonBlocking(LemonReader* reader, void* data, MPI_Offset siteSize, int const* latticeDims);
int lemonReadLatticeParallelNonBlockingMapped(LemonReader* reader, void* data, MPI_Offset siteSize,
                                              int const* latticeDims, int const* mapping);

/* Collective. *nbytes bytes of the record to every rank, in the background. More than is left is LEMON_ERR_PARAM. */
int lemonReaderReadDataNonBlocking(void* dest, MPI_Offset const* nbytes, LemonReader* reader);

/* Collective. Completes what is on its way, and advances the position; at once if nothing is. */
int lemonFinishReading(LemonReader* reader);

#ifdef __cplusplus
}
#endif

#endif
