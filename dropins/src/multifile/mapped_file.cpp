// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Multifiles whose tasks are distributed over processes in any way: created, opened for reading and closed.
#include "multifile/mapped_file.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "comm/agree.hpp"
#include "format/sion/geometry.hpp"
#include "multifile/metadata.hpp"

namespace lq::multifile {
namespace {

void require_valid(const MappedCreation& request) {
  require_path(request.path);
  if (request.files < 1)
    refuse(Code::invalid_argument, request.path, fmt::format("{} physical files; choose at least 1", request.files));
  require_block_size(request.path, request.block_size);
  for (const MappedTask& task : request.tasks) {
    if (task.file < 0 || task.file >= request.files || task.number < 0 || task.rank < 0 || task.chunk_bytes < 0) {
      refuse(Code::invalid_argument, request.path,
             fmt::format("task {} as number {} of file {} of {}, with chunks of {} bytes: this is impossible; "
                         "count from 0",
                         task.rank, task.number, task.file, request.files, task.chunk_bytes));
    }
  }
}

}  // namespace

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
      channels_.push_back(opener.open(path_of(names, facts_.path, task.file), facts_.direction));
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
  // Each task is sent to the keeper of its file, followed by the filled bytes of its chunks.
  const auto filled = comm::exchange_messages(*all_, [&] {
    std::map<int, std::vector<std::byte>> by_keeper;
    for (const Task& task : tasks_) {
      std::vector<std::byte>& bytes = by_keeper[keeper_of(task.file)];
      comm::append(bytes, format::sion::Place{task.file, task.number});
      comm::append(bytes, task.stream.chunks());
      comm::append_all(bytes, std::span(task.stream.used()));
    }
    return messages_of(by_keeper);
  });
  comm::agree(*all_, [&] { write_tables(filled); });
  if (owners_.have_incoherent_caches()) send_ends();
}

// Collective. Clients that have written in between use the size that they saw: the keeper of a file wrote last.
void MappedFile::send_ends() {
  const auto name = [&](std::size_t file) { return path_of(names_, facts_.path, static_cast<std::int32_t>(file)); };
  std::vector<std::uint64_t> ends = comm::agree(*all_, [&] {
    std::vector<std::uint64_t> mine(static_cast<std::size_t>(facts_.files));
    for (const auto& [file, metadata] : kept_) {
      const auto number = static_cast<std::size_t>(file);
      mine[number] = transport_->open_read(name(number))->size();
    }
    return mine;
  });
  all_->all_reduce(ends, comm::Reduce::max);
  comm::agree(*all_, [&] {
    for (const Task& task : tasks_) {
      const auto number = static_cast<std::size_t>(task.file);
      storage::tell_size(*transport_->open_write(name(number)), ends[number]);
    }
  });
}

void MappedFile::write_tables(const std::vector<comm::Message>& filled) {
  using Used = std::map<std::int32_t, std::vector<std::int64_t>>;  // by task
  std::map<std::int32_t, Used> tables;                             // by file
  for (const comm::Message& message : filled) {
    for (base::Bytes bytes = message.bytes; !bytes.empty();) {
      const auto place = comm::take<format::sion::Place>(bytes);
      const auto chunks = comm::take<std::uint64_t>(bytes);
      tables[place.file][place.task] = comm::take_all<std::int64_t>(bytes, chunks);
    }
  }
  for (auto& [file, metadata] : kept_) {
    format::sion::Tail tail{format::sion::ChunkTable::of(tables[file], &Used::value_type::second), std::nullopt};
    if (facts_.files > 1 && file == 0) tail.map = map_;
    metadata->write_tail(tail, -1);
  }
}

