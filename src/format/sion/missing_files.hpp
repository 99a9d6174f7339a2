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
#include "format/sion/set.hpp"
#include "format/sion/tail.hpp"

namespace lq::format::sion {

class MissingFiles {
 public:
  // not_found: of no file of the set anything is there, or which tasks the missing ones had cannot be told.
  MissingFiles(Open open_file, NameRule names);

  // Of a file that is there.
  const std::string& first() const noexcept { return first_; }
  bool is_missing(std::int32_t file) const { return missing_.contains(file); }
  // Global ranks of the tasks of a file.
  const std::vector<std::int64_t>& ranks(std::int32_t file) const { return ranks_[static_cast<std::size_t>(file)]; }
  std::size_t count() const noexcept { return missing_.size(); }
  // The file of that name, or what stands for it.
  std::unique_ptr<base::ByteSource> open(const std::string& name) const;

 private:
  std::unique_ptr<base::ByteSource> open_if_there(std::int32_t file) const;
  void look_for_files();
  static std::map<std::int32_t, std::vector<std::int64_t>> tasks_in_map(base::ByteSource& file, const Head& head);
  void find_tasks_by_rank();
  [[noreturn]] void throw_unknown(std::int32_t file) const;
  std::vector<std::byte> bytes_of(std::int32_t file) const;

  Open open_file_;
  NameRule names_;
  std::string first_;
  FixedHead head_;
  std::vector<std::vector<std::int64_t>> ranks_;  // of the tasks of each file
  std::map<std::int32_t, std::vector<std::byte>> missing_;
};

}  // namespace lq::format::sion
