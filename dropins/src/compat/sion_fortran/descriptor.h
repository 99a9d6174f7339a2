/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Data of the Fortran 90 modules, whose dummies take any type and rank: a scalar, an array, a section, or an element
 * from which a sequence begins. Sections are packed here: gfortran 12 loses the offset of components otherwise. */
#ifndef LQ_COMPAT_SION_FORTRAN_DESCRIPTOR_H
#define LQ_COMPAT_SION_FORTRAN_DESCRIPTOR_H

#include <ISO_Fortran_binding.h>

#include "compat/sion_fortran/face.h"

/* A function that moves data, like sion_fwrite and sion_fread. */
typedef size_t fsion_out(const void*, size_t, size_t, int);
typedef size_t fsion_in(void*, size_t, size_t, int);

/* Number of items moved. Whole arrays that are too short for them are refused; `move` is called in any case, with
 * nothing to move, because others may wait for it. `caller` is for the message. */
sion_int64 fsion_out_of_any(fsion_out* move, const char* caller, const CFI_cdesc_t* data, sion_int64 size,
                            sion_int64 nitems, int sid);
sion_int64 fsion_in_to_any(fsion_in* move, const char* caller, const CFI_cdesc_t* data, sion_int64 size,
                           sion_int64 nitems, int sid);

#endif
