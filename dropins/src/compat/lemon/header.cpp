// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Header objects.
#include <lemon_header.h>

#include <lemon_defines.h>

#include "compat/record_header.hpp"

extern "C" {

LemonRecordHeader* lemonCreateHeader(int MB_flag, int ME_flag, char const* type, MPI_Offset reclen) {
  return lq::compat::create_header<LemonRecordHeader>(LEMON_VERSION, MB_flag, ME_flag, type,
                                                      static_cast<std::uint64_t>(reclen));
}

void lemonDestroyHeader(LemonRecordHeader* h) { lq::compat::destroy_header(h); }

}  // extern "C"
