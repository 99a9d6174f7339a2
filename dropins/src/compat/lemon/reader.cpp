// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Reads records and lattices: rank 0 reads headers and common data, and sends them to the others.
#include <array>
#include <cstring>
#include <memory>

#include <limequat/error.hpp>

#include "base/text.hpp"
#include "compat/lemon/position.hpp"
#include "mpi/calls.hpp"

using namespace lq;
using namespace lq::compat::lemon;
namespace lime = lq::format::lime;

namespace {

constexpr std::uint64_t piece_bytes = 16 * 1024 * 1024;  // read and sent at a time

// Rank 0's result, as sent to the others.
struct Found {
  std::int64_t code = LEMON_SUCCESS;
  lime::HeaderBytes header{};
};

bool is_blank(base::Bytes bytes) {
  return std::ranges::all_of(base::as_text(bytes),
                             [](char c) { return c == '\0' || std::strchr(" \t\r\n", c) != nullptr; });
}

// Local. White space after the last record, left by editors, is skipped; anything else there is an error.
int look_for_header(MPI_File file, std::uint64_t offset, lime::HeaderBytes& bytes) {
  CallersFile storage(file);
  const std::size_t got = storage.read_at(offset, bytes);
  if (is_blank(base::Bytes(bytes).first(got)) && got < bytes.size()) return LEMON_EOF;
  if (got < bytes.size() || !lime::has_magic(bytes)) return LEMON_ERR_HEADER_NEXT;
  const lime::Header header = lime::decode(bytes);
  MPI_Offset size = 0;
  const mpi::ErrorsReturn returned(file);
  mpi::check(MPI_File_get_size(file, &size), "find the size of a file");
  const std::uint64_t left = static_cast<std::uint64_t>(size) - offset - bytes.size();
  return header.version == lime::version && header.data_length <= left ? LEMON_SUCCESS : LEMON_ERR_HEADER_NEXT;
}

// Local. A header with space for any type, allocated before all ranks continue.
LemonRecordHeader* empty_header() noexcept {
  std::array<char, lime::type_bytes + 1> blank{};
  blank.fill(' ');
  blank.back() = '\0';
  return lemonCreateHeader(0, 0, blank.data(), 0);
}

void show(const lime::Header& header, LemonReader* reader) {
  LemonRecordHeader& current = *reader->curr_header;
  current.MB_flag = header.mb_flag ? 1 : 0;
  current.ME_flag = header.me_flag ? 1 : 0;
  current.data_length = header.data_length;
  const std::size_t length = std::min(header.type.size(), lime::type_bytes);
  std::memcpy(current.type, header.type.data(), length);
  current.type[length] = '\0';
  reader->is_last = current.ME_flag;
}

int next_record(LemonReader* reader) {
  State& state = state_of(reader);
  if (reader->is_awaiting_header == 0) lemonReaderCloseRecord(reader);
  lemonDestroyHeader(reader->curr_header);
  reader->curr_header = empty_header();
  const int code = reader->curr_header == nullptr ? LEMON_ERR_READ : LEMON_SUCCESS;
  if (const int all = state.begin(reader->fp, code, reading, Fingerprint("next record"), place_of(reader)); all != 0)
    return all;
  Found found;
  if (state.group().is_root()) {
    found.code = code_from(LEMON_ERR_READ, [&] {
      return look_for_header(*reader->fp, static_cast<std::uint64_t>(reader->off), found.header);
    });
  }
  state.group().broadcast(std::as_writable_bytes(std::span(&found, 1)));
  if (found.code != LEMON_SUCCESS) return static_cast<int>(found.code);
  show(lime::decode(found.header), reader);
  reader->off += static_cast<MPI_Offset>(lime::header_bytes);
  reader->pos = 0;
  reader->is_awaiting_header = 0;
  return LEMON_SUCCESS;
}

// Collective. Rank 0 reads one piece at a time; `done` counts the bytes received by all.
int read_for_all(State& state, MPI_File file, std::uint64_t offset, std::span<std::byte> bytes, std::uint64_t& done) {
  CallersFile storage(file);
  while (done < bytes.size()) {
    const std::span<std::byte> piece =
        bytes.subspan(static_cast<std::size_t>(done))
            .first(static_cast<std::size_t>(std::min<std::uint64_t>(piece_bytes, bytes.size() - done)));
    std::int64_t code = LEMON_SUCCESS;
    if (state.group().is_root()) {
      code = code_from(LEMON_ERR_READ, [&] {
        const bool is_whole = storage.read_at(offset + done, piece) == piece.size();
        return static_cast<int>(is_whole ? LEMON_SUCCESS : LEMON_ERR_READ);
      });
    }
    state.group().broadcast(std::as_writable_bytes(std::span(&code, 1)));
    if (code != LEMON_SUCCESS) return static_cast<int>(code);
    state.group().broadcast(piece);
    done += piece.size();
  }
  return LEMON_SUCCESS;
}

// The bytes of a record that a call may read, and the local error.
struct ReadRequest {
  std::uint64_t bytes = 0;
  int code = LEMON_SUCCESS;
};

ReadRequest request_of(const void* dest, const MPI_Offset* nbytes, const Place& place) {
  if (dest == nullptr || nbytes == nullptr || *nbytes < 0) return {0, LEMON_ERR_PARAM};
  if (!place.is_open) return {0, LEMON_ERR_READ};
  return {static_cast<std::uint64_t>(*nbytes), LEMON_SUCCESS};
}

int read_data(void* dest, MPI_Offset* nbytes, LemonReader* reader) {
  State& state = state_of(reader);
  const Place place = place_of(reader);
  const ReadRequest request = request_of(dest, nbytes, place);
  Fingerprint same("read data");
  same.add(request.bytes);
  if (const int code = state.begin(reader->fp, request.code, reading, same, place); code != LEMON_SUCCESS) return code;
  const std::uint64_t bytes = std::min(request.bytes, place.left());
  *nbytes = 0;
  if (bytes == 0) return request.bytes == 0 ? LEMON_SUCCESS : LEMON_EOR;
  std::uint64_t done = 0;
  const int code = read_for_all(state, *reader->fp, place.here(),
                                {static_cast<std::byte*>(dest), static_cast<std::size_t>(bytes)}, done);
  *nbytes = static_cast<MPI_Offset>(done);
  reader->pos += *nbytes;
  return code;
}

int start_reading_data(void* dest, const MPI_Offset* nbytes, LemonReader* reader) {
  State& state = state_of(reader);
  const Place place = place_of(reader);
  ReadRequest request = request_of(dest, nbytes, place);
  // The caller could not learn that fewer bytes came.
  if (request.code == LEMON_SUCCESS && request.bytes > place.left()) request.code = LEMON_ERR_PARAM;
  Fingerprint same("start reading data");
  same.add(request.bytes);
  if (const int code = state.begin(reader->fp, request.code, reading, same, place); code != LEMON_SUCCESS) return code;
  if (request.bytes == 0) return LEMON_SUCCESS;
  Flight flight;
  const int code = outcome(LEMON_ERR_READ, [&] {
    const std::span<std::byte> memory{static_cast<std::byte*>(dest), static_cast<std::size_t>(request.bytes)};
    state.start_piece(flight, *reader->fp, {place.here(), memory}, reading);
  });
  const int all = state.start(std::move(flight), code);
  if (all == LEMON_SUCCESS) show_flight(reader, dest);
  return all;
}

void destroy(LemonReader* reader) noexcept {
  if (reader == nullptr) return;
  delete static_cast<State*>(reader->limequat);
  lemonDestroyHeader(reader->curr_header);
  delete reader;
}

LemonReader* make_reader(MPI_File* fp, MPI_Comm comm) {
  const auto group = Group::of(comm);
  auto* reader = new (std::nothrow) LemonReader{};
  auto* state = new (std::nothrow) State(group);
  const bool is_ready = reader != nullptr && state != nullptr && fp != nullptr;
  if (reader != nullptr) {
    *reader = {};
    reader->fp = fp;
    reader->cartesian = group->handle();
    reader->my_rank = group->rank();
    reader->is_awaiting_header = 1;
    reader->limequat = state;
  }
  State voter(group);
  const Fingerprint same("create reader");
  if (voter.begin(fp, is_ready ? LEMON_SUCCESS : LEMON_ERR_PARAM, reading, same, {}) == LEMON_SUCCESS) return reader;
  if (reader == nullptr) delete state;
  destroy(reader);
  return nullptr;
}

// A copy of the header of `from`, with space for any type.
LemonRecordHeader* copy_of(const LemonRecordHeader* from) noexcept {
  LemonRecordHeader* header = empty_header();
  if (header == nullptr || from == nullptr) return header;
  std::strncpy(header->type, from->type, lime::type_bytes);
  *header = {from->lemon_version, from->MB_flag, from->ME_flag, header->type, from->data_length};
  return header;
}

int set_state(LemonReader* to, const LemonReader* from) {
  if (const int code = finish(to); code != LEMON_SUCCESS) return code;
  LemonRecordHeader* header = copy_of(from->curr_header);
  State& state = state_of(to);
  state.take_over(state_of(from));
  const int code = state.begin(to->fp, header == nullptr ? LEMON_ERR_READ : LEMON_SUCCESS, reading,
                               Fingerprint("set reader state"), place_of(from));
  if (code != LEMON_SUCCESS) {
    lemonDestroyHeader(header);
    return code;
  }
  lemonDestroyHeader(to->curr_header);
  to->curr_header = header;
  take_place(to, from);
  return LEMON_SUCCESS;
}

bool is_in_record(const LemonReader* reader) noexcept { return reader != nullptr && reader->is_awaiting_header == 0; }

}  // namespace

