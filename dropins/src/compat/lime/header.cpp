// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Header objects.
#include <lime_header.h>

#include "compat/record_header.hpp"

extern "C" {

LimeRecordHeader* limeCreateHeader(int MB_flag, int ME_flag, char* type, n_uint64_t reclen) {
  return lq::compat::create_header<LimeRecordHeader>(LIME_VERSION, MB_flag, ME_flag, type, reclen);
}

void limeDestroyHeader(LimeRecordHeader* h) { lq::compat::destroy_header(h); }

}  // extern "C"
