// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// See task_reader.hpp.
#include "repack/task_reader.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <limequat/error.hpp>

namespace lq::repack {

namespace sion = format::sion;

TaskReader::TaskReader(const sion::PhysicalFile& file, std::int32_t task, base::ByteSource& source)
    : file_(file), source_(source), stream_(file, task) {
  const bool has_records = file.head.key_value_mode() == sion::KeyValueMode::inline_records;
  if (has_records && file.head.metadata_order != sion::host_order) walker_ = walk_records(file, task, source);
}

void TaskReader::read(base::MutableBytes buffer) {
  while (!buffer.empty()) {
    const std::size_t held = walker_ ? read_record(buffer) : read_raw(buffer);
    if (held == 0) {
      throw Error(Code::truncated,
                  fmt::format("{}: the file ends within the data that its table counts; copy it again from its source",
                              file_.path),
                  {.path = file_.path});
    }
    buffer = buffer.subspan(held);
  }
}

std::size_t TaskReader::read_raw(base::MutableBytes buffer) {
  const std::size_t held = stream_.read(
      position_, buffer, [&](std::uint64_t offset, base::MutableBytes part) { return source_.read_at(offset, part); });
  position_ += held;
  return held;
}

std::size_t TaskReader::read_record(base::MutableBytes buffer) {
  if (header_left_ == 0 && data_left_ == 0) {
    const std::optional<sion::KeyRecord> record = walker_->next();
    if (!record) return 0;
    header_ = sion::encode_record_header(record->key, record->length, sion::host_order);
    header_left_ = header_.size();
    data_left_ = record->length;
    position_ = record->position;
  }
  if (header_left_ > 0) {
    const std::size_t count = std::min(header_left_, buffer.size());
    std::copy_n(header_.end() - static_cast<std::ptrdiff_t>(header_left_), count, buffer.begin());
    header_left_ -= count;
    return count;
  }
  const std::size_t held =
      read_raw(buffer.first(static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), data_left_))));
  data_left_ -= held;
  return held;
}

}  // namespace lq::repack
