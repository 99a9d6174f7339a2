// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Reading lattices.
#include "compat/lemon/position.hpp"

using namespace lq::compat::lemon;

namespace {

int read_lattice(LemonReader* reader, const LatticeCall& call) noexcept {
  if (reader == nullptr) return LEMON_ERR_PARAM;
  if (const int code = finish(reader); code != LEMON_SUCCESS) return code;
  return code_from(LEMON_ERR_READ, [&] {
    std::uint64_t bytes = 0;
    const int code = state_of(reader).move_lattice(reader->fp, place_of(reader), call, reading, bytes);
    if (code == LEMON_SUCCESS) reader->pos += static_cast<MPI_Offset>(bytes);
    return code;
  });
}

int start_reading_lattice(LemonReader* reader, const LatticeCall& call) noexcept {
  if (reader == nullptr) return LEMON_ERR_PARAM;
  if (const int code = finish(reader); code != LEMON_SUCCESS) return code;
  return code_from(LEMON_ERR_READ, [&] {
    const int code = state_of(reader).start_lattice(reader->fp, place_of(reader), call, reading);
    if (code == LEMON_SUCCESS) show_flight(reader, call.data);
    return code;
  });
}

}  // namespace

extern "C" {

int lemonReadLatticeParallel(LemonReader* reader, void* data, MPI_Offset siteSize, int const* latticeDims) {
  return read_lattice(reader, {data, siteSize, latticeDims, nullptr});
}

int lemonReadLatticeParallelMapped(LemonReader* reader, void* data, MPI_Offset siteSize, int const* latticeDims,
                                   int const* mapping) {
  if (mapping == nullptr) latticeDims = nullptr;  // no dimension is named: refused, on all ranks
  return read_lattice(reader, {data, siteSize, latticeDims, mapping});
}

int lemonReadLatticeParallelNonBlocking(LemonReader* reader, void* data, MPI_Offset siteSize, int const* latticeDims) {
  return start_reading_lattice(reader, {data, siteSize, latticeDims, nullptr});
}

int lemonReadLatticeParallelNonBlockingMapped(LemonReader* reader, void* data, MPI_Offset siteSize,
                                              int const* latticeDims, int const* mapping) {
  if (mapping == nullptr) latticeDims = nullptr;
  return start_reading_lattice(reader, {data, siteSize, latticeDims, mapping});
}

}  // extern "C"
