// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "sets/repack/set_writer.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <mutex>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/error.hpp"
#include "format/sion/stream.hpp"
#include "sets/checkpoint/open_set.hpp"

namespace lq::sets {

namespace sion = format::sion;

namespace {

sion::Set open_set(storage::Transport& transport, const std::string& path, const RepackOptions& options,
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
      base::fail(Code::too_large, file.path, "decompressed, it needs more than {} chunks", most_chunks);
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

// For each file, the tasks of the set by local number.
std::vector<std::vector<std::int32_t>> numbers_of(const sion::Set& set) {
  std::vector<std::vector<std::int32_t>> numbers;
  for (const sion::PhysicalFile& file : set.files()) numbers.emplace_back(file.ranks.size());
  for (std::int32_t task = 0; task < set.tasks(); ++task) {
    const sion::Place place = set.place(task);
    numbers[static_cast<std::size_t>(place.file)][static_cast<std::size_t>(place.task)] = task;
  }
  return numbers;
}

[[noreturn]] void throw_same_file(const std::string& path) {
  base::fail(Code::invalid_argument, path, "a file cannot be read and replaced at the same time; choose another name");
}

// The stream of a task from first to last byte, in the byte order of this machine as far as the format is concerned:
// the headers of key-value records are converted, data never are.
class TaskReader {
 public:
  // A local task of `file`; both must outlive the reader. `source` is the open file.
  TaskReader(const format::sion::PhysicalFile& file, std::int32_t task, base::ByteSource& source);

  // Fills all of `buffer`, which must not exceed the rest of the stream. truncated if the file ends
  // before that; malformed if records do not fit.
  void read(base::MutableBytes buffer);

 private:
  std::size_t read_raw(base::MutableBytes buffer);
  std::size_t read_record(base::MutableBytes buffer);

  const format::sion::PhysicalFile& file_;
  base::ByteSource& source_;
  format::sion::LogicalFile stream_;
  std::uint64_t position_ = 0;
  // If headers are converted: the walk from record to record, and the rest of the current one.
  std::optional<format::sion::KeyWalker> walker_;
  std::array<std::byte, format::sion::record_header_bytes> header_{};
  std::size_t header_left_ = 0;
  std::uint64_t data_left_ = 0;
};

TaskReader::TaskReader(const sion::PhysicalFile& file, std::int32_t task, base::ByteSource& source)
    : file_(file), source_(source), stream_(file, task) {
  const bool has_records = file.head.key_value_mode() == sion::KeyValueMode::inline_records;
  if (has_records && file.head.metadata_order != sion::host_order) walker_ = walk_records(file, task, source);
}

void TaskReader::read(base::MutableBytes buffer) {
  while (!buffer.empty()) {
    const std::size_t held = walker_ ? read_record(buffer) : read_raw(buffer);
    if (held == 0) {
      base::fail(Code::truncated, file_.path,
                 "the file ends within the data that its table counts; copy it again from its source");
    }
    buffer = buffer.subspan(held);
  }
}

std::size_t TaskReader::read_raw(base::MutableBytes buffer) {
  const std::size_t held = stream_.read(
      position_, buffer, [&](std::uint64_t offset, base::MutableBytes part) { return source_.read_at(offset, part); });
  position_ += held;
  return held;
}

std::size_t TaskReader::read_record(base::MutableBytes buffer) {
  if (header_left_ == 0 && data_left_ == 0) {
    const std::optional<sion::KeyRecord> record = walker_->next();
    if (!record) return 0;
    header_ = sion::encode_record_header(record->key, record->length, sion::host_order);
    header_left_ = header_.size();
    data_left_ = record->length;
    position_ = record->position;
  }
  if (header_left_ > 0) {
    const std::size_t count = std::min(header_left_, buffer.size());
    std::copy_n(header_.end() - static_cast<std::ptrdiff_t>(header_left_), count, buffer.begin());
    header_left_ -= count;
    return count;
  }
  const std::size_t held =
      read_raw(buffer.first(static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), data_left_))));
  data_left_ -= held;
  return held;
}

