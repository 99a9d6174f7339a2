// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What creating and opening share, and closing.
#include "multifile/mapped_file.hpp"

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "comm/agree.hpp"

namespace lq::multifile {

void MappedFile::take_descriptions(const std::vector<comm::Message>& described) {
  for (const comm::Message& message : described) {
    for (base::Bytes bytes = message.bytes; !bytes.empty();) add_task(bytes);
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
  // Each task to the keeper of its file, followed by the filled bytes of its chunks.
  std::map<int, std::vector<std::byte>> by_keeper;
  for (const Task& task : tasks_) {
    std::vector<std::byte>& bytes = by_keeper[keeper_of(task.file)];
    append(bytes, format::sion::Place{task.file, task.number});
    append(bytes, task.stream.chunks());
    append_all(bytes, std::span(task.stream.used()));
  }
  const auto filled = all_->all_to_all(messages_of(by_keeper));
  comm::agree(*all_, [&] { write_tables(filled); });
}

void MappedFile::write_tables(const std::vector<comm::Message>& filled) {
  using Used = std::map<std::int32_t, std::vector<std::int64_t>>;  // by task
  std::map<std::int32_t, Used> tables;                             // by file
  for (const comm::Message& message : filled) {
    for (base::Bytes bytes = message.bytes; !bytes.empty();) {
      const auto place = take<format::sion::Place>(bytes);
      const auto chunks = take<std::uint64_t>(bytes);
      tables[place.file][place.task] = take_all<std::int64_t>(bytes, chunks);
    }
  }
  for (auto& [file, metadata] : kept_) {
    format::sion::Tail tail{format::sion::ChunkTable::of(tables[file], &Used::value_type::second), std::nullopt};
    if (facts_.files > 1 && file == 0) tail.map = map_;
    metadata->write_tail(tail, -1);
  }
}

}  // namespace lq::multifile
