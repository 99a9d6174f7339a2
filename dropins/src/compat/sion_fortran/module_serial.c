/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Calls of module sion_f90 with dummies of any type or rank; other calls use the Fortran 77 interface. */
#include "compat/sion_fortran/descriptor.h"

void fsion_open_(const char*, const char*, int*, int*, sion_int64*, int*, int*, int*, int, int);
void fsion_get_chunksizes_(const int*, sion_int64*, int*);
void fsion_get_globalranks_(const int*, int*, int*);
void fsion_get_mapping_(const int*, int*, int*);
void fsion_swap_(void*, void*, const int*, const int*, const int*, int*);

void fsion_f90_open(const char* fname, const char* file_mode, int* ntasks, int* nfiles, const CFI_cdesc_t* chunksizes,
                    int* fsblksize, const CFI_cdesc_t* globalranks, int* sid, int fname_length, int file_mode_length) {
  fsion_open_(fname, file_mode, ntasks, nfiles, chunksizes->base_addr, fsblksize, globalranks->base_addr, sid,
              fname_length, file_mode_length);
}

void fsion_f90_write(const CFI_cdesc_t* data, const sion_int64* size, const sion_int64* nitems, const int* sid,
                     sion_int64* rc) {
  *rc = fsion_out_of_any(sion_fwrite, "fsion_write", data, *size, *nitems, *sid);
}

void fsion_f90_read(const CFI_cdesc_t* data, const sion_int64* size, const sion_int64* nitems, const int* sid,
                    sion_int64* rc) {
  *rc = fsion_in_to_any(sion_fread, "fsion_read", data, *size, *nitems, *sid);
}

void fsion_f90_swap(const CFI_cdesc_t* target, const CFI_cdesc_t* source, const int* size, const int* n,
                    const int* do_swap, int* rc) {
  fsion_swap_(target->base_addr, source->base_addr, size, n, do_swap, rc);
}

void fsion_f90_get_chunksizes(const int* sid, const CFI_cdesc_t* chunksizes, int* ierr) {
  fsion_get_chunksizes_(sid, chunksizes->base_addr, ierr);
}

void fsion_f90_get_globalranks(const int* sid, const CFI_cdesc_t* globalranks, int* ierr) {
  fsion_get_globalranks_(sid, globalranks->base_addr, ierr);
}

void fsion_f90_get_mapping(const int* sid, const CFI_cdesc_t* mapping, int* ierr) {
  fsion_get_mapping_(sid, mapping->base_addr, ierr);
}
