// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "sets/checkpoint/table_gathering.hpp"

#include <algorithm>
#include <iterator>
#include <optional>

#include "base/keep_failure.hpp"
#include "comm/take_part.hpp"
#include "comm/tree.hpp"
#include "format/sion/integers.hpp"
#include "kernels/crc32.hpp"
#include "sets/checkpoint/record.hpp"

namespace lq::sets {

namespace sion = format::sion;

std::vector<std::byte> gather_head(comm::Comm& comm, const TaskShape& mine, std::uint64_t tasks) {
  const auto count = static_cast<std::int32_t>(tasks);
  std::vector<std::byte> bytes;
  std::uint64_t task = 0;
  comm::gather_records(comm, std::span(&mine, mine.count > 0 ? 1 : 0), 0, [&](const TaskShape& shape) {
    if (bytes.empty()) {
      bytes.reserve(sion::head_bytes(count) + record_bytes);
      bytes.resize(sion::head_bytes(count));
    }
    for (std::uint64_t i = 0; i < shape.count && task < tasks; ++i, ++task) {
      sion::store_int64(bytes.data() + sion::ranks_offset() + 8 * task, shape.first + static_cast<std::int64_t>(i),
                        sion::host_order);
      sion::store_int64(bytes.data() + sion::widths_offset(count) + 8 * task, static_cast<std::int64_t>(shape.width),
                        sion::host_order);
    }
  });
  return bytes;
}

void write_head(storage::File& file, const sion::FixedHead& head, std::vector<std::byte> bytes, SetRecord& record) {
  std::ranges::copy(sion::encode_fixed(head), bytes.begin());
  const std::uint64_t begin = sion::ranks_offset(), end = sion::closing_offset(static_cast<std::int32_t>(record.tasks));
  record.tables = kernels::crc32(0, base::Bytes(bytes).subspan(begin, end - begin));
  std::ranges::copy(encode(record), std::back_inserter(bytes));
  file.write_at(0, bytes);
}

GatheredTable gather_table(comm::Comm& comm, const std::vector<std::unique_ptr<StreamWriter>>& streams, bool with_sizes,
                           std::uint64_t tasks) {
  std::optional<GatheredTable> gathered;
  std::optional<sion::ChunkTableBuilder> table;
  std::exception_ptr failure;  // here: the others go on sending
  const auto gather = [&](std::span<const std::int64_t> mine, const auto& each) {
    comm::take_part(failure, [&] { comm::gather_records(comm, mine, 0, each); });
  };
  std::vector<std::int64_t> chunks, sizes;
  base::keep_failure(failure, [&] {
    gathered.emplace();
    table.emplace();
    for (const auto& stream : streams) {
      chunks.push_back(static_cast<std::int64_t>(stream->used().size()));
      chunks.insert(chunks.end(), stream->used().begin(), stream->used().end());
      sizes.push_back(static_cast<std::int64_t>(stream->size()));
    }
  });
  gather(chunks, [&](std::int64_t number) {
    if (table) table->add(number, tasks);
  });
  if (with_sizes) {
    gather(sizes, [&](std::int64_t size) {
      if (!gathered) return;
      if (gathered->sizes.empty()) gathered->sizes.reserve(tasks);
      gathered->sizes.push_back(static_cast<std::uint64_t>(size));
    });
  }
  if (failure) std::rethrow_exception(failure);
  gathered->table = table->take();
  return std::move(*gathered);
}

}  // namespace lq::sets