std::unique_ptr<MappedFile> MappedFile::create(std::shared_ptr<comm::Comm> all, const MappedCreation& request) {
  std::unique_ptr<MappedFile> file;
  comm::require_same(*all, [&] {
    require_valid(request);
    Facts facts = facts_for_writing(request.path, request.mode);
    facts.files = request.files;
    file.reset(new MappedFile(std::move(facts), all));
    return stated_request(request.path, request.mode, request.block_size, request.files);
  });
  file->transport_ = request.opener.transport;
  file->names_ = request.names;
  file->owners_ = owners_of_set(*all, *file->transport_, request.path);
  std::uint64_t total = request.tasks.size();
  all->all_reduce(std::span(&total, 1), comm::Reduce::sum);
  file->facts_.tasks_of_set = static_cast<std::int64_t>(total);
  // Process 0 keeps the map of all tasks, and validates it.
  const auto announced_places = comm::exchange_messages(*all, [&] {
    if (static_cast<std::uint64_t>(request.files) > total) {
      refuse(Code::invalid_argument, request.path,
             fmt::format("{} files for {} tasks; choose fewer files", request.files, total));
    }
    std::vector<comm::Message> places;
    if (request.tasks.empty()) return places;
    places.push_back({0, {}});
    for (const MappedTask& task : request.tasks) comm::append(places[0].bytes, task);
    return places;
  });
  const auto announced = comm::exchange_messages(
      *all, [&] { return file->sorted_by_keeper(request.tasks, [](const MappedTask& task) { return task.file; }); });
  const auto descriptions = comm::exchange_messages(*all, [&] {
    if (all->rank() == 0) file->make_map(announced_places);
    return file->make_layout(announced, request);
  });
  comm::agree(*all, [&] {
    file->take_descriptions(descriptions);
    std::vector<format::sion::Place> order;
    for (const MappedTask& task : request.tasks) order.push_back({task.file, task.number});
    file->put_in_order(order);
    Opener opener = request.opener.with(request.mode, file->facts_.block_size);
    opener.syncs = file->owners_.have_incoherent_caches();
    file->open_data(opener, request.names);
  });
  return file;
}

// On process 0.
void MappedFile::make_map(const std::vector<comm::Message>& announced) {
  const auto total = static_cast<std::size_t>(facts_.tasks_of_set);
  map_.assign(total, {-1, -1});
  for (const comm::Message& message : announced) {
    for (const MappedTask& task : comm::take_all<MappedTask>(message.bytes)) {
      const auto rank = static_cast<std::size_t>(task.rank);
      if (rank >= total)
        refuse(Code::invalid_argument, facts_.path,
               fmt::format("global rank {} of {} tasks; count from 0", rank, total));
      if (map_[rank].file >= 0)
        refuse(Code::invalid_argument, facts_.path, fmt::format("two tasks have the global rank {}", rank));
      map_[rank] = {task.file, task.number};
    }
  }
}

std::vector<comm::Message> MappedFile::make_layout(const std::vector<comm::Message>& announced,
                                                   const MappedCreation& request) {
  std::map<std::int32_t, std::vector<MappedTask>> by_file;
  for (std::int32_t f = all_->rank(); f < request.files; f += all_->size()) by_file[f];
  for (const comm::Message& message : announced) {
    for (const MappedTask& task : comm::take_all<MappedTask>(message.bytes)) by_file[task.file].push_back(task);
  }
  std::map<std::int32_t, FileLayout> laid;
  for (auto& [number, tasks] : by_file) laid[number] = lay_out_file(number, tasks, request);
  std::vector<comm::Message> described;
  for (const comm::Message& message : announced) {
    comm::Message& answer = described.emplace_back(comm::Message{message.rank, {}});
    for (const MappedTask& task : comm::take_all<MappedTask>(message.bytes)) {
      const auto& [head, geometry] = laid[task.file];
      append_description(answer.bytes, head, geometry, task.file, task.number, task.rank);
    }
  }
  return described;
}

