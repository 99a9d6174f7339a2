// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Status codes, and the facts about the last failure. Conventions: limequat.h.
#ifndef LIMEQUAT_C_STATUS_H
#define LIMEQUAT_C_STATUS_H

#include <stdint.h>

#include <limequat/version.hpp>  // LQ_API; C as well as C++

#ifdef __cplusplus
extern "C" {
#endif

// Fixed numbers, in decades; equal to lq::Code in C++ and limequat.Code in Python.
typedef enum lq_status {
  LQ_OK = 0,
  // the caller can fix it
  LQ_INVALID_ARGUMENT = 10,
  LQ_RANKS_DISAGREE = 11,
  LQ_WRONG_STATE = 12,
  LQ_UNSUPPORTED = 13,
  // the system reported it
  LQ_NOT_FOUND = 20,
  LQ_EXISTS = 21,
  LQ_NO_PERMISSION = 22,
  LQ_NO_SPACE = 23,
  LQ_IO = 24,
  // the file is not what it should be
  LQ_UNKNOWN_FORMAT = 30,
  LQ_MALFORMED = 31,
  LQ_TRUNCATED = 32,
  LQ_CHECKSUM_MISMATCH = 33,
  LQ_NO_SUCH_RECORD = 34,
  // does not fit memory, format or an MPI limit
  LQ_OUT_OF_MEMORY = 40,
  LQ_TOO_LARGE = 41,
  // MPI failed
  LQ_COMMUNICATION = 50,
  // a bug in Limequat; please report it
  LQ_INTERNAL = 90
} lq_status;

// Local. "1.0.0": the version of the library that is linked. "no_space": the name of a status.
LQ_API const char* lq_version(void);
LQ_API const char* lq_status_name(lq_status status);

// Local. The last failure on this thread; a call that succeeds does not change it. Texts belong to the library
// and are valid until the next failure on this thread. Facts that do not apply are "", or -1 for offset and rank, or 0
// for errno. lq_error_json() returns all of them as one JSON object.
LQ_API const char* lq_error_text(void);
LQ_API lq_status lq_error_code(void);
LQ_API const char* lq_error_path(void);
LQ_API const char* lq_error_record(void);
LQ_API int64_t lq_error_offset(void);
LQ_API int lq_error_rank(void);
LQ_API const char* lq_error_expected(void);
LQ_API const char* lq_error_found(void);
LQ_API int lq_error_errno(void);
LQ_API const char* lq_error_json(void);

// Local. From now on the calls of this thread call check(context) some times a second, on this thread; NULL ends this.
// If it returns a value other than 0, the call ends on all ranks with LQ_IO and the errno ECANCELED; as after any
// failure no incomplete file appears, and existing files stay. For interpreters, which must be called to notice an
// interrupt from the keyboard; the function must not call the library.
typedef int (*lq_interrupt_check)(void* context);
LQ_API void lq_check_interrupts(lq_interrupt_check check, void* context);

// Local. Frees a text returned through a char **; NULL is accepted.
LQ_API void lq_text_free(char* text);

#ifdef __cplusplus
}
#endif

#endif
