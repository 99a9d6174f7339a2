// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A set of which physical files are lost for good. For each of them stands one in memory that has its tasks and no byte
// of them, so that the streams of the others are had in the usual way. Local.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/byte_source.hpp"
#include "format/sion/head.hpp"
#include "format/sion/names.hpp"
#include "format/sion/tail.hpp"
#include "transport/transport.hpp"

namespace lq::checkpoint {

class StandIns {
 public:
  // not_found: of no file of the set anything is there, or which tasks the missing ones had cannot be told.
  StandIns(transport::Transport& transport, format::sion::NameRule names);

  // Of a file that is there.
  const std::string& first() const noexcept { return first_; }
  bool is_missing(std::int32_t file) const { return missing_.contains(file); }
  std::size_t count() const noexcept { return missing_.size(); }
  // The file of that name, or what stands for it.
  std::unique_ptr<base::ByteSource> open(const std::string& name) const;

 private:
  void look_for_files();
  void find_tasks_by_map(base::ByteSource& file);
  void find_tasks_by_rank();
  std::vector<std::byte> bytes_of(std::int32_t file) const;

  transport::Transport& transport_;
  format::sion::NameRule names_;
  std::string first_;
  format::sion::FixedHead head_;
  std::vector<std::vector<std::int64_t>> ranks_;  // of the tasks of each file
  std::map<std::int32_t, std::vector<std::byte>> missing_;
};

}  // namespace lq::checkpoint
