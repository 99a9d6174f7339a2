// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What readers and writers have in common: codes of errors, and their place in a record.
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

// Our errors as codes: no exception leaves a function of C.

// Bad arguments have one code; `otherwise` is that of the call: LEMON_ERR_READ or LEMON_ERR_WRITE.
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

// The code that `work` returns, or that of what it throws.
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

// LEMON_SUCCESS, or the code of what `work` throws.
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

// Collective, if something is on its way: completes it.
inline int finish(LemonReader* reader) noexcept {
  return code_from(LEMON_ERR_READ, [&] {
    std::uint64_t bytes = 0;
    const int code = state_of(reader).finish(reading, bytes);
    reader->pos += static_cast<MPI_Offset>(bytes);
    reader->buffer = nullptr;
    reader->is_busy = reader->bytes_wanted = 0;
    return code;
  });
}
inline int finish(LemonWriter* writer) noexcept {
  return code_from(LEMON_ERR_WRITE, [&] {
    std::uint64_t bytes = 0;
    const int code = state_of(writer).finish(lemon::writing, bytes);
    writer->pos += static_cast<MPI_Offset>(bytes);
    writer->buffer = nullptr;
    writer->is_busy = writer->is_collective = writer->bytes_wanted = 0;
    return code;
  });
}

// Bytes of the open record that are in the file now, or will be.
inline void note_written(LemonWriter* writer, std::uint64_t bytes) noexcept {
  State& state = state_of(writer);
  state.is_dirty = true;
  state.written_end = std::max(state.written_end, static_cast<std::uint64_t>(writer->pos) + bytes);
}

// The public fields of a call under way.
template <class Object>
void show_flight(Object* object, void* buffer) noexcept {
  object->is_busy = 1;
  object->buffer = buffer;
  object->bytes_wanted = static_cast<int>(std::min<std::uint64_t>(state_of(object).bytes_in_flight(), INT_MAX));
}

// Local. A seek while bytes are on their way counts from after them, and is not undone by their arrival.
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

}  // namespace lq::compat::lemon
