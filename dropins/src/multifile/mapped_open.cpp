// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Opening for reading: process 0 knows the map, the keepers of files know the tasks in them.
#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "comm/agree.hpp"
#include "multifile/description.hpp"
#include "multifile/mapped_file.hpp"

namespace lq::multifile {
namespace {

using format::sion::Place;
using multifile::Metadata;

// What process 0 tells all others.
struct Extent {
  std::int64_t tasks = 0;
  std::int32_t files = 1;
  std::int32_t block_size = 1;
  format::sion::KeyValueMode key_values = format::sion::KeyValueMode::none;
  ByteOrder metadata_order = ByteOrder::little;
  ByteOrder data_order = ByteOrder::little;
};

// Of a set of several files; only the first of them has it.
std::vector<Place> map_of(const Metadata& first) {
  if (first.tail.map && !first.tail.map->empty()) return *first.tail.map;
  refuse(Code::malformed, first.path,
         fmt::format("is file {} of {}, but should be file 0, which has the map of all tasks; open the set by the name "
                     "of its first file",
                     first.head.file_number, first.head.files));
}

// Consecutive ranks for each process, the first of which have one more where it does not go up.
std::vector<std::int64_t> dealt_ranks(std::int64_t tasks, int process, int processes) {
  const std::int64_t begin = tasks * process / processes;
  const std::int64_t end = tasks * (process + 1) / processes;
  std::vector<std::int64_t> ranks;
  for (std::int64_t rank = begin; rank < end; ++rank) ranks.push_back(rank);
  return ranks;
}

// Where a task is, and how many tasks there are in that file by the map of the set; 0: there is none.
struct Promise {
  Place place;
  std::int32_t tasks = 0;
};

// On process 0: where the tasks are that each process asks for.
std::vector<comm::Message> look_up(const std::vector<comm::Message>& asked, const std::vector<Place>& map) {
  std::map<std::int32_t, std::int32_t> held;  // tasks by file
  for (const Place& place : map) ++held[place.file];
  std::vector<comm::Message> answers;
  for (const comm::Message& message : asked) {
    comm::Message& answer = answers.emplace_back(comm::Message{message.rank, {}});
    for (const std::int64_t rank : comm::take_all<std::int64_t>(message.bytes)) {
      const Place& place = map[static_cast<std::size_t>(rank)];
      comm::append(answer.bytes, Promise{place, held[place.file]});
    }
  }
  return answers;
}

// Collective. What process 0 has in the map; nothing where there is one file.
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
std::vector<Promise> promises_of(const std::string& path, const std::vector<std::int64_t>& ranks,
                                 const std::vector<comm::Message>& answers, std::int32_t files) {
  std::vector<Promise> promises;
  if (files == 1) {
    for (const std::int64_t rank : ranks) promises.push_back({{0, static_cast<std::int32_t>(rank)}, 0});
  }
  for (const comm::Message& answer : answers) promises = comm::take_all<Promise>(answer.bytes);
  for (const auto& [place, tasks] : promises) {
    if (place.file >= 0 && place.file < files && place.task >= 0) continue;
    refuse(Code::malformed, path,
           fmt::format("its map names task {} of file {} of {}; it is damaged", place.task, place.file, files));
  }
  return promises;
}

Facts facts_of(const std::string& path, const Extent& extent) {
  Facts facts;
  facts.path = path;
  facts.files = extent.files;
  facts.tasks_of_set = extent.tasks;
  facts.block_size = extent.block_size;
  facts.key_values = extent.key_values;
  facts.metadata_order = extent.metadata_order;
  facts.data_order = extent.data_order;
  return facts;
}

}  // namespace

std::unique_ptr<MappedFile> MappedFile::open(std::shared_ptr<comm::Comm> all, const Opening& request,
                                             std::optional<std::vector<std::int64_t>> ranks) {
  comm::require_same(*all, [&] {
    require_path(request.path);
    return stated_request(request.path, request.mode, 0, 0);
  });
  std::vector<Place> map;
  Extent extent;
  comm::agree_at_root(*all, [&] {
    const Metadata first = multifile::read_metadata(*request.opener.transport, path_of(request.names, request.path, 0));
    if (first.head.files > 1) map = map_of(first);
    extent = {map.empty() ? first.head.tasks : static_cast<std::int64_t>(map.size()),
              first.head.files,
              first.head.block_size,
              first.head.key_value_mode(),
              first.head.metadata_order,
              first.head.data_order};
  });
  all->broadcast(std::as_writable_bytes(std::span(&extent, 1)), 0);
  comm::agree(*all, [&] {
    if (!ranks) ranks = dealt_ranks(extent.tasks, all->rank(), all->size());
    for (const std::int64_t rank : *ranks) {
      if (rank >= 0 && rank < extent.tasks) continue;
      refuse(Code::invalid_argument, request.path,
             fmt::format("task {} does not exist; it has tasks 0 to {}", rank, extent.tasks - 1));
    }
  });
  const auto answers = ask_for_places(*all, *ranks, map, extent.files);
  std::unique_ptr<MappedFile> file;
  std::vector<Place> places;
  const auto wanted = comm::exchange_messages(*all, [&] {
    file.reset(new MappedFile(facts_of(request.path, extent), all));
    const std::vector<Promise> promises = promises_of(request.path, *ranks, answers, extent.files);
    for (const Promise& promise : promises) places.push_back(promise.place);
    return file->sorted_by_keeper(promises, [](const Promise& promise) { return promise.place.file; });
  });
  const auto descriptions = comm::exchange_messages(*all, [&] { return file->describe(wanted, request); });
  comm::agree(*all, [&] {
    file->take_descriptions(descriptions);
    file->put_in_order(places);
    for (std::size_t i = 0; i < places.size(); ++i) {
      Task& task = file->tasks_[i];
      if (extent.files == 1) task.rank = (*ranks)[i];  // by its number, as in a parallel open
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
    for (const auto& [place, tasks] : comm::take_all<Promise>(message.bytes)) {
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
