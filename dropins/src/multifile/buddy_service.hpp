// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Reading a multifile of which files may be missing, or be seen by some tasks only: the first task of each group looks
// for files of the main set and of its copies; of each file the best one found is served to those whose data are in it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "multifile/parallel_file.hpp"

namespace lq::multifile {

class BuddyService {
 public:
  BuddyService(std::shared_ptr<comm::Comm> all, const Opening& request) : all_(std::move(all)), request_(request) {}
  // Local. Has the memory for find_servers(), and says what must be the same everywhere; `location`: of the caller in
  // its group.
  std::vector<comm::Stated> prepare(const TaskLocation& location);
  // Collective over `all`. not_found: a file that nobody can read.
  void find_servers(const TaskLocation& location);

  // What this task reads, described by whoever serves it.
  struct Share {
    TaskLocation location;
    std::string path;
    std::vector<std::byte> task;  // its description
  };
  // Collective.
  Share find_share();
  // Collective. `offset` is one in the physical file of this task's share.
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

// A channel for data that somebody else reads: plain reads are refused.
std::unique_ptr<Channel> make_remote_channel(std::string path);

}  // namespace lq::multifile
