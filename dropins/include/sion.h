/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The interface of SIONlib 1.7 over Limequat: what programs include. With SION_MPI, SION_OMP or SION_OMPI defined, or
 * mpi.h included before, the functions for MPI, OpenMP and both are declared, too. */
#ifndef SION_SION_H
#define SION_SION_H

#include "sion_const.h"
/* in this order: the others use the types of sion_common.h */
#include "sion_common.h"
#include "sion_generic.h"
#include "sion_serial.h"

#ifdef SION_OMP
#include "sion_omp.h"
#endif
#if defined(MPI_VERSION) || defined(SION_MPI)
#include "sion_mpi.h"
#endif
#if defined(MPI_VERSION) || defined(SION_OMPI)
#include "sion_ompi.h"
#endif

#endif