MappedFile::FileLayout MappedFile::lay_out_file(std::int32_t file, std::vector<MappedTask>& tasks,
                                                const MappedCreation& request) {
  const std::string path = path_of(request.names, request.path, file);
  require_path(path);
  std::ranges::sort(tasks, {}, &MappedTask::number);
  std::vector<std::int64_t> ranks, chunks;
  for (const MappedTask& task : tasks) {
    if (task.number != static_cast<std::int32_t>(chunks.size())) {
      refuse(
          Code::invalid_argument, path,
          fmt::format("{} tasks, one with the number {}; numbers are 0, 1, ... once each", tasks.size(), task.number));
    }
    chunks.push_back(task.chunk_bytes);
    ranks.push_back(task.rank);
  }
  if (tasks.empty()) refuse(Code::invalid_argument, path, "no task is in this file; choose fewer files");
  auto metadata =
      std::make_unique<multifile::MetadataWriter>(request.opener.create(path), owners_.have_incoherent_caches());
  Facts facts = facts_;
  facts.file_number = file;
  facts.block_size =
      request.block_size > 0 ? request.block_size : multifile::block_size_of(*request.opener.transport, path);
  facts.block_size = whole_blocks(owners_, facts.block_size);
  format::sion::Head head = head_of(facts);
  head.tasks = static_cast<std::int32_t>(tasks.size());
  head.ranks = std::move(ranks);
  head.widths = format::sion::aligned_widths(chunks, head.block_size);
  format::sion::Geometry geometry = metadata->write_head(head);
  kept_[file] = std::move(metadata);
  return {std::move(head), std::move(geometry)};
}

// Opening for reading: process 0 knows the map, the keepers of files know their tasks.

namespace {

using format::sion::Place;
using multifile::Metadata;

// For a set of several files; only the first of them has it.
std::vector<Place> map_of(const Metadata& first) {
  if (first.tail.map && !first.tail.map->empty()) return *first.tail.map;
  refuse(Code::malformed, first.path,
         fmt::format("is file {} of {}, but should be file 0, which has the map of all tasks; open the set by the name "
                     "of its first file",
                     first.head.file_number, first.head.files));
}

// Consecutive ranks for each process; the first ones have one more if the division leaves a remainder.
std::vector<std::int64_t> dealt_ranks(std::int64_t tasks, int process, int processes) {
  const std::int64_t begin = tasks * process / processes;
  const std::int64_t end = tasks * (process + 1) / processes;
  std::vector<std::int64_t> ranks;
  for (std::int64_t rank = begin; rank < end; ++rank) ranks.push_back(rank);
  return ranks;
}

// The place of a task, and the number of tasks in that file by the map of the set; 0: unknown.
struct MapEntry {
  Place place;
  std::int32_t tasks = 0;
};

// On process 0: the places of the tasks that each process requests.
std::vector<comm::Message> look_up(const std::vector<comm::Message>& asked, const std::vector<Place>& map) {
  std::map<std::int32_t, std::int32_t> held;  // tasks by file
  for (const Place& place : map) ++held[place.file];
  std::vector<comm::Message> answers;
  for (const comm::Message& message : asked) {
    comm::Message& answer = answers.emplace_back(comm::Message{message.rank, {}});
    for (const std::int64_t rank : comm::take_all<std::int64_t>(message.bytes)) {
      const Place& place = map[static_cast<std::size_t>(rank)];
      comm::append(answer.bytes, MapEntry{place, held[place.file]});
    }
  }
  return answers;
}

// Collective. The entries of process 0's map; nothing if there is one file.
std::vector<comm::Message> ask_for_places(comm::Comm& all, const std::vector<std::int64_t>& ranks,
                                          const std::vector<Place>& map, std::int32_t files) {
  if (files == 1) return {};
  const auto asked = comm::exchange_messages(all, [&] {
    std::vector<comm::Message> questions;
    if (ranks.empty()) return questions;
    const auto bytes = std::as_bytes(std::span(ranks));
    questions.push_back({0, {bytes.begin(), bytes.end()}});
    return questions;
  });
  return comm::exchange_messages(all, [&] { return look_up(asked, map); });
}

// Local.
std::vector<MapEntry> promises_of(const std::string& path, const std::vector<std::int64_t>& ranks,
                                  const std::vector<comm::Message>& answers, std::int32_t files) {
  std::vector<MapEntry> promises;
  if (files == 1) {
    for (const std::int64_t rank : ranks) promises.push_back({{0, static_cast<std::int32_t>(rank)}, 0});
  }
  for (const comm::Message& answer : answers) promises = comm::take_all<MapEntry>(answer.bytes);
  for (const auto& [place, tasks] : promises) {
    if (place.file >= 0 && place.file < files && place.task >= 0) continue;
    refuse(Code::malformed, path,
           fmt::format("its map names task {} of file {} of {}; it is damaged", place.task, place.file, files));
  }
  return promises;
}

}  // namespace

