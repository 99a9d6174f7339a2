// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Facts about an open multifile. Arrays belong to the handle.
#include <algorithm>

#include <fmt/format.h>

#include "compat/sion/alias.hpp"
#include "compat/sion/handles.hpp"
#include "multifile/serial_file.hpp"

namespace lq::compat::sion {
namespace {

using multifile::Multifile;
using multifile::SerialFile;

template <class T>
void give(T* target, const T& value) noexcept {
  if (target != nullptr) *target = value;
}

void collect_locations(OpenFile& open) {
  const Multifile& file = *open.file;
  const std::size_t tasks = file.tasks();
  std::uint64_t most = 0;
  for (std::size_t t = 0; t < tasks; ++t) most = std::max(most, file.task(t).stream.chunks());
  open.used.assign(tasks * most, 0);
  open.widths.resize(tasks);
  open.ranks.resize(tasks);
  open.counts.resize(tasks);
  for (std::size_t t = 0; t < tasks; ++t) {
    const auto& task = file.task(t);
    open.widths[t] = static_cast<sion_int64>(task.stream.width());
    open.ranks[t] = task.rank;
    open.counts[t] = static_cast<sion_int64>(task.stream.chunks());
    for (std::uint64_t k = 0; k < task.stream.chunks(); ++k) open.used[tasks * k + t] = task.stream.used()[k];
  }
}

int get_locations(OpenFile& open, int* ntasks, int* maxblocks, sion_int64* skip, sion_int64* tail) {
  collect_locations(open);
  give(ntasks, static_cast<int>(open.file->tasks()));
  give(maxblocks, static_cast<int>(open.counts.empty() ? 0 : *std::ranges::max_element(open.counts)));
  const auto* const serial = dynamic_cast<const SerialFile*>(open.file.get());
  const auto& place = open.file->selected().stream.places();
  give(skip, static_cast<sion_int64>(serial != nullptr ? serial->skip() : place.skip));
  give(tail, static_cast<sion_int64>(serial != nullptr ? serial->tail_offset() : 0));
  return SION_SUCCESS;
}

int size_of(const OpenFile& open) {
  std::size_t bytes = sizeof(OpenFile);
  for (const auto* array :
       {&open.widths, &open.ranks, &open.counts, &open.used, &open.positions, &open.blocks, &open.chunks}) {
    bytes += array->capacity() * sizeof(sion_int64);
  }
  for (std::size_t t = 0; t < open.file->tasks(); ++t) {
    bytes += sizeof(Multifile::Task) + open.file->task(t).stream.used().capacity() * sizeof(std::int64_t);
  }
  return static_cast<int>(std::min<std::size_t>(bytes, 0x7fffffff));
}

}  // namespace
}  // namespace lq::compat::sion

using namespace lq::compat::sion;

