// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// All tasks on one process.
#include "multifile/serial_file.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "format/sion/widths.hpp"
#include "multifile/agreement.hpp"
#include "multifile/block_size.hpp"

namespace lq::multifile {
namespace {

using format::sion::Set;

Set open_set(const Opening& request) {
  require_path(request.path);
  const format::sion::Open open = [&](const std::string& path) { return request.opener.transport->open_read(path); };
  format::sion::SetOptions options;
  options.names = request.names;
  return Set::open(request.path, open, options);
}

Facts facts_of(const Opening& request, const Set& set) {
  const format::sion::FixedHead& head = set.files().front().head;
  Facts facts;
  facts.path = request.path;
  facts.metadata_order = head.metadata_order;
  facts.data_order = head.data_order;
  facts.block_size = head.block_size;
  facts.key_values = head.key_value_mode();
  facts.files = static_cast<std::int32_t>(set.files().size());
  facts.file_number = head.file_number;
  facts.tasks_of_set = set.tasks();
  return facts;
}

void require_valid(const SerialCreation& request) {
  require_path(request.path);
  if (request.chunk_bytes.empty() || request.ranks.size() != request.chunk_bytes.size()) {
    throw Error(Code::invalid_argument, fmt::format("{}: {} chunk sizes and {} ranks; give one of each for every task",
                                                    request.path, request.chunk_bytes.size(), request.ranks.size()));
  }
  if (request.chunk_bytes.size() > (1U << 30)) {
    throw Error(Code::too_large, fmt::format("{}: {} tasks in one file", request.path, request.chunk_bytes.size()));
  }
  if (request.block_size == 0 || request.block_size < -1) {
    throw Error(Code::invalid_argument, fmt::format("{}: a block size of {} bytes; choose a positive one, or -1 to ask "
                                                    "the file system",
                                                    request.path, request.block_size));
  }
}

}  // namespace

std::unique_ptr<SerialFile> SerialFile::create(const SerialCreation& request) {
  require_valid(request);
  format::sion::Head head;
  head.data_order = request.mode.data_order.value_or(format::sion::host_order);
  head.tasks = static_cast<std::int32_t>(request.chunk_bytes.size());
  head.file_number = 1;  // so do all who write serially
  head.prefix = request.path;
  head.ranks = request.ranks;
  if (request.mode.keys == KeyWish::inline_records) {
    head.set_key_value_mode(format::sion::KeyValueMode::inline_records);
  }
  head.block_size = std::max(request.block_size, 1);
  head.widths = format::sion::aligned_widths(request.chunk_bytes, head.block_size);  // before an old file is truncated
  auto metadata = request.opener.create(request.path);
  if (request.block_size < 0) {
    head.block_size = block_size_of(*request.opener.transport, request.path);
    head.widths = format::sion::aligned_widths(request.chunk_bytes, head.block_size);
  }
  require_sum(head.widths);
  const format::sion::Geometry geometry(head, request.path);
  static_cast<void>(geometry.tail_offset(1));
  const std::vector<std::byte> bytes = format::sion::encode(head);
  metadata->write_at(0, base::Bytes(bytes).first(bytes.size() - format::sion::closing_bytes));

  Facts facts;
  facts.path = request.path;
  facts.direction = Direction::write;
  facts.data_order = head.data_order;
  facts.block_size = head.block_size;
  facts.key_values = head.key_value_mode();
  facts.file_number = head.file_number;
  facts.tasks_of_set = head.tasks;
  auto file = std::unique_ptr<SerialFile>(new SerialFile(facts));
  file->tasks_.resize(static_cast<std::size_t>(head.tasks));
  for (std::int32_t t = 0; t < head.tasks; ++t) {
    Task& task = file->tasks_[static_cast<std::size_t>(t)];
    task.rank = head.ranks[static_cast<std::size_t>(t)];
    task.number = t;
    task.stream = LogicalFile({geometry.start(t), geometry.width(t), geometry.skip()});
  }
  file->skip_ = geometry.skip();
  Opener opener = request.opener;
  opener.access = request.mode.access;
  const std::int64_t buffer = request.mode.buffer_bytes;
  opener.buffer_bytes = static_cast<std::size_t>(buffer < 0 ? head.block_size : buffer);
  file->channels_.push_back(opener.open(request.path, Direction::write));
  file->metadata_ = std::move(metadata);
  file->head_ = std::move(head);
  return file;
}

void SerialFile::note(const Set& set) {
  const format::sion::PhysicalFile& first = set.files().front();
  skip_ = first.geometry.skip();
  tail_offset_ = first.tail_offset;
  if (set.files().size() == 1) return;
  for (std::int32_t task = 0; task < set.tasks(); ++task) {
    mapping_.push_back(set.place(task).file);
    mapping_.push_back(set.place(task).task);
  }
}

void SerialFile::add_task(const Set& set, std::int32_t task, std::size_t channel) {
  const format::sion::Place place = set.place(task);
  const format::sion::Geometry& geometry = set.file_of(task).geometry;
  const auto used = set.file_of(task).table.used(place.task);
  Task& added = tasks_.emplace_back();
  added.rank = set.rank(task);
  added.file = place.file;
  added.number = place.task;
  added.channel = channel;
  added.stream = LogicalFile({geometry.start(place.task), geometry.width(place.task), geometry.skip()},
                             std::vector<std::int64_t>(used.begin(), used.end()));
}

std::unique_ptr<SerialFile> SerialFile::open(const Opening& request) {
  const Set set = open_set(request);
  auto file = std::unique_ptr<SerialFile>(new SerialFile(facts_of(request, set)));
  Opener opener = request.opener;
  opener.access = request.mode.access;
  for (const format::sion::PhysicalFile& physical : set.files()) {
    file->channels_.push_back(opener.open(physical.path, Direction::read));
  }
  for (std::int32_t task = 0; task < set.tasks(); ++task) {
    file->add_task(set, task, static_cast<std::size_t>(set.place(task).file));
  }
  file->note(set);
  return file;
}

std::unique_ptr<SerialFile> SerialFile::open_task(const Opening& request, std::int64_t task) {
  const Set set = open_set(request);
  if (task < 0 || task >= set.tasks()) {
    ErrorFacts about;
    about.path = request.path;
    throw Error(Code::invalid_argument,
                fmt::format("{}: there is no task {}; it has tasks 0 to {}", request.path, task, set.tasks() - 1),
                about);
  }
  auto file = std::unique_ptr<SerialFile>(new SerialFile(facts_of(request, set)));
  const auto number = static_cast<std::int32_t>(task);
  Opener opener = request.opener;
  opener.access = request.mode.access;
  file->channels_.push_back(opener.open(set.file_of(number).path, Direction::read));
  file->add_task(set, number, 0);
  file->note(set);
  file->facts_.file_number = set.place(number).file;
  file->is_one_task_ = true;
  return file;
}

void SerialFile::close() {
  if (!writes()) return close_channels();
  catch_up();
  close_channels();
  std::vector<std::uint64_t> counts;
  for (const Task& task : tasks_) counts.push_back(task.stream.chunks());
  format::sion::Tail tail{format::sion::ChunkTable(counts), std::vector<format::sion::Place>()};
  for (const Task& task : tasks_) std::ranges::copy(task.stream.used(), tail.table.used(task.number).begin());
  write_tail(*metadata_, head_, tail);
  metadata_->close();
}

}  // namespace lq::multifile