std::unique_ptr<MappedFile> MappedFile::open(std::shared_ptr<comm::Comm> all, const Opening& request,
                                             std::optional<std::vector<std::int64_t>> ranks) {
  comm::require_same(*all, [&] {
    require_path(request.path);
    return stated_request(request.path, request.mode, 0, 0);
  });
  std::vector<Place> map;
  SetFacts set;
  comm::agree_at_root(*all, [&] {
    const Metadata first = multifile::read_metadata(*request.opener.transport, path_of(request.names, request.path, 0));
    if (first.head.files > 1) map = map_of(first);
    set = facts_of(first.head, map.empty() ? first.head.tasks : static_cast<std::int64_t>(map.size()));
    set.file_number = 0;
  });
  all->broadcast(std::as_writable_bytes(std::span(&set, 1)), 0);
  comm::agree(*all, [&] {
    if (!ranks) ranks = dealt_ranks(set.tasks_of_set, all->rank(), all->size());
    for (const std::int64_t rank : *ranks) {
      if (rank >= 0 && rank < set.tasks_of_set) continue;
      refuse(Code::invalid_argument, request.path,
             fmt::format("task {} does not exist; it has tasks 0 to {}", rank, set.tasks_of_set - 1));
    }
  });
  const auto answers = ask_for_places(*all, *ranks, map, set.files);
  std::unique_ptr<MappedFile> file;
  std::vector<Place> places;
  const auto wanted = comm::exchange_messages(*all, [&] {
    file.reset(new MappedFile(Facts{set, request.path}, all));
    const std::vector<MapEntry> promises = promises_of(request.path, *ranks, answers, set.files);
    for (const MapEntry& promise : promises) places.push_back(promise.place);
    return file->sorted_by_keeper(promises, [](const MapEntry& promise) { return promise.place.file; });
  });
  const auto descriptions = comm::exchange_messages(*all, [&] { return file->describe(wanted, request); });
  comm::agree(*all, [&] {
    file->take_descriptions(descriptions);
    file->put_in_order(places);
    for (std::size_t i = 0; i < places.size(); ++i) {
      Task& task = file->tasks_[i];
      if (set.files == 1) task.rank = (*ranks)[i];  // by its number, as in a parallel open
      if (task.rank == (*ranks)[i]) continue;
      refuse(Code::malformed, request.path,
             fmt::format("task {} of file {} has global rank {}, the map of the set says {}; the files are of "
                         "different sets",
                         task.number, task.file, task.rank, (*ranks)[i]));
    }
    file->open_data(request.opener.with(request.mode), request.names);
  });
  return file;
}

// On the keepers of files.
std::vector<comm::Message> MappedFile::describe(const std::vector<comm::Message>& wanted, const Opening& request) {
  std::map<std::int32_t, Metadata> files;
  std::vector<comm::Message> described;
  for (const comm::Message& message : wanted) {
    comm::Message& answer = described.emplace_back(comm::Message{message.rank, {}});
    for (const auto& [place, tasks] : comm::take_all<MapEntry>(message.bytes)) {
      if (!files.contains(place.file)) {
        files[place.file] =
            multifile::read_metadata(*request.opener.transport, path_of(request.names, request.path, place.file));
      }
      const Metadata& metadata = files[place.file];
      const format::sion::Head& head = metadata.head;
      if (head.files != facts_.files || (facts_.files > 1 && head.file_number != place.file) ||
          place.task >= head.tasks || (tasks > 0 && tasks != head.tasks)) {
        refuse(Code::malformed, metadata.path,
               fmt::format(
                   "is file {} of {} with {} tasks, where file {} of {} with {} tasks, one of them task {}, should "
                   "be; put the right file there",
                   head.file_number, head.files, head.tasks, place.file, facts_.files, tasks > 0 ? tasks : head.tasks,
                   place.task));
      }
      append_description(answer.bytes, head, metadata.geometry, place.file, place.task,
                         head.ranks[static_cast<std::size_t>(place.task)], metadata.tail.table.used(place.task));
    }
  }
  return described;
}

}  // namespace lq::multifile
