/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The MPI types of sion_int32 and sion_int64. */
#ifndef SION_SION_DATATYPES_MPI_H
#define SION_SION_DATATYPES_MPI_H

#define SION_MPI_INT32 MPI_INT
#define SION_MPI_INT64 MPI_LONG_LONG

#endif
