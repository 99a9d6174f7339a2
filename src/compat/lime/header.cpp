// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Header objects. They come from malloc, since programs of C have been known to free their parts.
#include <lime_header.h>

#include <cstdlib>
#include <cstring>

extern "C" {

LimeRecordHeader* limeCreateHeader(int MB_flag, int ME_flag, char* type, n_uint64_t reclen) {
  if (type == nullptr) return nullptr;
  auto* header = static_cast<LimeRecordHeader*>(std::malloc(sizeof(LimeRecordHeader)));
  char* copy = ::strdup(type);
  if (header == nullptr || copy == nullptr) {
    std::free(header);
    std::free(copy);
    return nullptr;
  }
  *header = {LIME_VERSION, MB_flag, ME_flag, copy, reclen};
  return header;
}

void limeDestroyHeader(LimeRecordHeader* h) {
  if (h == nullptr) return;
  std::free(h->type);
  std::free(h);
}

}  // extern "C"
