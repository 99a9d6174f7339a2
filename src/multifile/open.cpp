// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Opening a multifile for reading: the first task of all reads the map of the set, the first task of each physical file
// its metadata; everybody gets what is his.
#include <algorithm>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "comm/agree.hpp"
#include "format/sion/widths.hpp"
#include "multifile/agreement.hpp"
#include "multifile/block_size.hpp"
#include "multifile/buddy_copies.hpp"
#include "multifile/buddy_service.hpp"
#include "multifile/metadata.hpp"
#include "multifile/parallel_file.hpp"
#include "multifile/parallel_wire.hpp"
#include "multifile/wire.hpp"

namespace lq::multifile {
namespace {

using format::sion::Place;

[[noreturn]] void refuse(Code code, const std::string& path, const std::string& sentence, std::string expected,
                         std::string found) {
  ErrorFacts facts;
  facts.path = path;
  facts.expected = std::move(expected);
  facts.found = std::move(found);
  throw Error(code, fmt::format("{}: {}", path, sentence), facts);
}

void require_tasks(const std::string& path, std::size_t written, int reading) {
  if (written == static_cast<std::size_t>(reading)) return;
  refuse(Code::invalid_argument, path,
         fmt::format("was written by {} tasks and is opened by {}; read it with as many, or with a mapped or serial "
                     "open",
                     written, reading),
         fmt::format("{} tasks", written), fmt::format("{} tasks", reading));
}

// On the first task of all: where each task sits.
std::vector<Seat> seats_of(const Metadata& first, int tasks) {
  const std::string& path = first.path;
  const std::int32_t files = first.head.files;
  if (!first.tail.map) {
    require_tasks(path, static_cast<std::size_t>(first.head.tasks), tasks);
    std::vector<Seat> seats;
    for (std::int32_t task = 0; task < tasks; ++task) seats.push_back({0, 1, task, tasks, true});
    return seats;
  }
  const std::vector<Place>& map = *first.tail.map;
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
  std::vector<Seat> seats;
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
  for (const Place& place : map) {
    seats.push_back({place.file, files, place.task, held[static_cast<std::size_t>(place.file)], false});
  }
  return seats;
}

// The file that the map promised.
void require_member(const Metadata& metadata, const Seat& seat) {
  const format::sion::Head& head = metadata.head;
  const bool belongs =
      head.tasks == seat.tasks && head.files == seat.files && (seat.files == 1 || head.file_number == seat.file);
  if (belongs) return;
  refuse(Code::malformed, metadata.path,
         fmt::format("is file {} of {} with {} tasks, where file {} of {} with {} tasks should be; put the right file "
                     "there",
                     head.file_number, head.files, head.tasks, seat.file, seat.files, seat.tasks),
         fmt::format("file {} of {}, {} tasks", seat.file, seat.files, seat.tasks),
         fmt::format("file {} of {}, {} tasks", head.file_number, head.files, head.tasks));
}

}  // namespace

std::unique_ptr<ParallelFile> ParallelFile::open(std::shared_ptr<Team> team, const Opening& request) {
  comm::Comm& all = team->all();
  comm::agree(all, stated_request(request.path, request.mode, 0, 0), [&] { require_path(request.path); });
  const std::vector<Seat> seats = comm::agree(all, [&] {
    if (all.rank() != 0) return std::vector<Seat>();
    const std::string path = request.names ? request.names(0) : request.path;
    return seats_of(read_metadata(*request.opener.transport, path), all.size());
  });
  std::vector<std::vector<std::byte>> parts;
  for (const Seat& seat : seats) parts.push_back(to_bytes(seat));
  const auto seat = from_bytes<Seat>(all.scatter(parts, 0));

  Facts facts;
  facts.path = request.path;
  facts.files = seat.files;
  facts.file_number = seat.file;
  facts.tasks_of_set = all.size();
  auto file = std::unique_ptr<ParallelFile>(new ParallelFile(facts, team, seat));
  file->wish_ = request.mode.collectors;
  file->physical_path_ = request.names ? request.names(seat.file) : format::sion::file_name(request.path, seat.file);
  file->group_ = comm::agree(all, [&] { return team->form(seat); });
  std::vector<std::vector<std::byte>> abilities;
  if (file->wish_.on) abilities = file->group_.comm->gather(to_bytes(team->may_collect()), 0);
  const auto answers = comm::agree(all, [&] { return file->read_physical(request, abilities); });
  file->take_answer(file->group_.comm->scatter(answers, 0));
  Opener opener = request.opener;
  opener.access = request.mode.access;
  comm::agree(all, [&] {
    const std::int64_t rank = file->selected().rank;
    if (seat.files > 1 && rank != all.rank()) {
      refuse(Code::malformed, file->physical_path_,
             fmt::format("task {} has global rank {}, the map of the set says {}; the files are of different sets",
                         seat.task, rank, all.rank()),
             fmt::format("{}", all.rank()), fmt::format("{}", rank));
    }
    file->open_data(opener);
  });
  return file;
}

std::vector<std::vector<std::byte>> ParallelFile::read_physical(const Opening& request,
                                                                const std::vector<std::vector<std::byte>>& abilities) {
  if (!is_first()) return {};
  const Metadata metadata = read_metadata(*request.opener.transport, physical_path_);
  require_member(metadata, seat_);
  const format::sion::Head& head = metadata.head;
  Answer answer;
  answer.block_size = head.block_size;
  answer.key_values = static_cast<std::int32_t>(head.key_value_mode());
  answer.metadata_is_big = head.metadata_order == ByteOrder::big;
  answer.data_is_big = head.data_order == ByteOrder::big;
  std::vector<std::int64_t> widths;
  for (std::int32_t task = 0; task < head.tasks; ++task) {
    widths.push_back(static_cast<std::int64_t>(metadata.geometry.width(task)));
  }
  std::vector<std::int32_t> groups;
  if (wish_.on && group_.courier) {
    std::vector<std::uint8_t> only_sends;
    for (const auto& may_collect : abilities) only_sends.push_back(from_bytes<bool>(may_collect) ? 0 : 1);
    groups = format::sion::collector_groups(widths, head.block_size, wish_.tasks_each_of(head.tasks), only_sends);
    answer.collects = 1;
  }
  std::vector<std::vector<std::byte>> answers;
  for (std::int32_t task = 0; task < head.tasks; ++task) {
    answer.place = {metadata.geometry.start(task), metadata.geometry.width(task), metadata.geometry.skip()};
    answer.rank = head.ranks[static_cast<std::size_t>(task)];
    answer.collectors = group_of(groups, task, head.tasks, head.block_size, false);
    answers.push_back(to_bytes(answer));
    append_all(answers.back(), metadata.tail.table.used(task));
  }
  return answers;
}

std::unique_ptr<ParallelFile> ParallelFile::open_with_buddies(std::shared_ptr<Team> team, const Opening& request,
                                                              const Seat& seat) {
  const std::shared_ptr<comm::Comm> all(team, &team->all());
  auto service = std::make_unique<BuddyService>(all, request, seat);
  BuddyService::Share share = service->find_share();
  auto file = std::unique_ptr<ParallelFile>(new ParallelFile(share.facts, team, share.seat));
  file->physical_path_ = share.path;
  file->group_.comm = all;
  file->tasks_.push_back(std::move(share.task));
  Opener opener = request.opener;
  opener.access = request.mode.access;
  std::uint64_t sees_its_file = 1;
  try {
    file->open_data(opener);
  } catch (const Error&) {
    file->channels_.push_back(make_remote_channel(share.path));
    sees_its_file = 0;
  }
  all->all_reduce(std::span(&sees_its_file, 1), comm::Reduce::min);
  if (sees_its_file == 1) return file;
  file->collects_ = true;
  file->service_ = std::move(service);
  return file;
}

}  // namespace lq::multifile
