// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// See source_set.hpp.
#include "repack/source_set.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "checkpoint/open_set.hpp"
#include "format/sion/names.hpp"
#include "repack/task_reader.hpp"

namespace lq::repack {

namespace sion = format::sion;

namespace {

sion::Set open_set(transport::Transport& transport, const std::string& path, const RepackOptions& options,
                   bool tolerates_damage) {
  sion::SetOptions how;
  how.bounds.tasks = std::max(how.bounds.tasks, options.limits.records);
  how.tolerates_damage = tolerates_damage;
  return sion::Set::open(
      path, [&](const std::string& name) { return transport.open_read(name); }, how);
}

// Full chunks, and the rest in the last.
sion::ChunkTable filled_table(const sion::PhysicalFile& file, const std::vector<std::uint64_t>& bytes) {
  std::vector<std::uint64_t> counts;
  std::uint64_t all = 0;
  for (std::int32_t task = 0; task < file.geometry.tasks(); ++task) {
    const std::uint64_t width = std::max<std::uint64_t>(1, file.geometry.width(task));
    const std::uint64_t size = bytes[static_cast<std::size_t>(task)];
    counts.push_back(std::max<std::uint64_t>(1, size / width + (size % width > 0 ? 1 : 0)));
    if (counts.back() > most_chunks || (all += counts.back()) > most_chunks) {
      throw Error(Code::too_large,
                  fmt::format("{}: decompressed, it takes more than {} chunks", file.path, most_chunks),
                  {.path = file.path});
    }
  }
  sion::ChunkTable table(counts);
  for (std::int32_t task = 0; task < table.tasks(); ++task) {
    std::uint64_t left = bytes[static_cast<std::size_t>(task)];
    for (std::int64_t& used : table.used(task)) {
      used = static_cast<std::int64_t>(std::min(left, file.geometry.width(task)));
      left -= static_cast<std::uint64_t>(used);
    }
  }
  return table;
}

// Of each file, which task of the set its local ones are.
std::vector<std::vector<std::int32_t>> numbers_of(const sion::Set& set) {
  std::vector<std::vector<std::int32_t>> numbers;
  for (const sion::PhysicalFile& file : set.files()) numbers.emplace_back(file.ranks.size());
  for (std::int32_t task = 0; task < set.tasks(); ++task) {
    const sion::Place place = set.place(task);
    numbers[static_cast<std::size_t>(place.file)][static_cast<std::size_t>(place.task)] = task;
  }
  return numbers;
}

}  // namespace

checkpoint::FoundSet open_whole_set(transport::Transport& transport, const std::string& path,
                                    const RepackOptions& options) {
  // Any file of the set leads to the first.
  const std::string first = open_set(transport, path, options, false).files().front().path;
  return checkpoint::find_set(transport, first);
}

sion::Set open_damaged_set(transport::Transport& transport, const std::string& path, const RepackOptions& options) {
  return open_set(transport, path, options, true);
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

OpenTask streams_of(transport::Transport& transport, const checkpoint::FoundSet& found, Checksums checksums) {
  if (!found.has_records()) return streams_of(transport, found.set);
  const auto files = std::make_shared<checkpoint::OpenFiles>(transport, found.info().files);
  const checkpoint::ReadSettings settings{.record = found.records.front(), .verify = checksums == Checksums::compared};
  return [&found, files, settings, numbers = numbers_of(found.set)](std::size_t file, std::int32_t task) -> ReadTask {
    const std::int32_t number = numbers[file][static_cast<std::size_t>(task)];
    const auto reader =
        std::make_shared<checkpoint::StreamReader>(files, checkpoint::entry_of(found, number), settings);
    const auto place = std::make_shared<std::uint64_t>(0);
    return [reader, place](base::MutableBytes buffer) { *place += reader->read_at(*place, buffer); };
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

std::vector<FilePlan> same_files(const checkpoint::FoundSet& found, const std::string& to) {
  std::vector<FilePlan> plans = same_files(found.set, to);
  if (found.compression() == Compression::none) return plans;
  for (std::size_t k = 0; k < plans.size(); ++k) plans[k].table = filled_table(found.set.files()[k], found.sizes[k]);
  return plans;
}

std::vector<Finding> lost_fields(const checkpoint::CopiedFields& fields) {
  std::vector<Finding> findings;
  for (const ChunkDamage& damage : fields.damage()) {
    findings.push_back({.severity = Severity::error,
                        .code = Code::checksum_mismatch,
                        .rule = "repack-lost-field",
                        .message = fmt::format("left out: {}", damage.what),
                        .record = damage.field});
    if (damage.offset == 0) continue;  // of the file as a whole
    findings.back().offset = damage.offset;
    findings.back().length = damage.bytes;
  }
  return findings;
}

bool is_same_file(const std::string& a, const std::string& b) {
  std::error_code none;  // a file that is not there is no other one
  return a == b || std::filesystem::equivalent(a, b, none);
}

namespace {

[[noreturn]] void throw_same_file(const std::string& path) {
  throw Error(Code::invalid_argument,
              fmt::format("{}: a file cannot be read and replaced at once; choose another name", path), {.path = path});
}

}  // namespace

void require_other_files(const sion::Set& set, const std::vector<FilePlan>& plans) {
  for (const FilePlan& plan : plans) {
    const auto same = [&](const sion::PhysicalFile& file) { return is_same_file(file.path, plan.path); };
    if (std::ranges::any_of(set.files(), same)) throw_same_file(plan.path);
  }
}

void require_other_files(const checkpoint::FoundSet& found, const std::vector<FilePlan>& plans) {
  require_other_files(found.set, plans);
  for (const FilePlan& plan : plans) {
    if (!found.fields_path.empty() && is_same_file(found.fields_path, plan.path)) throw_same_file(plan.path);
  }
}

}  // namespace lq::repack
