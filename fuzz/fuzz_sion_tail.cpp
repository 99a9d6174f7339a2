// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Any bytes as metadata block 2 of a multifile with two tasks or as many as the first byte says: a table that fits the
// head, which written again reads back the same, or an Error.
#include <cstdint>
#include <stdexcept>

#include <limequat/error.hpp>

#include "format/sion/tail.hpp"

namespace {

using namespace lq;
using namespace lq::format::sion;

void require(bool holds, const char* what) {
  if (!holds) throw std::logic_error(what);
}

std::vector<std::byte> bytes_of(const Tail& tail, ByteOrder order) {
  std::vector<std::byte> bytes;
  encode(tail, order, [&](base::Bytes piece) { bytes.insert(bytes.end(), piece.begin(), piece.end()); });
  return bytes;
}

// A head that agrees with a metadata block 2 behind `blocks` blocks of chunks of a byte and more.
Head head_for(std::int32_t tasks, std::int32_t blocks, bool has_map, ByteOrder order) {
  Head head;
  head.metadata_order = order;
  head.tasks = tasks;
  head.files = has_map ? 2 : 1;
  head.max_chunks = blocks;
  for (std::int32_t task = 0; task < tasks; ++task) {
    head.ranks.push_back(task);
    head.widths.push_back(std::int64_t{1} << (7 * (task % 8)));
  }
  head.tail_offset = static_cast<std::int64_t>(Geometry(head, "input").tail_offset(static_cast<std::uint64_t>(blocks)));
  return head;
}

// The block at its place behind a hole.
class Shifted final : public base::ByteSource {
 public:
  Shifted(base::Bytes bytes, std::uint64_t offset) : bytes_(bytes), offset_(offset) {}
  const std::string& path() const noexcept override { return path_; }
  std::uint64_t size() const override { return offset_ + bytes_.size(); }
  std::size_t read_at(std::uint64_t offset, base::MutableBytes buffer) override {
    std::size_t done = 0;
    for (; done < buffer.size() && offset + done < size(); ++done) {
      const std::uint64_t at = offset + done;
      buffer[done] = at < offset_ ? std::byte{0} : bytes_[static_cast<std::size_t>(at - offset_)];
    }
    return done;
  }

 private:
  base::Bytes bytes_;
  std::uint64_t offset_;
  std::string path_ = "input";
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 3) return 0;
  const ByteOrder order = data[2] % 2 == 0 ? ByteOrder::little : ByteOrder::big;
  const Head head = head_for(data[0] % 32 + 1, data[1] % 32 + 1, data[2] % 4 >= 2, order);
  const Geometry geometry(head, "input");
  Shifted file({reinterpret_cast<const std::byte*>(data) + 3, size - 3}, static_cast<std::uint64_t>(head.tail_offset));
  try {
    const Tail tail = read_tail(file, head, geometry);
    require(tail.table.tasks() == head.tasks, "a column for each task");
    require(tail.table.max_count() <= static_cast<std::uint64_t>(head.max_chunks), "no more chunks than said");
    for (std::int32_t task = 0; task < head.tasks; ++task) {
      for (const std::int64_t used : tail.table.used(task)) {
        require(used >= 0 && static_cast<std::uint64_t>(used) <= geometry.width(task), "data fit their chunk");
      }
    }
    // As many rows as there are chunks are written, which may be fewer than were there.
    Head again = head_for(head.tasks, static_cast<std::int32_t>(tail.table.max_count()), head.files > 1, order);
    const std::vector<std::byte> bytes = bytes_of(tail, order);
    Shifted copy(bytes, static_cast<std::uint64_t>(again.tail_offset));
    require(bytes_of(read_tail(copy, again, geometry), order) == bytes, "the block reads back");
  } catch (const Error& error) {
    require(error.code() == Code::malformed || error.code() == Code::truncated, "only damage is found");
  }
  return 0;
}
