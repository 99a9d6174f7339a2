/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The interface of SIONlib 1.7 with its classes: sionlib::serial::SIONFile and, if sion.h has the functions, those of
 * sionlib::omp, sionlib::mpi and sionlib::ompi. */
#ifndef SION_SION_CXX_H
#define SION_SION_CXX_H

#include "sion.h"

#ifdef __cplusplus

#include "sion_cxx_common.hpp"
#include "sion_cxx_serial.hpp"
#ifdef SION_OMP
#include "sion_cxx_omp.hpp"
#endif
#if defined(MPI_VERSION) || defined(SION_MPI)
#include "sion_cxx_mpi.hpp"
#endif
#if defined(MPI_VERSION) || defined(SION_OMPI)
#include "sion_cxx_ompi.hpp"
#endif

#endif

#endif