// Keeps the last requested file open, and those whose tasks are being read. Any thread.
class LastOpened {
 public:
  explicit LastOpened(storage::Transport& transport) : transport_(transport) {}

  std::shared_ptr<base::ByteSource> open(const std::string& path) {
    const std::lock_guard lock(mutex_);
    if (!source_ || source_->path() != path) source_ = transport_.open_read(path);
    return source_;
  }

 private:
  storage::Transport& transport_;
  std::mutex mutex_;
  std::shared_ptr<base::ByteSource> source_;
};

}  // namespace

FoundSet open_whole_set(storage::Transport& transport, const std::string& path, const RepackOptions& options) {
  // Any file of the set refers to the first.
  const std::string first = open_set(transport, path, options, false).files().front().path;
  return find_set(transport, first);
}

sion::Set open_damaged_set(storage::Transport& transport, const std::string& path, const RepackOptions& options) {
  return open_set(transport, path, options, true);
}

OpenTask streams_of(storage::Transport& transport, const sion::Set& set) {
  return [&set, opened = std::make_shared<LastOpened>(transport)](std::size_t file, std::int32_t task) -> ReadTask {
    const sion::PhysicalFile& physical = set.files()[file];
    const std::shared_ptr<base::ByteSource> source = opened->open(physical.path);
    const auto reader = std::make_shared<TaskReader>(physical, task, *source);
    return [source, reader](base::MutableBytes buffer) { reader->read(buffer); };
  };
}

OpenTask streams_of(storage::Transport& transport, const FoundSet& found, Checksums checksums) {
  if (!found.has_records()) return streams_of(transport, found.set);
  const auto files = std::make_shared<OpenFiles>(transport);
  files->set_paths(found.info().files);
  const ReadSettings settings{.record = found.records.front(), .verify = checksums == Checksums::compared};
  return [&found, files, settings, numbers = numbers_of(found.set)](std::size_t file, std::int32_t task) -> ReadTask {
    const std::int32_t number = numbers[file][static_cast<std::size_t>(task)];
    const auto reader = std::make_shared<StreamReader>(files, entry_of(found, number), settings);
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
    if (set.files().size() > 1 && k == 0) plan.map = set.places();
    plans.push_back(std::move(plan));
  }
  return plans;
}

std::vector<FilePlan> same_files(const FoundSet& found, const std::string& to) {
  std::vector<FilePlan> plans = same_files(found.set, to);
  if (found.compression() == Compression::none) return plans;
  for (std::size_t k = 0; k < plans.size(); ++k) plans[k].table = filled_table(found.set.files()[k], found.sizes[k]);
  return plans;
}

std::vector<Finding> lost_fields(const CopiedFields& fields) {
  std::vector<Finding> findings;
  for (const ChunkDamage& damage : fields.damage()) {
    findings.push_back({.severity = Severity::error,
                        .code = Code::checksum_mismatch,
                        .rule = "repack-lost-field",
                        .message = fmt::format("omitted: {}", damage.what),
                        .record = damage.field});
    if (damage.offset == 0) continue;  // concerns the file as a whole
    findings.back().offset = damage.offset;
    findings.back().length = damage.bytes;
  }
  return findings;
}

bool is_same_file(const std::string& a, const std::string& b) {
  std::error_code none;  // a missing file is not another one
  return a == b || std::filesystem::equivalent(a, b, none);
}

void require_other_files(const sion::Set& set, const std::vector<FilePlan>& plans) {
  for (const FilePlan& plan : plans) {
    const auto same = [&](const sion::PhysicalFile& file) { return is_same_file(file.path, plan.path); };
    if (std::ranges::any_of(set.files(), same)) throw_same_file(plan.path);
  }
}

void require_other_files(const FoundSet& found, const std::vector<FilePlan>& plans) {
  require_other_files(found.set, plans);
  for (const FilePlan& plan : plans) {
    if (!found.fields_path.empty() && is_same_file(found.fields_path, plan.path)) throw_same_file(plan.path);
  }
}

}  // namespace lq::sets
