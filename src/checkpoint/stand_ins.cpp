// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "checkpoint/stand_ins.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "format/sion/geometry.hpp"

namespace lq::checkpoint {
namespace {

namespace sion = format::sion;

constexpr std::int32_t most_tried = 1 << 12;  // names, until one of a file that is there is found

bool is_there(transport::Transport& transport, const std::string& name) {
  return transport.kind(name) == transport::PathKind::file;
}

}  // namespace

StandIns::StandIns(transport::Transport& transport, sion::NameRule names)
    : transport_(transport), names_(std::move(names)) {
  look_for_files();
  if (missing_.empty()) return;
  if (missing_.contains(0)) {
    find_tasks_by_rank();
  } else {
    find_tasks_by_map(*transport_.open_read(names_(0)));
  }
  for (auto& [file, bytes] : missing_) {
    if (ranks_[static_cast<std::size_t>(file)].empty()) {
      throw Error(Code::not_found,
                  fmt::format("{}: the file is missing, and which tasks it had cannot be told from the files that are "
                              "there; bring it, or one of the other missing files",
                              names_(file)),
                  {.path = names_(file)});
    }
    bytes = bytes_of(file);
  }
}

void StandIns::look_for_files() {
  std::int32_t known = 0;
  while (known < most_tried && !is_there(transport_, names_(known))) ++known;
  first_ = names_(known < most_tried ? known : 0);
  head_ = sion::read_head(*transport_.open_read(first_));
  ranks_.resize(static_cast<std::size_t>(std::max(head_.files, 1)));
  for (std::int32_t file = 0; file < head_.files; ++file) {
    if (is_there(transport_, names_(file))) {
      ranks_[static_cast<std::size_t>(file)] = sion::read_head(*transport_.open_read(names_(file))).ranks;
    } else {
      missing_.emplace(file, std::vector<std::byte>());
    }
  }
}

// The map of file 0 has the tasks of the set in the order of their ranks.
void StandIns::find_tasks_by_map(base::ByteSource& file) {
  const sion::Head head = sion::read_head(file);
  const sion::Tail tail = sion::read_tail(file, head, sion::Geometry(head, file.path()));
  if (!tail.map) return;
  for (std::size_t rank = 0; rank < tail.map->size(); ++rank) {
    const sion::Place place = (*tail.map)[rank];
    if (!missing_.contains(place.file)) continue;
    std::vector<std::int64_t>& ranks = ranks_[static_cast<std::size_t>(place.file)];
    if (place.task != static_cast<std::int32_t>(ranks.size())) return ranks.clear();
    ranks.push_back(static_cast<std::int64_t>(rank));
  }
}

// Ranks that no file has are those of the one that is missing.
void StandIns::find_tasks_by_rank() {
  if (missing_.size() > 1) return;
  std::vector<std::int64_t> ranks;
  for (const auto& of_file : ranks_) ranks.insert(ranks.end(), of_file.begin(), of_file.end());
  std::ranges::sort(ranks);
  std::int64_t next = 0;
  for (const std::int64_t rank : ranks) {
    for (; next < rank && rank - next <= std::int64_t{1} << 24; ++next) ranks_.front().push_back(next);
    next = rank + 1;
  }
}

std::unique_ptr<base::ByteSource> StandIns::open(const std::string& name) const {
  for (const auto& [file, bytes] : missing_) {
    if (names_(file) == name) return std::make_unique<base::MemorySource>(bytes, name);
  }
  return transport_.open_read(name);
}

// Chunks have no width.
std::vector<std::byte> StandIns::bytes_of(std::int32_t file) const {
  const std::vector<std::int64_t>& ranks = ranks_[static_cast<std::size_t>(file)];
  sion::Head head;
  static_cast<sion::FixedHead&>(head) = head_;
  head.tasks = static_cast<std::int32_t>(ranks.size());
  head.file_number = file;
  head.ranks = ranks;
  head.widths.assign(ranks.size(), 0);
  head.max_chunks = 1;
  head.tail_offset = static_cast<std::int64_t>(sion::Geometry(head, names_(file)).tail_offset(1));
  std::vector<std::byte> bytes = sion::encode(head);
  bytes.resize(static_cast<std::size_t>(head.tail_offset));
  sion::Tail tail{sion::ChunkTable(std::vector<std::uint64_t>(ranks.size(), 1)), {}};
  if (file == 0) {
    tail.map.emplace();
    for (std::size_t k = 0; k < ranks_.size(); ++k) {
      for (std::size_t task = 0; task < ranks_[k].size(); ++task) {
        const auto rank = static_cast<std::size_t>(ranks_[k][task]);
        if (tail.map->size() <= rank) tail.map->resize(rank + 1);
        (*tail.map)[rank] = {static_cast<std::int32_t>(k), static_cast<std::int32_t>(task)};
      }
    }
  }
  sion::encode(tail, head.metadata_order,
               [&](base::Bytes part) { bytes.insert(bytes.end(), part.begin(), part.end()); });
  return bytes;
}

}  // namespace lq::checkpoint
