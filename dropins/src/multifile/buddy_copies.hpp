// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Copies of a multifile being written: the data of the tasks of physical file n are written a second time, at level d
// by the first task of group n - d, into file n of the set NAME_BUDDY_xx (formats/sion.md 7). In it that group's own
// tasks come first, as placeholders without data.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "multifile/parallel_file.hpp"

namespace lq::multifile {

class BuddyCopies {
 public:
  // Local. A group for each of several physical files.
  BuddyCopies(std::shared_ptr<Team> team, std::shared_ptr<comm::Comm> group, const Creation& request,
              std::int32_t block_size);
  // Collective over the team. Throws the same on all.
  void create(const Creation& request);

  // Collective over the neighbouring groups. An error on the task that keeps a copy is reported at close, for all.
  void write(base::Bytes bytes);
  // Collective over `all`.
  void close();

  // By level: the file with the copy of this task's data, the number of their bytes, and the file that this task's
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
    std::unique_ptr<BuddyExchange> exchange = {};
    // On the first task of a group:
    std::vector<Client> clients = {};
    std::int32_t file = 0;  // the file that is kept
    std::unique_ptr<multifile::MetadataWriter> metadata = {};
    std::unique_ptr<Channel> channel = {};
  };

  bool is_first() const noexcept { return group_->rank() == 0; }
  void find_neighbours();
  void create_level(Level& level, std::int32_t number, const std::vector<Client>& own, const Creation& request);
  std::vector<comm::Message> make_layout(Level& level, std::int32_t number, const std::vector<Client>& own,
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

// Reads a multifile some of whose files are missing, or visible to some tasks only: the first task of each group
// searches for files of the main set and of its copies; the best one found of each file is served to the tasks with
class BuddyService {
 public:
  BuddyService(std::shared_ptr<comm::Comm> all, const Opening& request) : all_(std::move(all)), request_(request) {}
  // Local. Allocates the memory for find_servers(), and returns the values that must be the same; `location`: of the
  // caller in its group.
  std::vector<comm::StatedArgument> prepare(const TaskLocation& location);
  // Collective over `all`. not_found: a file that no task can read.
  void find_servers(const TaskLocation& location);

  // The data of this task, described by the server.
  struct Share {
    TaskLocation location;
    std::string path;
    std::vector<std::byte> task;  // its description
  };
  // Collective.
  Share find_share();
  // Collective. `offset`: in the physical file of this task's share.
  void read(std::uint64_t offset, base::MutableBytes buffer);

 private:
  struct Server {  // of a physical file
    std::int32_t rank = -1;
    std::int32_t level = -1;  // -1: the main set
  };
  struct Wanted {
    std::int64_t offset = 0, bytes = 0;
    std::int32_t file = 0;
    std::int32_t unused = 0;
  };

  std::string path_of(std::int32_t level, std::int32_t file) const;
  std::vector<std::byte> describe_copies(const TaskLocation& location) const;
  void choose_servers(const std::vector<std::vector<std::byte>>& found);
  std::vector<comm::Message> describe();
  void read_round(std::uint64_t offset, base::MutableBytes buffer);

  std::shared_ptr<comm::Comm> all_;
  const Opening request_;
  std::vector<Server> servers_;                              // by file
  std::map<std::int32_t, std::unique_ptr<Channel>> served_;  // by file, those of this task
  std::int32_t file_ = 0;                                    // of this task's share
};

// A channel for data that another task reads: plain reads are refused.
std::unique_ptr<Channel> make_remote_channel(std::string path);

}  // namespace lq::multifile
