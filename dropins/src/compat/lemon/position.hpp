// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Common parts of readers and writers: error codes, and their position in a record.
#pragma once

#include <algorithm>
#include <climits>
#include <cstdint>

#include <lemon.h>
#include <lemon_defines.h>

#include <limequat/error.hpp>

#include "compat/lemon/state.hpp"
#include "format/lime/header.hpp"

namespace lq::compat::lemon {

// Errors as codes: no exception leaves a C function.

// Bad arguments have one code; `otherwise` is the code of the call: LEMON_ERR_READ or LEMON_ERR_WRITE.
inline int code_of(const Error& error, int otherwise) noexcept {
  switch (error.code()) {
    case Code::invalid_argument:
    case Code::ranks_disagree:
    case Code::too_large:
      return LEMON_ERR_PARAM;
    default:
      return otherwise;
  }
}

// Returns the code from `work`, or that of its exception.
template <class Work>
int code_from(int otherwise, Work&& work) noexcept {
  try {
    return work();
  } catch (const Error& error) {
    return code_of(error, otherwise);
  } catch (...) {
    return otherwise;
  }
}

// LEMON_SUCCESS, or the code of an exception of `work`.
template <class Work>
int outcome(int otherwise, Work&& work) noexcept {
  return code_from(otherwise, [&] {
    work();
    return static_cast<int>(LEMON_SUCCESS);
  });
}

template <class Object>
State& state_of(Object* object) noexcept {
  return *static_cast<State*>(object->limequat);
}

inline Place place_of(const LemonReader* reader) noexcept {
  const bool is_open = reader->is_awaiting_header == 0;
  return {is_open, reader->off, reader->pos, is_open ? static_cast<MPI_Offset>(reader->curr_header->data_length) : 0};
}
inline Place place_of(const LemonWriter* writer) noexcept {
  return {writer->is_awaiting_header == 0, writer->off, writer->pos, writer->data_length};
}

inline int pad_of(MPI_Offset length) noexcept {
  return static_cast<int>(format::lime::padding(static_cast<std::uint64_t>(length)));
}

inline const Direction& direction_of(const LemonReader*) noexcept { return reading; }
inline const Direction& direction_of(const LemonWriter*) noexcept { return writing; }

// Collective, if a transfer is in flight: completes it.
template <class Object>
int finish(Object* object) noexcept {
  return code_from(direction_of(object).failed, [&] {
    std::uint64_t bytes = 0;
    const int code = state_of(object).finish(direction_of(object), bytes);
    object->pos += static_cast<MPI_Offset>(bytes);
    object->buffer = nullptr;
    object->is_busy = object->bytes_wanted = 0;
    if constexpr (requires { object->is_collective; }) object->is_collective = 0;
    return code;
  });
}

// The beginning of most calls: completes any transfer in flight.
template <class Object, class Work>
int call(Object* object, Work&& work) noexcept {
  if (object == nullptr) return LEMON_ERR_PARAM;
  if (const int code = finish(object); code != LEMON_SUCCESS) return code;
  return code_from(direction_of(object).failed, work);
}

// Counts bytes of the open record that are, or will be, in the file.
inline void note_written(LemonWriter* writer, std::uint64_t bytes) noexcept {
  State& state = state_of(writer);
  state.is_dirty = true;
  state.written_end = std::max(state.written_end, static_cast<std::uint64_t>(writer->pos) + bytes);
}
inline void note_written(LemonReader*, std::uint64_t) noexcept {}

// The public fields of a running call.
template <class Object>
void show_flight(Object* object, void* buffer) noexcept {
  object->is_busy = 1;
  object->buffer = buffer;
  object->bytes_wanted = static_cast<int>(std::min<std::uint64_t>(state_of(object).bytes_in_flight(), INT_MAX));
}

// Local. A seek during a transfer starts after its bytes, and is not undone by their arrival.
template <class Object>
int seek(Object* object, MPI_Offset offset, int whence) noexcept {
  const Place place = place_of(object);
  if (!place.is_open) return LEMON_ERR_PARAM;
  State& state = state_of(object);
  const MPI_Offset now = place.pos + static_cast<MPI_Offset>(state.bytes_in_flight());
  MPI_Offset wanted = offset;
  bool is_lost = false;
  if (whence == MPI_SEEK_CUR) {
    is_lost = __builtin_add_overflow(now, offset, &wanted);
  } else if (whence == MPI_SEEK_END) {
    is_lost = __builtin_sub_overflow(place.length, offset, &wanted);
  } else if (whence != MPI_SEEK_SET) {
    return LEMON_ERR_PARAM;
  }
  if (is_lost || wanted < 0 || wanted >= place.length) return LEMON_ERR_SEEK;
  state.detach_position();
  object->pos = wanted;
  return LEMON_SUCCESS;
}

// Collective. Sets the position of `to` to that of `from`, including any transfer in flight there.
template <class Object>
void take_place(Object* to, const Object* from) noexcept {
  to->cartesian = state_of(to).group().handle();
  to->my_rank = state_of(to).group().rank();
  to->is_last = from->is_last;
  to->is_awaiting_header = from->is_awaiting_header;
  to->off = from->off;
  to->pos = from->pos + static_cast<MPI_Offset>(state_of(from).bytes_in_flight());
}

// Collective. The sites of a lattice, read or written.
template <class Object>
int move_lattice(Object* object, const LatticeCall& lattice) noexcept {
  return call(object, [&] {
    std::uint64_t bytes = 0;
    const int code = state_of(object).move_lattice(object->fp, place_of(object), lattice, direction_of(object), bytes);
    if (code != LEMON_SUCCESS) return code;
    note_written(object, bytes);
    object->pos += static_cast<MPI_Offset>(bytes);
    return code;
  });
}

// Collective. The same in the background.
template <class Object>
int start_lattice(Object* object, const LatticeCall& lattice) noexcept {
  return call(object, [&] {
    const int code = state_of(object).start_lattice(object->fp, place_of(object), lattice, direction_of(object));
    if (code != LEMON_SUCCESS) return code;
    note_written(object, state_of(object).bytes_in_flight());
    show_flight(object, lattice.data);
    if constexpr (requires { object->is_collective; }) object->is_collective = 1;
    return code;
  });
}

// The request of a mapped call. Without a mapping no dimension is named: refused, on all ranks.
inline LatticeCall mapped(void* data, MPI_Offset site_bytes, const int* extents, const int* mapping) noexcept {
  return {data, site_bytes, mapping == nullptr ? nullptr : extents, mapping};
}

}  // namespace lq::compat::lemon
