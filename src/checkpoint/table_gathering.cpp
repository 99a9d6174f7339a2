// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// See table_gathering.hpp. Pieces of the stream that reaches rank 0 hold whole numbers, for all that is sent are
// numbers of 8 bytes and pieces are multiples of these.
#include "checkpoint/table_gathering.hpp"

#include <cstring>

#include "checkpoint/tree.hpp"
#include "kernels/crc32.hpp"

namespace lq::checkpoint {

static_assert(tree_piece_bytes % 8 == 0);

void append_numbers(base::Bytes bytes, std::vector<std::uint64_t>& numbers) {
  const std::size_t before = numbers.size();
  numbers.resize(before + bytes.size() / 8);
  std::memcpy(numbers.data() + before, bytes.data(), (numbers.size() - before) * 8);
}

std::vector<TaskShape> gather_shapes(comm::Comm& comm, const TaskShape& mine) {
  std::vector<TaskShape> shapes;
  std::vector<std::uint64_t> numbers;
  gather_bytes(comm, mine.count > 0 ? std::as_bytes(std::span(&mine, 1)) : base::Bytes(), [&](base::Bytes bytes) {
    append_numbers(bytes, numbers);
    constexpr std::size_t fields = sizeof(TaskShape) / 8;
    std::size_t at = 0;
    for (; at + fields <= numbers.size(); at += fields) {
      shapes.push_back({static_cast<std::int64_t>(numbers[at]), numbers[at + 1], numbers[at + 2]});
    }
    numbers.erase(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(at));
  });
  return shapes;
}

void put_shapes(const std::vector<TaskShape>& shapes, format::sion::Head& head) {
  for (const TaskShape& shape : shapes) {
    for (std::uint64_t i = 0; i < shape.count; ++i) {
      head.ranks.push_back(shape.first + static_cast<std::int64_t>(i));
      head.widths.push_back(static_cast<std::int64_t>(shape.width));
    }
  }
  head.tasks = static_cast<std::int32_t>(head.ranks.size());
}

std::uint32_t tables_checksum(base::Bytes head, std::int32_t tasks) {
  const std::uint64_t begin = format::sion::ranks_offset(), end = format::sion::closing_offset(tasks);
  return kernels::crc32(0, head.subspan(begin, end - begin));
}

GatheredTable gather_table(comm::Comm& comm, const std::vector<std::unique_ptr<StreamWriter>>& streams, bool with_sizes,
                           std::uint64_t tasks) {
  std::vector<std::uint64_t> counts, sizes, mine;
  for (const auto& stream : streams) mine.push_back(stream->used().size());
  gather_bytes(comm, std::as_bytes(std::span(mine)), [&](base::Bytes bytes) { append_numbers(bytes, counts); });
  if (with_sizes) {
    mine.clear();
    for (const auto& stream : streams) mine.push_back(stream->size());
    gather_bytes(comm, std::as_bytes(std::span(mine)), [&](base::Bytes bytes) { append_numbers(bytes, sizes); });
  }
  GatheredTable gathered;
  if (comm.rank() == 0) gathered.table = format::sion::ChunkTable(counts);
  std::vector<std::int64_t> used;
  for (const auto& stream : streams) used.insert(used.end(), stream->used().begin(), stream->used().end());
  std::uint64_t task = 0, chunk = 0;
  gather_bytes(comm, std::as_bytes(std::span(used)), [&](base::Bytes bytes) {
    for (; !bytes.empty(); bytes = bytes.subspan(8)) {
      for (; task < tasks && chunk == gathered.table.count(static_cast<std::int32_t>(task)); chunk = 0) ++task;
      std::memcpy(&gathered.table.used(static_cast<std::int32_t>(task))[chunk++], bytes.data(), 8);
    }
  });
  gathered.sizes = std::move(sizes);
  return gathered;
}

}  // namespace lq::checkpoint
