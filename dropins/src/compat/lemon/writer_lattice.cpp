// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Writing lattices.
#include "compat/lemon/position.hpp"

using namespace lq::compat::lemon;

namespace {

int write_lattice(LemonWriter* writer, const LatticeCall& call) noexcept {
  if (writer == nullptr) return LEMON_ERR_PARAM;
  if (const int code = finish(writer); code != LEMON_SUCCESS) return code;
  return code_from(LEMON_ERR_WRITE, [&] {
    std::uint64_t bytes = 0;
    const int code = state_of(writer).move_lattice(writer->fp, place_of(writer), call, writing, bytes);
    if (code != LEMON_SUCCESS) return code;
    note_written(writer, bytes);
    writer->pos += static_cast<MPI_Offset>(bytes);
    return code;
  });
}

int start_writing_lattice(LemonWriter* writer, const LatticeCall& call) noexcept {
  if (writer == nullptr) return LEMON_ERR_PARAM;
  if (const int code = finish(writer); code != LEMON_SUCCESS) return code;
  return code_from(LEMON_ERR_WRITE, [&] {
    const int code = state_of(writer).start_lattice(writer->fp, place_of(writer), call, writing);
    if (code != LEMON_SUCCESS) return code;
    note_written(writer, state_of(writer).bytes_in_flight());
    show_flight(writer, call.data);
    writer->is_collective = 1;
    return code;
  });
}

}  // namespace

extern "C" {

int lemonWriteLatticeParallel(LemonWriter* writer, void* data, MPI_Offset siteSize, int const* latticeDims) {
  return write_lattice(writer, {data, siteSize, latticeDims, nullptr});
}

int lemonWriteLatticeParallelMapped(LemonWriter* writer, void* data, MPI_Offset siteSize, int const* latticeDims,
                                    int const* mapping) {
  if (mapping == nullptr) latticeDims = nullptr;  // no dimension is named: refused, on all ranks
  return write_lattice(writer, {data, siteSize, latticeDims, mapping});
}

int lemonWriteLatticeParallelNonBlocking(LemonWriter* writer, void* data, MPI_Offset siteSize, int const* latticeDims) {
  return start_writing_lattice(writer, {data, siteSize, latticeDims, nullptr});
}

int lemonWriteLatticeParallelNonBlockingMapped(LemonWriter* writer, void* data, MPI_Offset siteSize,
                                               int const* latticeDims, int const* mapping) {
  if (mapping == nullptr) latticeDims = nullptr;
  return start_writing_lattice(writer, {data, siteSize, latticeDims, mapping});
}

}  // extern "C"
