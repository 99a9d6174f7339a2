/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Data of any type for module sion_f90_mpi: collective, so a task that cannot take part must report this. */
#include <mpi.h>

#include "compat/sion_fortran/descriptor.h"

void fsion_f90_coll_write(const CFI_cdesc_t* data, const sion_int64* size, const sion_int64* nitems, const int* sid,
                          sion_int64* rc) {
  *rc = fsion_out_of_any(sion_coll_fwrite_mpi, "fsion_coll_fwrite_mpi", data, *size, *nitems, *sid);
}

void fsion_f90_coll_read(const CFI_cdesc_t* data, const sion_int64* size, const sion_int64* nitems, const int* sid,
                         sion_int64* rc) {
  *rc = fsion_in_to_any(sion_coll_fread_mpi, "fsion_coll_fread_mpi", data, *size, *nitems, *sid);
}
