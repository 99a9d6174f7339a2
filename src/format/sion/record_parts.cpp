// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// See record_parts.hpp.
#include "format/sion/record_parts.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "format/sion/stream.hpp"

namespace lq::format::sion {

RecordParts::RecordParts(const PhysicalFile& file, base::ByteSource& source, std::uint64_t most) {
  if (file.head.key_value_mode() != KeyValueMode::inline_records) return;
  const std::int32_t tasks = file.geometry.tasks();
  parts_.resize(static_cast<std::size_t>(tasks));
  next_.resize(parts_.size());
  for (std::int32_t task = 0; task < tasks; ++task) {
    if (walk(file, source, task, most)) continue;
    parts_.clear();
    return;
  }
}

bool RecordParts::walk(const PhysicalFile& file, base::ByteSource& source, std::int32_t task, std::uint64_t most) {
  std::vector<Part>& parts = parts_[static_cast<std::size_t>(task)];
  KeyWalker walker = walk_records(file, task, source);
  try {
    while (const auto record = walker.next()) {
      if (parts.size() >= 2 * most) return false;
      parts.push_back(
          {record_header_bytes, fmt::format("task {}: key {}, {} bytes", task, record->key, record->length)});
      parts.push_back({record->length, fmt::format("task {}: data of key {}", task, record->key)});
    }
  } catch (const Error& error) {
    if (error.code() != Code::malformed && error.code() != Code::truncated) throw;
  }
  parts.push_back({std::numeric_limits<std::uint64_t>::max(), fmt::format("task {}: no record", task)});
  return true;
}

void RecordParts::for_each(std::int32_t task, std::uint64_t used,
                           const std::function<void(std::uint64_t length, const std::string& name)>& work) {
  std::vector<Part>& parts = parts_[static_cast<std::size_t>(task)];
  std::size_t& next = next_[static_cast<std::size_t>(task)];
  while (used > 0) {
    Part& part = parts[next];
    const std::uint64_t length = std::min(used, part.left);
    if (length > 0) work(length, part.name);
    used -= length;
    part.left -= length;
    if (part.left == 0) ++next;
  }
}

}  // namespace lq::format::sion
