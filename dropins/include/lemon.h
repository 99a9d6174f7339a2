/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Lemon's interface, over Limequat: records of a LIME file, read and written by all ranks of a communicator through the
 * caller's MPI_File. "Collective" calls are made by all ranks of that communicator, with the same arguments except for
 * buffers; all ranks get the same result. Nothing is printed, no error ends the program, and the file is accessed by
 * independent calls at explicit offsets only, from the calling thread.
 *
 * The file must have the view it was opened with, bytes from the beginning; a collective call that finds another one
 * resets it. The caller's file pointers are not moved. */
#ifndef LEMON_H
#define LEMON_H

#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>

#include "lemon_defines.h"
#include "lemon_header.h"
#include "lemon_reader.h"
#include "lemon_writer.h"

#endif
