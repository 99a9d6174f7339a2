// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The blocks at their places.
#include "multifile/metadata.hpp"

#include <limits>

#include <fmt/format.h>
#include <limequat/error.hpp>

namespace lq::multifile {

void require_sum(const std::vector<std::int64_t>& widths) {
  std::int64_t sum = 0;
  for (const std::int64_t width : widths) {
    if (!__builtin_add_overflow(sum, width, &sum)) continue;
    throw Error(Code::too_large, "the chunks of all tasks add up to more than 2^63 - 1 bytes; choose smaller ones");
  }
}

void write_tail(transport::File& file, const format::sion::Head& head, const format::sion::Tail& tail,
                std::int64_t unused) {
  const format::sion::Geometry geometry(head, file.path());
  write_tail(file, head, {geometry.start(0), geometry.skip()}, tail, unused);
}

void write_tail(transport::File& file, const format::sion::FixedHead& head, const DataPlace& place,
                const format::sion::Tail& tail, std::int64_t unused) {
  const std::uint64_t chunks = tail.table.max_count();
  if (chunks > static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max())) {
    throw Error(
        Code::too_large,
        fmt::format("{}: a task has {} chunks, the format counts to 2^31 - 1; use wider chunks", file.path(), chunks));
  }
  const std::uint64_t begin = format::sion::tail_offset(place.start, place.skip, chunks);
  std::uint64_t offset = begin;
  encode(
      tail, head.metadata_order,
      [&](base::Bytes bytes) {
        file.write_at(offset, bytes);
        offset += bytes.size();
      },
      unused);
  file.write_at(format::sion::closing_offset(head.tasks),
                format::sion::encode_closing(static_cast<std::int32_t>(chunks), static_cast<std::int64_t>(begin),
                                             head.metadata_order));
}

Metadata read_metadata(transport::Transport& transport, const std::string& path) {
  const auto file = transport.open_read(path);
  Metadata metadata;
  metadata.path = path;
  metadata.head = format::sion::read_head(*file);
  metadata.geometry = format::sion::Geometry(metadata.head, path);
  metadata.tail = format::sion::read_tail(*file, metadata.head, metadata.geometry);
  return metadata;
}

}  // namespace lq::multifile
