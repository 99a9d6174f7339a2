// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// See stream.hpp.
#include "format/sion/stream.hpp"

#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "format/read_ahead.hpp"

namespace lq::format::sion {

void Stream::for_each(std::uint64_t position, std::uint64_t length, const std::function<void(const Stretch&)>& work) {
  if (position < chunk_begin_) chunk_ = chunk_begin_ = 0;
  const std::span<const std::int64_t> chunks = file_.table.used(task_);
  while (length > 0 && chunk_ < chunks.size()) {
    const auto used = static_cast<std::uint64_t>(chunks[chunk_]);
    if (position - chunk_begin_ >= used) {
      chunk_begin_ += used;
      ++chunk_;
      continue;
    }
    const std::uint64_t in_chunk = position - chunk_begin_;
    const std::uint64_t piece = std::min(length, used - in_chunk);
    work({file_.geometry.chunk_offset(task_, chunk_) + in_chunk, piece});
    position += piece;
    length -= piece;
  }
}

std::size_t Stream::read(base::ByteSource& file, std::uint64_t position, base::MutableBytes buffer) {
  std::size_t done = 0;
  bool at_end = false;
  for_each(position, buffer.size(), [&](const Stretch& stretch) {
    if (at_end) return;
    const std::size_t held =
        file.read_at(stretch.offset, buffer.subspan(done, static_cast<std::size_t>(stretch.length)));
    done += held;
    at_end = held < stretch.length;
  });
  return done;
}

KeyWalker walk_records(const PhysicalFile& file, std::int32_t task, base::ByteSource& source) {
  // Headers of small records lie close together: they are taken out of one window.
  const auto stream = std::make_shared<Stream>(file, task);
  const auto window = std::make_shared<ReadAhead>(source);
  const auto read = [stream, window](std::uint64_t position, base::MutableBytes buffer) {
    std::size_t done = 0;
    bool at_end = false;
    stream->for_each(position, buffer.size(), [&](const Stretch& stretch) {
      const base::Bytes bytes =
          at_end ? base::Bytes() : window->view(stretch.offset, static_cast<std::size_t>(stretch.length));
      std::ranges::copy(bytes, buffer.begin() + static_cast<std::ptrdiff_t>(done));
      done += bytes.size();
      at_end = at_end || bytes.size() < stretch.length;
    });
    return done;
  };
  return {read, stream->bytes(), file.head.metadata_order, fmt::format("{}: local task {}", file.path, task)};
}

}  // namespace lq::format::sion
