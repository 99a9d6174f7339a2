// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The 12 bytes that close a file begin at 4 modulo 16, so that they lie within one sector and page.
#include "sets/checkpoint/closing.hpp"

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "kernels/crc32.hpp"

namespace lq::sets {
namespace {

// Collects what is written at consecutive places into writes of a few MiB.
class Appender {
 public:
  Appender(storage::File& file, std::uint64_t offset) : file_(file), offset_(offset) {}

  void put(base::Bytes bytes) {
    held_.insert(held_.end(), bytes.begin(), bytes.end());
    if (held_.size() >= largest_held) flush();
  }
  void flush() {
    file_.write_at(offset_, held_);
    offset_ += held_.size();
    held_.clear();
  }
  std::uint64_t end() const noexcept { return offset_ + held_.size(); }

 private:
  static constexpr std::size_t largest_held = 4 << 20;
  storage::File& file_;
  std::uint64_t offset_;
  std::vector<std::byte> held_;
};

std::vector<std::byte> size_bytes(const std::vector<std::uint64_t>& sizes) {
  std::vector<std::byte> bytes(8 * sizes.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) base::store_le(bytes.data() + 8 * i, sizes[i]);
  return bytes;
}

}  // namespace

Closing closing_of(const format::sion::PhysicalFile& file, const SetRecord& record) {
  Closing closing;
  closing.record = record;
  closing.start = file.geometry.start(0);
  closing.skip = file.geometry.skip();
  closing.order = file.head.metadata_order;
  return closing;
}

void close_file(storage::File& file, const Closing& closing) {
  const std::uint64_t blocks = closing.tail.table.max_count();
  std::uint64_t tail_offset = 0;
  if (__builtin_mul_overflow(closing.skip, blocks, &tail_offset) ||
      __builtin_add_overflow(tail_offset, closing.start, &tail_offset) || tail_offset >> 62 != 0) {
    throw Error(
        Code::too_large,
        fmt::format("{}: {} blocks of {} bytes are more than a file can hold", file.path(), blocks, closing.skip),
        {.path = file.path()});
  }
  Appender end(file, tail_offset);
  TailRecord record;
  record.generation = closing.record.generation;
  record.was_repaired = closing.was_repaired;
  record.file = closing.record.file;
  record.tasks = closing.record.tasks;
  record.fields = closing.fields;
  format::sion::encode(closing.tail, closing.order, [&](base::Bytes bytes) {
    record.table = kernels::crc32(record.table, bytes);
    record.table_bytes += bytes.size();
    end.put(bytes);
  });
  const std::vector<std::byte> sizes = size_bytes(closing.sizes);
  record.sizes = kernels::crc32(0, sizes);
  const std::vector<std::byte> losses = encode(closing.losses);
  record.losses = static_cast<std::uint32_t>(closing.losses.size());
  record.losses_sum = kernels::crc32(0, losses);
  end.put(encode(record));
  end.put(sizes);
  end.put(losses);
  end.flush();
  if (file.size() > end.end()) file.resize(end.end());
  if (closing.was_published) file.sync();
  const auto tasks = static_cast<std::int32_t>(closing.record.tasks);
  file.write_at(format::sion::closing_offset(tasks),
                format::sion::encode_closing(static_cast<std::int32_t>(blocks), static_cast<std::int64_t>(tail_offset),
                                             closing.order));
}

void write_set_record(storage::File& file, const SetRecord& record) {
  file.write_at(format::sion::head_bytes(static_cast<std::int32_t>(record.tasks)), encode(record));
}

// A record that is torn or damaged says nothing: whether the set is another's is then not known.
void require_epoch(base::ByteSource& file, const SetRecord& mine) {
  RecordBytes bytes{};
  const std::size_t got = file.read_at(format::sion::head_bytes(static_cast<std::int32_t>(mine.tasks)), bytes);
  const auto there = decode_set_record(base::Bytes(bytes).first(got));
  if (!there || (there->generation == mine.generation && there->epoch == mine.epoch)) return;
  throw Error(
      Code::wrong_state,
      fmt::format(
          "{}: another program repaired this set or appended to it after it was opened here (epoch: found {}, expected "
          "{}). Data written here since then are not part of the set. Open it again and repeat the append",
          file.path(), there->epoch.count, mine.epoch.count),
      {.path = file.path()});
}

void open_again(storage::File& file, std::int32_t tasks, ByteOrder order) {
  file.write_at(format::sion::closing_offset(tasks), format::sion::encode_closing(0, 0, order));
}

}  // namespace lq::sets
