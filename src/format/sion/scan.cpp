// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "format/sion/scan.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"
#include "format/sion/head.hpp"
#include "format/sion/stream.hpp"

namespace lq::format::sion {
namespace {

constexpr std::string_view task_word = "task.";
constexpr std::string_view key_word = ".key.";

std::string_view name_of(ByteOrder order) { return order == ByteOrder::big ? "big" : "little"; }

// The facts of the header, for people and scripts.
std::string facts_of(const Set& set) {
  const PhysicalFile& first = set.files().front();
  const FixedHead& head = first.head;
  std::string text = fmt::format(
      "tasks = {}\nphysical files = {}\nblock size = {}\nmode = {}\nformat version = {}\n", set.tasks(), head.files,
      head.block_size, head.key_value_mode() == KeyValueMode::none ? "plain" : "key-value", head.format_version);
  text += fmt::format("library version = {}.{}p{}\n", head.library_version / 1000, head.library_version % 1000,
                      head.library_patch);
  text += fmt::format("byte order = {}\ndeclared byte order of the data = {}\n", name_of(head.metadata_order),
                      name_of(head.data_order));
  text += fmt::format("name at creation = {}", base::printable(head.prefix, 200));
  return text;
}

// The position of a stream's byte in its physical file, if it exists.
std::optional<std::uint64_t> offset_of(const LogicalFile& stream, std::uint64_t position) {
  std::optional<std::uint64_t> offset;
  stream.for_each(position, 1, [&](const StreamRange& at) { offset = at.offset; });
  return offset;
}

class Scan {
 public:
  Scan(base::ByteSource& file, const Limits& limits) : file_(file), limits_(limits) {}

  Catalog take() {
    catalog_.path = file_.path();
    catalog_.format = "sion";
    catalog_.file_bytes = file_.size();
    try {
      list(
          open_set(file_, {.bounds = {.tasks = limits_.records}, .tolerates_damage = true, .tolerates_missing = true}));
    } catch (const BrokenRule& broken) {
      findings_.add(broken.finding());
      catalog_.complete = broken.code() != Code::truncated;
    }
    catalog_.findings = findings_.take();
    return std::move(catalog_);
  }

 private:
  void list(const Set& set);
  void list_files(const Set& set);
  void list_task(const Set& set, std::int32_t task);
  void list_keys(const Set& set, std::int32_t task);
  base::ByteSource& source_of(const PhysicalFile& file);
  bool has_room();

