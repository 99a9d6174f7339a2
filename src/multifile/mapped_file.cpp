// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What creating and opening share, and closing.
#include "multifile/mapped_file.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "comm/agree.hpp"
#include "multifile/mapped_wire.hpp"
#include "multifile/metadata.hpp"

namespace lq::multifile {

void MappedFile::take_descriptions(const std::vector<comm::Message>& described) {
  for (const comm::Message& message : described) {
    base::Bytes bytes = message.bytes;
    while (!bytes.empty()) {
      const auto description = take<Description>(bytes);
      facts_.block_size = description.block_size;
      facts_.key_values = static_cast<format::sion::KeyValueMode>(description.key_values);
      facts_.metadata_order = description.metadata_is_big != 0 ? ByteOrder::big : ByteOrder::little;
      facts_.data_order = description.data_is_big != 0 ? ByteOrder::big : ByteOrder::little;
      Task& task = tasks_.emplace_back();
      task.rank = description.rank;
      task.file = description.file;
      task.number = description.number;
      if (writes()) {
        task.stream = LogicalFile(description.place);
        continue;
      }
      const std::size_t used_bytes = description.chunks * sizeof(std::int64_t);
      task.stream = LogicalFile(description.place, take_all<std::int64_t>(bytes.first(used_bytes)));
      bytes = bytes.subspan(used_bytes);
    }
  }
}

void MappedFile::put_in_order(const std::vector<format::sion::Place>& places) {
  std::map<std::pair<std::int32_t, std::int32_t>, std::size_t> described;
  for (std::size_t i = 0; i < tasks_.size(); ++i) described[{tasks_[i].file, tasks_[i].number}] = i;
  std::vector<Task> ordered;
  for (const format::sion::Place& place : places) {
    const auto found = described.find({place.file, place.task});
    if (found == described.end()) {
      throw Error(Code::invalid_argument,
                  fmt::format("{}: task {} of file {} is named twice", facts_.path, place.task, place.file));
    }
    ordered.push_back(std::move(tasks_[found->second]));
    described.erase(found);
  }
  tasks_ = std::move(ordered);
}

void MappedFile::open_data(const Opener& opener, const format::sion::NameRule& names) {
  std::map<std::int32_t, std::size_t> opened;
  for (Task& task : tasks_) {
    const auto [place, is_new] = opened.try_emplace(task.file, channels_.size());
    if (is_new) {
      const std::string path = names ? names(task.file) : format::sion::file_name(facts_.path, task.file);
      channels_.push_back(opener.open(path, facts_.direction));
    }
    task.channel = place->second;
  }
}

void MappedFile::close() {
  comm::agree(*all_, [&] {
    if (tasks() > 0) catch_up();
    close_channels();
  });
  if (!writes()) return;
  // Each task to the keeper of its file: number of the file, of the task, of chunks, and their filled bytes.
  std::map<int, std::vector<std::byte>> by_keeper;
  for (const Task& task : tasks_) {
    std::vector<std::byte>& bytes = by_keeper[keeper_of(task.file)];
    append(bytes, std::int64_t{task.file});
    append(bytes, std::int64_t{task.number});
    append(bytes, static_cast<std::int64_t>(task.stream.chunks()));
    append_all(bytes, std::span(task.stream.used()));
  }
  std::vector<comm::Message> messages;
  for (auto& [keeper, bytes] : by_keeper) messages.push_back({keeper, std::move(bytes)});
  const auto filled = all_->all_to_all(std::move(messages));
  comm::agree(*all_, [&] { write_tables(filled); });
}

void MappedFile::write_tables(const std::vector<comm::Message>& filled) {
  std::map<std::int32_t, std::map<std::int32_t, base::Bytes>> tables;  // by file and task
  for (const comm::Message& message : filled) {
    base::Bytes bytes = message.bytes;
    while (!bytes.empty()) {
      const auto file = static_cast<std::int32_t>(take<std::int64_t>(bytes));
      const auto number = static_cast<std::int32_t>(take<std::int64_t>(bytes));
      const auto used_bytes = static_cast<std::size_t>(take<std::int64_t>(bytes)) * sizeof(std::int64_t);
      tables[file][number] = bytes.first(used_bytes);
      bytes = bytes.subspan(used_bytes);
    }
  }
  for (auto& [file, kept] : kept_) {
    std::vector<std::uint64_t> counts;
    for (const auto& [number, used] : tables[file]) counts.push_back(used.size() / sizeof(std::int64_t));
    format::sion::Tail tail{format::sion::ChunkTable(counts), std::nullopt};
    for (const auto& [number, used] : tables[file]) {
      std::ranges::copy(take_all<std::int64_t>(used), tail.table.used(number).begin());
    }
    if (facts_.files > 1 && file == 0) tail.map = map_;
    write_tail(*kept.metadata, kept.head, tail, -1);
    kept.metadata->close();
  }
}

}  // namespace lq::multifile
