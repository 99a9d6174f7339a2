// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Header objects. They come from malloc, since programs of C have been known to free their parts.
#include <lemon_header.h>

#include <cstdlib>
#include <cstring>

#include <lemon_defines.h>

extern "C" {

LemonRecordHeader* lemonCreateHeader(int MB_flag, int ME_flag, char const* type, MPI_Offset reclen) {
  if (type == nullptr) return nullptr;
  auto* header = static_cast<LemonRecordHeader*>(std::malloc(sizeof(LemonRecordHeader)));
  char* copy = ::strdup(type);
  if (header == nullptr || copy == nullptr) {
    std::free(header);
    std::free(copy);
    return nullptr;
  }
  *header = {LEMON_VERSION, MB_flag, ME_flag, copy, static_cast<uint64_t>(reclen)};
  return header;
}

void lemonDestroyHeader(LemonRecordHeader* h) {
  if (h == nullptr) return;
  std::free(h->type);
  std::free(h);
}

}  // extern "C"
