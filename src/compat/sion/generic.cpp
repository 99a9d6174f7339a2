// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Multifiles over callbacks.
#include "compat/sion/alias.hpp"
#include "compat/sion/opening.hpp"
#include "multifile/parallel_file.hpp"

using namespace lq::compat::sion;

extern "C" {

int sion_generic_parclose(int sid) { return close_handle("sion_generic_parclose", sid); }

int sion_generic_parreinit(int sid, sion_int64 chunksize) {
  return with_file("sion_generic_parreinit", SION_NOT_SUCCESS, sid, [&](OpenFile& open) {
    auto* const file = dynamic_cast<lq::multifile::ParallelFile*>(open.file.get());
    if (file == nullptr) return complain(SION_NOT_SUCCESS, open.rank, "sion_generic_parreinit: not opened in parallel");
    file->resize_chunks(chunksize);
    return SION_SUCCESS;
  });
}
}

LQ_ALSO_AS_LSION(sion_generic_parclose);
LQ_ALSO_AS_LSION(sion_generic_parreinit);