extern "C" {

LemonReader* lemonCreateReader(MPI_File* fp, MPI_Comm cartesian) {
  LemonReader* reader = nullptr;
  outcome(LEMON_ERR_READ, [&] { reader = make_reader(fp, cartesian); });
  return reader;
}

void lemonDestroyReader(LemonReader* reader) {
  if (reader == nullptr) return;
  finish(reader);
  destroy(reader);
}

int lemonReaderNextRecord(LemonReader* reader) {
  return call(reader, [&] { return next_record(reader); });
}

int lemonReaderMBFlag(LemonReader* reader) {
  return is_in_record(reader) ? reader->curr_header->MB_flag : LEMON_ERR_PARAM;
}
int lemonReaderMEFlag(LemonReader* reader) {
  return is_in_record(reader) ? reader->curr_header->ME_flag : LEMON_ERR_PARAM;
}
int lemonEOM(LemonReader* reader) { return lemonReaderMEFlag(reader); }

char const* lemonReaderType(LemonReader* reader) { return is_in_record(reader) ? reader->curr_header->type : nullptr; }

MPI_Offset lemonReaderBytes(LemonReader* reader) {
  return is_in_record(reader) ? place_of(reader).length : MPI_Offset{LEMON_ERR_PARAM};
}

MPI_Offset lemonReaderPadBytes(LemonReader* reader) {
  return is_in_record(reader) ? pad_of(place_of(reader).length) : LEMON_ERR_PARAM;
}

int lemonReaderReadData(void* dest, MPI_Offset* nbytes, LemonReader* reader) {
  return call(reader, [&] { return read_data(dest, nbytes, reader); });
}

int lemonReaderReadDataNonBlocking(void* dest, MPI_Offset const* nbytes, LemonReader* reader) {
  return call(reader, [&] { return start_reading_data(dest, nbytes, reader); });
}

int lemonReaderCloseRecord(LemonReader* reader) {
  if (reader == nullptr) return LEMON_ERR_PARAM;
  const Place place = place_of(reader);
  if (!place.is_open) return LEMON_ERR_CLOSE;
  const int code = finish(reader);
  reader->off += place.length + pad_of(place.length);
  reader->pos = 0;
  reader->is_awaiting_header = 1;
  return code;
}

int lemonReaderSeek(LemonReader* reader, MPI_Offset offset, int whence) {
  return reader == nullptr ? LEMON_ERR_PARAM : seek(reader, offset, whence);
}

int lemonSetReaderPointer(LemonReader* reader, MPI_Offset offset) {
  return lemonReaderSeek(reader, offset, MPI_SEEK_SET);
}

MPI_Offset lemonGetReaderPointer(LemonReader* reader) {
  return reader == nullptr ? MPI_Offset{LEMON_ERR_PARAM} : reader->pos;
}

int lemonReaderSetState(LemonReader* rdest, LemonReader const* rsrc) {
  if (rdest == nullptr || rsrc == nullptr) return LEMON_ERR_PARAM;
  return rdest == rsrc ? LEMON_SUCCESS : code_from(LEMON_ERR_READ, [&] { return set_state(rdest, rsrc); });
}

int lemonFinishReading(LemonReader* reader) { return reader == nullptr ? LEMON_ERR_PARAM : finish(reader); }

int lemonReadLatticeParallel(LemonReader* reader, void* data, MPI_Offset siteSize, int const* latticeDims) {
  return move_lattice(reader, {data, siteSize, latticeDims, nullptr});
}

int lemonReadLatticeParallelMapped(LemonReader* reader, void* data, MPI_Offset siteSize, int const* latticeDims,
                                   int const* mapping) {
  return move_lattice(reader, mapped(data, siteSize, latticeDims, mapping));
}

int lemonReadLatticeParallelNonBlocking(LemonReader* reader, void* data, MPI_Offset siteSize, int const* latticeDims) {
  return start_lattice(reader, {data, siteSize, latticeDims, nullptr});
}

int lemonReadLatticeParallelNonBlockingMapped(LemonReader* reader, void* data, MPI_Offset siteSize,
                                              int const* latticeDims, int const* mapping) {
  return start_lattice(reader, mapped(data, siteSize, latticeDims, mapping));
}

}  // extern "C"
