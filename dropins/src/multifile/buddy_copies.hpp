// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Copies of a multifile that is written: the data of the tasks of physical file n are written a second time, at level d
// by the first task of group n - d, into file n of the set NAME_BUDDY_xx (formats/sion.md 7). In it that group's own
// tasks come first, as placeholders without data.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "multifile/parallel_file.hpp"

namespace lq::multifile {

class BuddyCopies {
 public:
  // Local. A group for each physical file, of which there are several.
  BuddyCopies(std::shared_ptr<Team> team, std::shared_ptr<comm::Comm> group, const Creation& request,
              std::int32_t block_size);
  // Collective over the team. Throws the same on all.
  void create(const Creation& request);

  // Collective over the neighbouring groups. What fails on the task that keeps a copy fails at close, for all.
  void write(base::Bytes bytes);
  // Collective over `all`.
  void close();

  // By level: the file that has the copy of this task's data, how many bytes of them, and the file that this task's
  // group keeps.
  struct Copy {
    std::string path;
    std::uint64_t bytes = 0;
    std::string kept_path;
  };
  std::vector<Copy> copies() const;
  bool keeps() const noexcept { return is_first(); }

 private:
  struct Client {  // a task whose data are kept here
    std::int64_t chunk_bytes = 0;
    std::int64_t rank = 0;
    std::int64_t place = 0;  // rank in `all`
  };
  struct Level {
    LogicalFile stream;  // of this task in the copy
    format::sion::Place place = {};
    BuddyNeighbours neighbours = {};
    std::unique_ptr<Relay> relay = {};
    // On the first task of a group:
    std::vector<Client> clients = {};
    std::int32_t file = 0;  // that is kept
    std::unique_ptr<multifile::MetadataWriter> metadata = {};
    std::unique_ptr<Channel> channel = {};
  };

  bool is_first() const noexcept { return group_->rank() == 0; }
  void find_neighbours();
  void create_level(Level& level, std::int32_t number, const std::vector<Client>& own, const Creation& request);
  std::vector<comm::Message> lay_out(Level& level, std::int32_t number, const std::vector<Client>& own,
                                     const std::vector<comm::Message>& arrived, const Creation& request);
  void close_level(Level& level);
  void write_tables(Level& level, const std::vector<comm::Message>& arrived,
                    const std::vector<std::vector<std::byte>>& places);

  std::shared_ptr<Team> team_;
  std::shared_ptr<comm::Comm> all_;
  std::shared_ptr<comm::Comm> group_;
  TaskLocation location_;
  std::string path_;
  format::sion::SetRule names_;
  std::int32_t block_size_;
  std::vector<Level> levels_;
  std::exception_ptr failure_;
};

}  // namespace lq::multifile
