// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// See source_set.hpp.
#include "repack/source_set.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "format/sion/names.hpp"
#include "repack/task_reader.hpp"

namespace lq::repack {

namespace sion = format::sion;

sion::Set open_set(transport::Transport& transport, const std::string& path, const RepackOptions& options,
                   bool tolerates_damage) {
  sion::SetOptions how;
  how.bounds.tasks = std::max(how.bounds.tasks, options.limits.records);
  how.tolerates_damage = tolerates_damage;
  return sion::Set::open(
      path, [&](const std::string& name) { return transport.open_read(name); }, how);
}

OpenTask streams_of(transport::Transport& transport, const sion::Set& set) {
  struct Opened {
    std::size_t number = 0;
    std::unique_ptr<base::ByteSource> source;
  };
  return [&transport, &set, opened = std::make_shared<Opened>()](std::size_t file, std::int32_t task) -> ReadTask {
    const sion::PhysicalFile& physical = set.files()[file];
    if (!opened->source || opened->number != file) {
      opened->source = transport.open_read(physical.path);
      opened->number = file;
    }
    const auto reader = std::make_shared<TaskReader>(physical, task, *opened->source);
    return [reader](base::MutableBytes buffer) { reader->read(buffer); };
  };
}

std::vector<FilePlan> same_files(const sion::Set& set, const std::string& to) {
  std::vector<FilePlan> plans;
  for (std::size_t k = 0; k < set.files().size(); ++k) {
    const sion::PhysicalFile& file = set.files()[k];
    FilePlan plan;
    plan.path = sion::file_name(to, static_cast<std::int32_t>(k));
    static_cast<sion::FixedHead&>(plan.head) = file.head;
    plan.head.metadata_order = sion::host_order;
    plan.head.prefix = to;
    plan.head.set_key_value_mode(file.head.key_value_mode());
    plan.head.ranks = file.ranks;
    for (std::int32_t task = 0; task < file.geometry.tasks(); ++task) {
      plan.head.widths.push_back(static_cast<std::int64_t>(file.geometry.width(task)));
    }
    plan.table = file.table;
    if (set.files().size() > 1 && k == 0) {
      plan.map.emplace();
      for (std::int32_t task = 0; task < set.tasks(); ++task) plan.map->push_back(set.place(task));
    }
    plans.push_back(std::move(plan));
  }
  return plans;
}

void require_other_files(const sion::Set& set, const std::vector<FilePlan>& plans) {
  for (const FilePlan& plan : plans) {
    const auto same = [&](const sion::PhysicalFile& file) { return file.path == plan.path; };
    if (std::ranges::none_of(set.files(), same)) continue;
    throw Error(Code::invalid_argument,
                fmt::format("{}: a file cannot be read and replaced at once; choose another name", plan.path),
                {.path = plan.path});
  }
}

}  // namespace lq::repack
