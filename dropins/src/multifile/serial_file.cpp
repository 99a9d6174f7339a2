// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// All tasks on one process.
#include "multifile/serial_file.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "format/sion/geometry.hpp"

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
  Facts facts{multifile::facts_of(set.files().front().head, set.tasks()), request.path};
  facts.files = static_cast<std::int32_t>(set.files().size());
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
  require_block_size(request.path, request.block_size);
}

}  // namespace

std::unique_ptr<SerialFile> SerialFile::create(const SerialCreation& request) {
  require_valid(request);
  Facts facts = facts_for_writing(request.path, request.mode);
  facts.block_size = std::max(request.block_size, 1);
  facts.file_number = 1;  // as all serial writers do
  facts.tasks_of_set = static_cast<std::int64_t>(request.chunk_bytes.size());
  auto widths = format::sion::aligned_widths(request.chunk_bytes, facts.block_size);  // before an old file is truncated
  auto metadata = std::make_unique<multifile::MetadataWriter>(request.opener.create(request.path));
  if (request.block_size < 0) {
    facts.block_size = multifile::block_size_of(*request.opener.transport, request.path);
    widths = format::sion::aligned_widths(request.chunk_bytes, facts.block_size);
  }
  format::sion::Head head = head_of(facts);
  head.tasks = static_cast<std::int32_t>(widths.size());
  head.ranks = request.ranks;
  head.widths = std::move(widths);
  const format::sion::Geometry geometry = metadata->write_head(head);

  auto file = std::unique_ptr<SerialFile>(new SerialFile(facts));
  for (std::int32_t t = 0; t < head.tasks; ++t) {
    file->Multifile::add_task(head.ranks[static_cast<std::size_t>(t)], {0, t}, 0, LogicalFile(geometry.places(t)));
  }
  file->skip_ = geometry.skip();
  file->channels_.push_back(request.opener.with(request.mode, facts.block_size).open(request.path, Direction::write));
  file->metadata_ = std::move(metadata);
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
  Multifile::add_task(set.rank(task), place, channel, LogicalFile(set.file_of(task), place.task));
}

std::unique_ptr<SerialFile> SerialFile::open(const Opening& request) {
  const Set set = open_set(request);
  auto file = std::unique_ptr<SerialFile>(new SerialFile(facts_of(request, set)));
  const Opener opener = request.opener.with(request.mode);
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
    refuse(Code::invalid_argument, request.path,
           fmt::format("task {} does not exist; it has tasks 0 to {}", task, set.tasks() - 1));
  }
  auto file = std::unique_ptr<SerialFile>(new SerialFile(facts_of(request, set)));
  const auto number = static_cast<std::int32_t>(task);
  file->channels_.push_back(request.opener.with(request.mode).open(set.file_of(number).path, Direction::read));
  file->add_task(set, number, 0);
  file->note(set);
  file->facts_.file_number = set.place(number).file;
  return file;
}

void SerialFile::close() {
  if (!writes()) return close_channels();
  catch_up();
  close_channels();
  const auto used_of = [](const Task& task) -> auto& { return task.stream.used(); };
  metadata_->write_tail({format::sion::ChunkTable::of(tasks_, used_of), std::vector<format::sion::Place>()});
}

std::unique_ptr<Duplicate> Duplicate::of(const Multifile& original, Access access, std::optional<std::int64_t> rank,
                                         std::optional<std::uint64_t> key) {
  const Facts& facts = original.facts();
  if (original.writes()) {
    refuse(Code::wrong_state, facts.path, "only a multifile that is read can be duplicated");
  }
  auto copy = std::unique_ptr<Duplicate>(new Duplicate(facts));
  Opener opener;
  opener.access = access;
  std::map<std::size_t, std::size_t> opened;
  for (std::size_t i = 0; i < original.tasks(); ++i) {
    const Task& task = original.task(i);
    if (rank && task.rank != *rank) continue;
    const auto [place, is_new] = opened.try_emplace(task.channel, copy->channels_.size());
    if (is_new) copy->channels_.push_back(opener.open(original.channel_path(task.channel), Direction::read));
    copy->add_task(task.rank, {task.file, task.number}, place->second, task.stream);
  }
  if (copy->tasks_.empty()) {
    refuse(Code::invalid_argument, facts.path, fmt::format("no task {} is open here", rank ? *rank : std::int64_t{0}));
  }
  if (key) copy->keys().restrict_to(*key);
  return copy;
}

}  // namespace lq::multifile