  base::ByteSource& file_;
  const Limits& limits_;
  Findings findings_;
  Catalog catalog_;
  std::unique_ptr<base::ByteSource> other_;  // a physical file other than the scanned one
  std::uint64_t headers_ = 0;                // of key-value records read
  std::uint64_t keys_ = 0;                   // found
  std::uint64_t most_keys_ = 0;              // limit, in addition to the tasks
};

bool Scan::has_room() {
  if (keys_ < most_keys_ && headers_ < limits_.records) return true;
  Finding finding;
  finding.severity = Severity::warning;
  finding.rule = "sion-too-many-keys";
  finding.message = fmt::format(
      "more than {} key-value records; their keys are listed in part, raise the limit on "
      "records to see all",
      limits_.records);
  if (findings_.count(finding.rule) == 0) findings_.add(std::move(finding));
  return false;
}

void Scan::list_files(const Set& set) {
  if (set.files().size() > 1) {
    catalog_.file_bytes = 0;
    for (const PhysicalFile& file : set.files()) {
      catalog_.files.push_back(file.path);
      catalog_.file_bytes += file.bytes;
    }
  }
  for (const PhysicalFile& file : set.files()) {
    if (!file.damage) continue;
    if (!file.is_missing) catalog_.complete = false;
    Finding finding = *file.damage;
    if (set.files().size() > 1 && !file.is_missing)
      finding.message = fmt::format("\"{}\": {}", file.path, finding.message);
    findings_.add(std::move(finding));
  }
}

void Scan::list(const Set& set) {
  list_files(set);
  catalog_.metadata.emplace_back("sion-header", facts_of(set));
  check_set(
      set, [this](const PhysicalFile& file) -> base::ByteSource& { return source_of(file); }, findings_);
  most_keys_ = limits_.records - std::min(limits_.records, static_cast<std::uint64_t>(set.tasks()));
  for (std::int32_t task = 0; task < set.tasks(); ++task) {
    if (!set.file_of(task).has_table()) continue;
    list_task(set, task);
    if (set.file_of(task).head.key_value_mode() == KeyValueMode::inline_records) list_keys(set, task);
  }
}

void Scan::list_task(const Set& set, std::int32_t task) {
  const Place place = set.place(task);
  Record record;
  record.type = record_name(task);
  record.file = place.file;
  record.number = catalog_.records.size() + 1;
  record.header_offset =
      ranks_offset(set.file_of(task).head.format_version) + 8 * static_cast<std::uint64_t>(place.task);
  record.offset = set.offset(task, 0);
  record.data_length = set.bytes(task);
  record.pieces = set.chunks(task);
  catalog_.records.push_back(std::move(record));
}

base::ByteSource& Scan::source_of(const PhysicalFile& file) {
  if (file.path == file_.path()) return file_;
  if (!other_ || other_->path() != file.path) other_ = file_.open_other(file.path);
  return *other_;
}

void Scan::list_keys(const Set& set, std::int32_t task) {
  if (!has_room()) return;
  const PhysicalFile& holder = set.file_of(task);
  std::map<std::uint64_t, Record> keys;
  KeyWalker walker = walk_records(holder, set.place(task).task, source_of(holder));
  const LogicalFile stream(holder, set.place(task).task);
  try {
    while (has_room()) {
      const std::optional<KeyRecord> found = walker.next();
      if (!found) break;
      ++headers_;
      const auto [entry, is_new] = keys.try_emplace(found->key);
      Record& record = entry->second;
      if (is_new) {
        ++keys_;
        record.pieces = 0;
        record.offset = record.header_offset = set.offset(task, 0);
        record.header_offset = offset_of(stream, found->position - record_header_bytes).value_or(record.offset);
        record.offset = offset_of(stream, found->position).value_or(record.offset);
      }
      ++record.pieces;
      record.data_length += found->length;
    }
  } catch (const Error& error) {
    if (error.code() != Code::malformed && error.code() != Code::truncated) throw;
    Finding finding;
    finding.severity = Severity::error;
    finding.code = Code::malformed;
    finding.rule = "sion-key-value";
    finding.message = error.what();
    finding.record = record_name(task);
    findings_.add(std::move(finding));
  }
  for (auto& [key, record] : keys) {
    record.type = record_name(task, key);
    record.file = set.place(task).file;
    record.number = catalog_.records.size() + 1;
    catalog_.records.push_back(std::move(record));
  }
}

}  // namespace

std::string record_name(std::int32_t task) { return fmt::format("{}{}", task_word, task); }

std::string record_name(std::int32_t task, std::uint64_t key) {
  return fmt::format("{}{}{}{}", task_word, task, key_word, key);
}

std::optional<RecordName> parse_record_name(std::string_view name) noexcept {
  if (!name.starts_with(task_word)) return std::nullopt;
  name.remove_prefix(task_word.size());
  const std::size_t dot = name.find(key_word);
  const auto task = base::parse_u64(name.substr(0, dot));
  if (!task || *task > std::numeric_limits<std::int32_t>::max()) return std::nullopt;
  RecordName parsed{static_cast<std::int32_t>(*task), std::nullopt};
  if (dot == std::string_view::npos) return parsed;
  parsed.key = base::parse_u64(name.substr(dot + key_word.size()));
  if (!parsed.key) return std::nullopt;
  return parsed;
}

Set open_set(base::ByteSource& file, const SetOptions& options) {
  return Set::open(
      file, [&file](const std::string& path) { return file.open_other(path); }, options);
}

Catalog scan(base::ByteSource& file, const Limits& limits) { return Scan(file, limits).take(); }

std::vector<RecordPiece> record_pieces(base::ByteSource& file, const RecordName& record) {
  const Set set = open_set(file, {.tolerates_damage = true, .tolerates_missing = true});
  const int number = set.place(record.task).file;
  std::vector<RecordPiece> found;
  const PhysicalFile& holder = set.file_of(record.task);
  const std::int32_t local = set.place(record.task).task;
  const LogicalFile stream(holder, local);
  const auto add = [&](const StreamRange& at) { found.push_back({number, at.offset, at.length}); };
  if (!record.key) {
    stream.for_each(0, stream.size(), add);
    return found;
  }
  std::unique_ptr<base::ByteSource> other;
  if (holder.path != file.path()) other = file.open_other(holder.path);
  KeyWalker walker = walk_records(holder, local, other ? *other : file);
  while (const std::optional<KeyRecord> next = walker.next()) {
    if (next->key == *record.key) stream.for_each(next->position, next->length, add);
  }
  return found;
}

}  // namespace lq::format::sion