extern "C" {

int sion_get_locations(int sid, int* ntasks, int* maxblocks, sion_int64* globalskip, sion_int64* start_of_varheader,
                       sion_int64** sion_chunksizes, sion_int64** sion_globalranks, sion_int64** sion_blockcount,
                       sion_int64** sion_blocksizes) {
  return with_file("sion_get_locations", SION_NOT_SUCCESS, sid, [&](OpenFile& open) {
    const int rc = get_locations(open, ntasks, maxblocks, globalskip, start_of_varheader);
    give(sion_chunksizes, open.widths.data());
    give(sion_globalranks, open.ranks.data());
    give(sion_blockcount, open.counts.data());
    give(sion_blocksizes, open.used.data());
    return rc;
  });
}

int sion_get_current_location(int sid, int* currentblock, sion_int64* currentpos, int* maxchunks,
                              sion_int64** chunksizes) {
  return with_file("sion_get_current_location", SION_NOT_SUCCESS, sid, [&](OpenFile& open) {
    open.file->catch_up();
    const auto& stream = open.file->selected().stream;
    give(currentblock, static_cast<int>(stream.chunk()));
    give(currentpos, static_cast<sion_int64>(stream.position()));
    give(maxchunks, static_cast<int>(stream.chunks()));
    open.chunks.assign(stream.used().begin(), stream.used().end());
    give(chunksizes, open.chunks.data());
    return SION_SUCCESS;
  });
}

int sion_get_current_locations(int sid, int* ntasks, sion_int64** sion_currentpos, sion_int64** sion_currentblocknr) {
  return with_file("sion_get_current_locations", SION_NOT_SUCCESS, sid, [&](OpenFile& open) {
    open.file->catch_up();
    open.positions.clear();
    open.blocks.clear();
    for (std::size_t t = 0; t < open.file->tasks(); ++t) {
      const auto& stream = open.file->task(t).stream;
      open.positions.push_back(static_cast<sion_int64>(stream.offset()));
      open.blocks.push_back(static_cast<sion_int64>(stream.chunk()));
    }
    give(ntasks, static_cast<int>(open.file->tasks()));
    give(sion_currentpos, open.positions.data());
    give(sion_currentblocknr, open.blocks.data());
    return SION_SUCCESS;
  });
}

int sion_get_mapping(int sid, int* mapping_size, sion_int32** mapping, int* numfiles) {
  return with_file("sion_get_mapping", SION_NOT_SUCCESS, sid, [&](OpenFile& open) {
    const auto* const serial = dynamic_cast<const lq::multifile::SerialFile*>(open.file.get());
    give(numfiles, static_cast<int>(open.file->facts().files));
    give(mapping_size, -1);
    if (serial == nullptr || serial->mapping().empty()) return SION_SUCCESS;
    open.mapping = serial->mapping();
    give(mapping_size, static_cast<int>(open.mapping.size() / 2));
    give(mapping, open.mapping.data());
    return SION_SUCCESS;
  });
}

int sion_get_number_of_files(int sid) {
  return with_file("sion_get_number_of_files", SION_SIZE_NOT_VALID, sid,
                   [](OpenFile& open) { return static_cast<int>(open.file->facts().files); });
}

int sion_get_filenumber(int sid) {
  return with_file("sion_get_filenumber", SION_SIZE_NOT_VALID, sid,
                   [](OpenFile& open) { return static_cast<int>(open.file->facts().file_number); });
}

int sion_is_serial_opened(int sid) {
  return with_file("sion_is_serial_opened", SION_NOT_SUCCESS, sid,
                   [](OpenFile& open) { return open.kind == Kind::serial || open.kind == Kind::one_task ? 1 : 0; });
}

int sion_using_hints(int sid) {
  return with_file("sion_using_hints", SION_NOT_SUCCESS, sid, [](OpenFile&) { return 0; });
}

int sion_get_file_endianness(int sid) {
  return with_file("sion_get_file_endianness", SION_SIZE_NOT_VALID, sid,
                   [](OpenFile& open) { return open.file->facts().data_order == lq::ByteOrder::big ? 1 : 0; });
}

int sion_endianness_swap_needed(int sid) {
  return with_file("sion_endianness_swap_needed", SION_SIZE_NOT_VALID, sid, [](OpenFile& open) {
    return open.file->facts().data_order == lq::format::sion::host_order ? 0 : 1;
  });
}

int sion_get_sizeof(int sid, int* numbytes, int* numfds) {
  give(numbytes, SION_SIZE_NOT_VALID);
  give(numfds, SION_SIZE_NOT_VALID);
  return with_file("sion_get_sizeof", SION_SIZE_NOT_VALID, sid, [&](OpenFile& open) {
    give(numbytes, size_of(open));
    give(numfds, static_cast<int>(open.file->channels().size()));
    return SION_SUCCESS;
  });
}
}

LQ_ALSO_AS_LSION(sion_get_locations, sion_get_current_location, sion_get_current_locations, sion_get_mapping,
                 sion_get_number_of_files, sion_get_filenumber, sion_is_serial_opened, sion_using_hints,
                 sion_get_file_endianness, sion_endianness_swap_needed, sion_get_sizeof);
