// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Writes records and lattices: rank 0 writes headers, text and padding, and sends the outcome to the others.
#include <array>
#include <cstring>
#include <memory>

#include <limequat/error.hpp>

#include "compat/lemon/position.hpp"
#include "mpi/calls.hpp"
#include "storage/posix_file.hpp"

using namespace lq;
using namespace lq::compat::lemon;
namespace lime = lq::format::lime;

namespace {

// Collective. Rank 0 runs `work`; all ranks get its outcome.
template <class Work>
int at_root(const State& state, Work&& work) {
  std::int64_t code = LEMON_SUCCESS;
  if (state.group().is_root()) code = outcome(LEMON_ERR_WRITE, work);
  state.group().broadcast(std::as_writable_bytes(std::span(&code, 1)));
  return static_cast<int>(code);
}

// Collective.
void sync(MPI_File file) {
  const storage::WatchedCall call("sync", name_of_callers_file);
  const mpi::ErrorsReturn returned(file);
  mpi::check(MPI_File_sync(file), "sync a file");
}

// The error of a header here, and its bytes if there is none.
int judge(const LemonRecordHeader* props, const LemonWriter* writer, lime::HeaderBytes& bytes) {
  if (props == nullptr || props->type == nullptr) return LEMON_ERR_PARAM;
  if (writer->is_awaiting_header == 0) return LEMON_ERR_HEADER_NEXT;
  const bool begins = props->MB_flag != 0;
  if (writer->is_first_record == 0 && (writer->is_last_written != 0) != begins) return LEMON_ERR_MBME;
  return outcome(LEMON_ERR_WRITE, [&] {
    lime::Header header;
    header.mb_flag = begins;
    header.me_flag = props->ME_flag != 0;
    header.data_length = props->data_length;
    header.type.assign(props->type, ::strnlen(props->type, lime::type_bytes));
    bytes = lime::encode(header);
    std::uint64_t end = 0;
    if (__builtin_add_overflow(static_cast<std::uint64_t>(writer->off) + lime::header_bytes, header.data_length,
                               &end) ||
        end > lime::length_limit - 8) {
      throw Error(Code::too_large, "lemon: the record ends beyond the largest file");
    }
  });
}

int write_header(const LemonRecordHeader* props, LemonWriter* writer) {
  State& state = state_of(writer);
  lime::HeaderBytes bytes{};
  const int code = judge(props, writer, bytes);
  Fingerprint same("write header");
  same.add(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  if (const int all = state.begin(writer->fp, code, writing, same, place_of(writer)); all != LEMON_SUCCESS) return all;
  const int written =
      at_root(state, [&] { CallersFile(*writer->fp).write_at(static_cast<std::uint64_t>(writer->off), bytes); });
  if (written != LEMON_SUCCESS) return written;
  state.is_dirty = true;
  state.written_end = 0;
  writer->off += static_cast<MPI_Offset>(lime::header_bytes);
  writer->pos = 0;
  writer->data_length = static_cast<MPI_Offset>(props->data_length);
  writer->is_awaiting_header = 0;
  writer->is_first_record = 0;
  writer->is_last = props->ME_flag != 0 ? 1 : 0;
  writer->is_last_written = 0;
  return LEMON_SUCCESS;
}

// Collective. True if all ranks may write text.
int begin_data(const char* call, const void* source, const MPI_Offset* nbytes, LemonWriter* writer) {
  const Place place = place_of(writer);
  int code = LEMON_SUCCESS;
  if (source == nullptr || nbytes == nullptr || *nbytes <= 0) {
    code = LEMON_ERR_PARAM;
  } else if (!place.is_open) {
    code = LEMON_ERR_WRITE;
  } else if (static_cast<std::uint64_t>(*nbytes) > place.left()) {
    code = LEMON_ERR_PARAM;
  }
  Fingerprint same(call);
  same.add(code == LEMON_SUCCESS ? static_cast<std::uint64_t>(*nbytes) : 0);
  return state_of(writer).begin(writer->fp, code, writing, same, place);
}

Piece piece_of(const void* source, MPI_Offset bytes, const LemonWriter* writer) {
  auto* const memory = static_cast<std::byte*>(const_cast<void*>(source));
  return {place_of(writer).here(), {memory, static_cast<std::size_t>(bytes)}};
}

int write_data(const void* source, MPI_Offset* nbytes, LemonWriter* writer) {
  if (const int code = begin_data("write data", source, nbytes, writer); code != LEMON_SUCCESS) return code;
  State& state = state_of(writer);
  state.is_dirty = true;
  const Piece piece = piece_of(source, *nbytes, writer);
  const int code = at_root(state, [&] { CallersFile(*writer->fp).write_at(piece.offset, piece.memory); });
  if (code != LEMON_SUCCESS) {
    *nbytes = 0;
    return code;
  }
  note_written(writer, static_cast<std::uint64_t>(*nbytes));
  writer->pos += *nbytes;
  return LEMON_SUCCESS;
}

int start_writing_data(const void* source, const MPI_Offset* nbytes, LemonWriter* writer) {
  if (const int code = begin_data("start writing data", source, nbytes, writer); code != LEMON_SUCCESS) return code;
  State& state = state_of(writer);
  Flight flight;
  flight.bytes = static_cast<std::uint64_t>(*nbytes);
  const int code = outcome(LEMON_ERR_WRITE, [&] {
    if (state.group().is_root()) state.start_piece(flight, *writer->fp, piece_of(source, *nbytes, writer), writing);
  });
  const int all = state.start(std::move(flight), code);
  if (all != LEMON_SUCCESS) return all;
  note_written(writer, static_cast<std::uint64_t>(*nbytes));
  show_flight(writer, const_cast<void*>(source));
  return LEMON_SUCCESS;
}

// Rank 0. Writes the padding and, if the record was not filled, its last byte, so that the file has its stated length.
void write_end(const LemonWriter* writer) {
  const auto length = static_cast<std::uint64_t>(writer->data_length);
  const std::uint64_t missing = state_of(writer).written_end < length ? 1 : 0;
  constexpr std::array<std::byte, 8> zeros{};
  const std::uint64_t bytes = missing + lime::padding(length);
  if (bytes == 0) return;
  CallersFile(*writer->fp)
      .write_at(static_cast<std::uint64_t>(writer->off) + length - missing,
                std::span(zeros).first(static_cast<std::size_t>(bytes)));
}

int close_record(LemonWriter* writer) {
  State& state = state_of(writer);
  const Place place = place_of(writer);
  const int code = place.is_open ? LEMON_SUCCESS : LEMON_ERR_CLOSE;
  if (const int all = state.begin(writer->fp, code, writing, Fingerprint("close record"), place); all != LEMON_SUCCESS)
    return all;
  int mine = LEMON_SUCCESS;
  if (state.group().is_root()) mine = outcome(LEMON_ERR_WRITE, [&] { write_end(writer); });
  mine = std::min(mine, outcome(LEMON_ERR_WRITE, [&] { sync(*writer->fp); }));
  state.is_dirty = false;
  writer->off += place.length + pad_of(place.length);
  writer->pos = 0;
  writer->is_awaiting_header = 1;
  writer->is_last_written = writer->is_last;
  writer->is_last = 0;
  return state.group().worst_code(mine);
}

int seek_together(LemonWriter* writer, MPI_Offset offset, int whence) {
  State& state = state_of(writer);
  const int code = place_of(writer).is_open ? LEMON_SUCCESS : LEMON_ERR_PARAM;
  Fingerprint same("seek");
  same.add(static_cast<std::uint64_t>(offset)).add(static_cast<std::uint64_t>(whence));
  if (const int all = state.begin(writer->fp, code, writing, same, place_of(writer)); all != LEMON_SUCCESS) return all;
  return seek(writer, offset, whence);
}

void destroy(LemonWriter* writer) noexcept {
  delete static_cast<State*>(writer->limequat);
  delete writer;
}

// Collective. The position of rank 0's file pointer, in bytes of the file.
MPI_Offset start_of(const Group& group, MPI_File file) {
  MPI_Offset start = 0;
  if (group.is_root()) {
    MPI_Offset position = 0;
    const mpi::ErrorsReturn returned(file);
    if (MPI_File_get_position(file, &position) != MPI_SUCCESS ||
        MPI_File_get_byte_offset(file, position, &start) != MPI_SUCCESS) {
      start = -1;
    }
  }
  group.broadcast(std::as_writable_bytes(std::span(&start, 1)));
  return start;
}

LemonWriter* make_writer(MPI_File* fp, MPI_Comm comm) {
  const auto group = Group::of(comm);
  auto* writer = new (std::nothrow) LemonWriter{};
  auto* state = new (std::nothrow) State(group);
  const bool is_ready = writer != nullptr && state != nullptr && fp != nullptr && *fp != MPI_FILE_NULL;
  if (group->worst_code(is_ready ? LEMON_SUCCESS : LEMON_ERR_PARAM) != LEMON_SUCCESS) {
    delete writer;
    delete state;
    return nullptr;
  }
  writer->fp = fp;
  writer->cartesian = group->handle();
  writer->my_rank = group->rank();
  writer->off = start_of(*group, *fp);
  writer->is_awaiting_header = 1;
  writer->is_first_record = 1;
  writer->request = MPI_REQUEST_NULL;
  writer->limequat = state;
  const int code = writer->off < 0 ? LEMON_ERR_WRITE : LEMON_SUCCESS;
  if (state->begin(fp, code, writing, Fingerprint("create writer"), {}) == LEMON_SUCCESS) return writer;
  destroy(writer);
  return nullptr;
}

int set_state(LemonWriter* to, const LemonWriter* from) {
  if (const int code = finish(to); code != LEMON_SUCCESS) return code;
  State& state = state_of(to);
  state.take_over(state_of(from));
  const int code = state.begin(to->fp, LEMON_SUCCESS, writing, Fingerprint("set writer state"), place_of(from));
  if (code != LEMON_SUCCESS) return code;
  take_place(to, from);
  to->is_first_record = from->is_first_record;
  to->is_last_written = from->is_last_written;
  to->data_length = from->data_length;
  return LEMON_SUCCESS;
}

}  // namespace

extern "C" {

LemonWriter* lemonCreateWriter(MPI_File* fp, MPI_Comm cartesian) {
  LemonWriter* writer = nullptr;
  outcome(LEMON_ERR_WRITE, [&] { writer = make_writer(fp, cartesian); });
  return writer;
}

int lemonDestroyWriter(LemonWriter* writer) {
  if (writer == nullptr) return LEMON_ERR_PARAM;
  finish(writer);
  if (state_of(writer).is_dirty && *writer->fp != MPI_FILE_NULL) outcome(LEMON_ERR_WRITE, [&] { sync(*writer->fp); });
  destroy(writer);
  return LEMON_SUCCESS;
}

int lemonWriteRecordHeader(LemonRecordHeader const* props, LemonWriter* writer) {
  return call(writer, [&] { return write_header(props, writer); });
}

int lemonWriteRecordData(void* source, MPI_Offset* nbytes, LemonWriter* writer) {
  return call(writer, [&] { return write_data(source, nbytes, writer); });
}

int lemonWriteRecordDataNonBlocking(void* source, MPI_Offset const* nbytes, LemonWriter* writer) {
  return call(writer, [&] { return start_writing_data(source, nbytes, writer); });
}

int lemonWriterCloseRecord(LemonWriter* writer) {
  return call(writer, [&] { return close_record(writer); });
}

int lemonWriterSeek(LemonWriter* writer, MPI_Offset offset, int whence) {
  if (writer == nullptr) return LEMON_ERR_PARAM;
  return code_from(LEMON_ERR_WRITE, [&] { return seek_together(writer, offset, whence); });
}

int lemonWriterSetState(LemonWriter* wdest, LemonWriter const* wsrc) {
  if (wdest == nullptr || wsrc == nullptr) return LEMON_ERR_PARAM;
  return wdest == wsrc ? LEMON_SUCCESS : code_from(LEMON_ERR_WRITE, [&] { return set_state(wdest, wsrc); });
}

int lemonFinishWriting(LemonWriter* writer) {
  return call(writer, [] { return static_cast<int>(LEMON_SUCCESS); });
}

int lemonWriteLatticeParallel(LemonWriter* writer, void* data, MPI_Offset siteSize, int const* latticeDims) {
  return move_lattice(writer, {data, siteSize, latticeDims, nullptr});
}

int lemonWriteLatticeParallelMapped(LemonWriter* writer, void* data, MPI_Offset siteSize, int const* latticeDims,
                                    int const* mapping) {
  return move_lattice(writer, mapped(data, siteSize, latticeDims, mapping));
}

int lemonWriteLatticeParallelNonBlocking(LemonWriter* writer, void* data, MPI_Offset siteSize, int const* latticeDims) {
  return start_lattice(writer, {data, siteSize, latticeDims, nullptr});
}

int lemonWriteLatticeParallelNonBlockingMapped(LemonWriter* writer, void* data, MPI_Offset siteSize,
                                               int const* latticeDims, int const* mapping) {
  return start_lattice(writer, mapped(data, siteSize, latticeDims, mapping));
}

}  // extern "C"
