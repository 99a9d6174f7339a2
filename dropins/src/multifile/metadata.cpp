// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "multifile/metadata.hpp"

#include <limits>

#include <fmt/format.h>
#include <limequat/error.hpp>

namespace lq::multifile {

namespace sion = format::sion;

namespace {

constexpr std::uint64_t most_block_bytes = 32ULL << 20;
constexpr std::int32_t usual_block_bytes = 2 << 20;

void require_sum(const std::vector<std::int64_t>& widths) {
  std::int64_t sum = 0;
  for (const std::int64_t width : widths) {
    if (!__builtin_add_overflow(sum, width, &sum)) continue;
    throw Error(Code::too_large, "the chunks of all tasks add up to more than 2^63 - 1 bytes; choose smaller ones");
  }
}

}  // namespace

std::int32_t block_size_of(storage::Transport& transport, const std::string& path) {
  const std::uint64_t bytes = transport.unit(path).bytes;
  return bytes == 0 || bytes > most_block_bytes ? usual_block_bytes : static_cast<std::int32_t>(bytes);
}

sion::Geometry MetadataWriter::write_head(const sion::Head& head) {
  require_sum(head.widths);
  const sion::Geometry geometry(head, file_->path());
  start_ = geometry.start(0);
  skip_ = geometry.skip();
  static_cast<void>(sion::tail_offset(start_, skip_, 1));  // too_large
  head_ = head;
  const std::vector<std::byte> bytes = sion::encode(head);
  file_->write_at(0, base::Bytes(bytes).first(bytes.size() - sion::closing_bytes));
  return geometry;
}

void MetadataWriter::write_tail(const sion::Tail& tail, std::int64_t unused) {
  const std::uint64_t chunks = tail.table.max_count();
  if (chunks > static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max())) {
    throw Error(Code::too_large,
                fmt::format("{}: a task has {} chunks, the format counts to 2^31 - 1; use wider chunks", file_->path(),
                            chunks));
  }
  const std::uint64_t begin = sion::tail_offset(start_, skip_, chunks);
  std::uint64_t offset = begin;
  const auto append = [&](base::Bytes bytes) {
    file_->write_at(offset, bytes);
    offset += bytes.size();
  };
  encode(tail, head_.metadata_order, append, unused);
  file_->write_at(
      sion::closing_offset(head_.tasks),
      sion::encode_closing(static_cast<std::int32_t>(chunks), static_cast<std::int64_t>(begin), head_.metadata_order));
  if (syncs_) file_->sync();
  file_->close();
}

Metadata read_metadata(storage::Transport& transport, const std::string& path) {
  const auto file = transport.open_read(path);
  Metadata metadata;
  metadata.path = path;
  metadata.head = sion::read_head(*file);
  metadata.geometry = sion::Geometry(metadata.head, path);
  metadata.tail = sion::read_tail(*file, metadata.head, metadata.geometry);
  return metadata;
}

}  // namespace lq::multifile
