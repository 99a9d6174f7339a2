// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Multifiles of the threads of a parallel region.
#include "compat/sion/alias.hpp"
#include "compat/sion/omp_team.hpp"
#include "compat/sion/opening.hpp"

#define SION_OMP
#include <sion_omp.h>

using namespace lq::compat::sion;

extern "C" {

int sion_paropen_omp(const char* fname, const char* file_mode, sion_int64* chunksize, sion_int32* fsblksize,
                     int* globalrank, FILE** fileptr, char** newfname) {
  const char* const function = "sion_paropen_omp";
  try {
    const auto threads = omp_threads([] { return std::shared_ptr<lq::comm::Comm>(lq::comm::make_self()); });
    const int thread = threads->rank();
    const ParallelArguments arguments{function,   fname,   file_mode, chunksize, fsblksize,
                                      globalrank, fileptr, newfname,  nullptr,   nullptr};
    const int sid = open_in_parallel(std::make_shared<lq::multifile::ThreadsTeam>(threads), arguments,
                                     {0, 1, thread, threads->size()}, thread);
    if (sid >= 0 && globalrank != nullptr) *globalrank = thread;
    return sid;
  } catch (const std::exception& error) {
    return report_failure(function, error, omp_thread());
  }
}

int sion_parclose_omp(int sid) { return close_handle("sion_parclose_omp", sid); }
}

LQ_ALSO_AS_LSION(sion_paropen_omp);
LQ_ALSO_AS_LSION(sion_parclose_omp);
