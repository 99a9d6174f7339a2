// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Opens a multifile for reading: the first task of all reads the map of the set, the first task of each physical file
// its metadata; every task receives its part.
#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/error.hpp"
#include "comm/agree.hpp"
#include "comm/tree.hpp"
#include "format/sion/geometry.hpp"
#include "multifile/buddy_copies.hpp"
#include "multifile/parallel_file.hpp"

namespace lq::multifile {
namespace {

using format::sion::Place;
using multifile::Metadata;

void require_tasks(const std::string& path, std::size_t written, int reading) {
  if (written == static_cast<std::size_t>(reading)) return;
  refuse(Code::invalid_argument, path,
         fmt::format(
             "was written by {} tasks and is opened by {}; use the same number of tasks, or a mapped or serial open",
             written, reading),
         fmt::format("{} tasks", written), fmt::format("{} tasks", reading));
}

// On the first task of all: the location of each task.
struct TaskMap {
  std::vector<Place> map;               // of several files
  std::vector<std::int32_t> held = {};  // tasks of each file
  std::int32_t files = 1;
  std::int32_t tasks = 0;
  TaskLocation location_of(std::int32_t task) const {
    if (map.empty()) return {0, 1, task, tasks, true};
    const Place& place = map[static_cast<std::size_t>(task)];
    return {place.file, files, place.task, held[static_cast<std::size_t>(place.file)], false};
  }
};

TaskMap seating_of(Metadata first, int tasks) {
  const std::string& path = first.path;
  const std::int32_t files = first.head.files;
  if (!first.tail.map) {
    require_tasks(path, static_cast<std::size_t>(first.head.tasks), tasks);
    return {{}, {}, 1, tasks};
  }
  first.tail.table = {};
  std::vector<Place>& map = *first.tail.map;
  require_tasks(path, map.size(), tasks);
  std::vector<std::int32_t> held(static_cast<std::size_t>(std::min(files, tasks)));
  for (const Place& place : map) {
    if (place.file < 0 || static_cast<std::size_t>(place.file) >= held.size()) {
      refuse(Code::malformed, path, fmt::format("its map names file {} of {}; it is damaged", place.file, files),
             fmt::format("0 to {}", files - 1), fmt::format("{}", place.file));
    }
    ++held[static_cast<std::size_t>(place.file)];
  }
  std::vector<Place> sorted = map;
  std::ranges::sort(sorted, {}, [](const Place& place) { return std::pair(place.file, place.task); });
  for (std::size_t i = 0; i < map.size(); ++i) {
    const std::int32_t tasks_there = held[static_cast<std::size_t>(sorted[i].file)];
    const bool is_next =
        i > 0 && sorted[i].file == sorted[i - 1].file ? sorted[i].task == sorted[i - 1].task + 1 : sorted[i].task == 0;
    if (!is_next || sorted[i].task >= tasks_there) {
      refuse(
          Code::malformed, path,
          fmt::format("its map is not one-to-one at task {} of file {}; it is damaged", sorted[i].task, sorted[i].file),
          {}, {});
    }
  }
  return {std::move(map), std::move(held), files, tasks};
}

Facts facts_of(const Opening& request, const TaskLocation& location, int tasks) {
  Facts facts;
  facts.path = request.path;
  facts.files = location.files;
  facts.file_number = location.file;
  facts.tasks_of_set = tasks;
  return facts;
}

// Checks that the file is the one in the map.
void require_member(const Metadata& metadata, const TaskLocation& location) {
  const format::sion::Head& head = metadata.head;
  const bool belongs = head.tasks == location.tasks && head.files == location.files &&
                       (location.files == 1 || head.file_number == location.file);
  if (belongs) return;
  refuse(Code::malformed, metadata.path,
         fmt::format("is file {} of {} with {} tasks, where file {} of {} with {} tasks should be; put the right file "
                     "there",
                     head.file_number, head.files, head.tasks, location.file, location.files, location.tasks),
         fmt::format("file {} of {}, {} tasks", location.file, location.files, location.tasks),
         fmt::format("file {} of {}, {} tasks", head.file_number, head.files, head.tasks));
}

}  // namespace

std::unique_ptr<ParallelFile> ParallelFile::open(std::shared_ptr<Team> team, const Opening& request, Last last) {
  comm::Comm& all = team->all();
  comm::require_same(all, [&] {
    require_path(request.path);
    return stated_request(request.path, request.mode, 0, 0);
  });
  auto file = comm::agree(all, [&] {
    std::optional<TaskMap> seating;  // on rank 0
    const auto location_of = [&](int rank) {
      if (!seating) {
        const std::string path = path_of(request.names, request.path, 0);
        seating.emplace(seating_of(multifile::read_metadata(*request.opener.transport, path), all.size()));
      }
      return comm::to_bytes(seating->location_of(rank));
    };
    const std::vector<std::byte> answer = all.scatter_parts(location_of, 0);
    if (answer.empty()) return std::unique_ptr<ParallelFile>();  // rank 0 reports the reason
    const auto location = comm::from_bytes<TaskLocation>(answer);
    auto made =
        std::unique_ptr<ParallelFile>(new ParallelFile(facts_of(request, location, all.size()), team, location));
    made->asked_for_ = request.mode.collectors;
    made->physical_path_ = path_of(request.names, request.path, location.file);
    return made;
  });
  const TaskLocation& location = file->location_;
  file->group_ = team->form(location, file->asked_for_.on);
  comm::agree(all, [&] {
    const std::vector<std::byte> answer = file->ask_where(request);
    if (answer.empty()) return;  // the first task reports the reason
    file->take_answer(answer);
    const std::int64_t rank = file->selected().rank;
    if (location.files > 1 && rank != all.rank()) {
      refuse(Code::malformed, file->physical_path_,
             fmt::format("task {} has global rank {}, the map of the set says {}; the files are of different sets",
                         location.task, rank, all.rank()),
             fmt::format("{}", all.rank()), fmt::format("{}", rank));
    }
    file->open_data(request.opener.with(request.mode));
    last(*file);
  });
  return file;
}

// Collective over the tasks of the file. The message from its first task to this one, for take_answer(); empty if
// the first task fails.
std::vector<std::byte> ParallelFile::ask_where(const Opening& request) {
  comm::Comm& comm = *group_.comm;
  std::exception_ptr failure;
  std::vector<std::uint8_t> only_sends;
  base::keep_failure(failure, [&] {
    if (!asked_for_.on) return;
    const std::uint8_t mine = team_->may_collect() ? 0 : 1;
    comm::gather_records(comm, std::span(&mine, 1), 0, [&](std::uint8_t one) { only_sends.push_back(one); });
  });
  std::optional<Layout> layout;  // on the first task
  const auto answer_to = [&](int task) {
    if (failure) std::rethrow_exception(failure);
    if (!layout) layout.emplace(read_physical(request, only_sends));
    return layout->answer_to(location_.file, task);
  };
  std::vector<std::byte> answer = comm.scatter_parts(answer_to, 0);
  if (failure) std::rethrow_exception(failure);
  return answer;
}

ParallelFile::Layout ParallelFile::read_physical(const Opening& request, const std::vector<std::uint8_t>& only_sends) {
  Metadata metadata = multifile::read_metadata(*request.opener.transport, physical_path_);
  require_member(metadata, location_);
  const format::sion::Head& head = metadata.head;
  Layout layout;
  layout.head = head;
  layout.collecting.is_on = group_.exchange ? 1 : 0;
  if (layout.collecting.is_on != 0) {
    std::vector<std::int64_t> widths;
    for (std::int32_t task = 0; task < head.tasks; ++task) {
      widths.push_back(static_cast<std::int64_t>(metadata.geometry.width(task)));
    }
    layout.groups =
        format::sion::collector_groups(widths, head.block_size, asked_for_.tasks_each_of(head.tasks), only_sends);
  }
  layout.geometry = std::move(metadata.geometry);
  layout.ranks = std::move(metadata.head.ranks);
  layout.used = std::move(metadata.tail.table);
  return layout;
}

std::unique_ptr<ParallelFile> ParallelFile::open_with_buddies(std::shared_ptr<Team> team, const Opening& request,
                                                              const TaskLocation& location, Last last) {
  const std::shared_ptr<comm::Comm> all(team, &team->all());
  std::unique_ptr<BuddyService> service;
  comm::require_same(*all, [&] {
    service = std::make_unique<BuddyService>(all, request);
    return service->prepare(location);
  });
  service->find_servers(location);
  const BuddyService::Share share = service->find_share();
  std::uint64_t sees_its_file = 1;
  auto file = comm::agree(*all, [&] {
    auto made = std::unique_ptr<ParallelFile>(
        new ParallelFile(facts_of(request, share.location, all->size()), team, share.location));
    made->physical_path_ = share.path;
    made->group_.comm = all;
    base::Bytes task = share.task;
    made->add_task(task);
    try {
      made->open_data(request.opener.with(request.mode));
    } catch (const Error&) {
      made->channels_.push_back(make_remote_channel(share.path));
      sees_its_file = 0;
    }
    last(*made);
    return made;
  });
  all->all_reduce(std::span(&sees_its_file, 1), comm::Reduce::min);
  if (sees_its_file == 1) return file;
  file->collects_ = true;
  file->service_ = std::move(service);
  return file;
}

}  // namespace lq::multifile
