// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Rank 0 reads file 0, whose map tells where each file begins; the readers of the others hold
// theirs against it. Whoever finds anything that is not as it should be leaves it to find_set(), which knows what may
// be done about it, and how to say what is wrong.
#include "checkpoint/set_tables.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "checkpoint/field_note.hpp"
#include "checkpoint/found_set.hpp"
#include "comm/agree.hpp"
#include "format/sion/set.hpp"
#include "io/catalog_codec.hpp"

namespace lq::checkpoint {
namespace {

namespace sion = format::sion;

// What all ranks must know: a few numbers, the record of the set, the header of file 0 up to its tables, and texts,
// which follow.
struct Common {
  std::uint64_t parts = 0, tasks = 0, bytes = 0, stored_bytes = 0, chunks = 0, fields = 0, has_record = 0, problem = 0;
  RecordBytes record{};
  std::array<std::byte, sion::longest_fixed_bytes> head{};
};

std::string join(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& one : names) text += one + '\0';
  return text;
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> names;
  for (std::size_t at = 0; at < text.size(); at = text.find('\0', at) + 1) {
    names.push_back(text.substr(at, text.find('\0', at) - at));
  }
  return names;
}

// Something is wrong with the set, not with this rank's way to it.
bool concerns_set(Code code) noexcept {
  switch (code) {
    case Code::not_found:
    case Code::unknown_format:
    case Code::malformed:
    case Code::truncated:
    case Code::too_large:
    case Code::unsupported:
      return true;
    default:
      return false;
  }
}

// Of the streams of a set or a file, one behind the other.
template <class Found>
std::vector<std::uint64_t> ends_of(const Found& found, std::int32_t tasks) {
  std::vector<std::uint64_t> ends;
  ends.reserve(static_cast<std::size_t>(tasks));
  std::uint64_t end = 0;
  for (std::int32_t task = 0; task < tasks; ++task) ends.push_back(end += found.stream_bytes(task));
  return ends;
}

PartTables tables_of(std::shared_ptr<const FoundSet> found) {
  PartTables tables;
  tables.ends = ends_of(*found, found->set.tasks());
  tables.entry = [found](std::uint64_t task) { return entry_of(*found, static_cast<std::int32_t>(task)); };
  return tables;
}

// `number`: of the file. `first`: of its tasks in the set.
PartTables tables_of(std::shared_ptr<const FoundFile> found, std::size_t number, std::uint64_t first) {
  PartTables tables;
  tables.ends = ends_of(*found, found->physical.table.tasks());
  tables.entry = [found, number, first](std::uint64_t task) {
    const sion::Place place{static_cast<std::int32_t>(number), static_cast<std::int32_t>(task)};
    return entry_of(found->physical, place, static_cast<std::int64_t>(first + task), found->stream_bytes(place.task));
  };
  return tables;
}

class Reading {
 public:
  Reading(transport::Transport& transport, const std::string& path, comm::Comm& comm, const SetReading& how)
      : transport_(transport), path_(path), comm_(comm), how_(how) {}

  SetTables run() {
    comm::agree_at_root(comm_, [&] {
      head_.resize(sion::longest_fixed_bytes);
      if (!begin_by_file()) read_whole();
      put_texts();
    });
    tell();
    if (set_.parts.count() == 1 || read_by_file()) return std::move(set_);
    comm::agree_at_root(comm_, [&] {
      read_whole();
      put_texts();
    });
    tell();
    return std::move(set_);
  }

 private:
  void read_whole();
  bool begin_by_file();
  void put_texts();
  void tell();
  void take(const Common& common, std::vector<std::string> texts);
  bool read_by_file();
  std::optional<FoundFile> read_member(std::size_t number) const;
  std::optional<FoundFile> checked(base::ByteSource& file, sion::PhysicalFile physical, std::size_t number) const;

  transport::Transport& transport_;
  const std::string& path_;
  comm::Comm& comm_;
  SetReading how_;
  SetTables set_;
  sion::PhysicalFile known_;  // path and head of file 0
  // On rank 0: that file, and how it begins.
  std::optional<FoundFile> first_;
  std::vector<std::byte> head_;
  std::string texts_;
};

void Reading::read_whole() {
  set_ = {};
  first_.reset();
  const auto found = std::make_shared<FoundSet>(find_set(transport_, path_, Unclosed::refused, how_.missing));
  const std::vector<Finding> findings = found->info().findings;
  if (!how_.counts_losses) std::ranges::for_each(found->losses, [](auto& of_file) { of_file.clear(); });
  set_.info = found->info();
  set_.info.findings = findings;
  set_.fields_problem = found->fields_problem;
  if (found->has_records()) set_.record = found->records.front();
  set_.parts.tasks = {0, static_cast<std::uint64_t>(set_.info.tasks)};
  set_.mine.emplace(0, tables_of(found));
}

// On rank 0. Whether the set is one that several ranks may read, as far as file 0 tells.
bool Reading::begin_by_file() {
  if (comm_.size() == 1) return false;
  try {
    const std::string path = name_of_set(transport_, path_, path_);
    const auto file = transport_.open_read(path);
    head_.resize(file->read_at(0, head_));
    const sion::FixedHead head = sion::decode_fixed(head_, path);
    if (head.files == 1 || head.file_number != 0) return false;
    sion::PhysicalFile physical = sion::read_file(*file);
    auto tasks = sion::tasks_before_files(*file, physical);
    if (!tasks) return false;
    set_.parts.tasks = std::move(*tasks);
    first_ = checked(*file, std::move(physical), 0);
    if (!first_) return false;
    set_.record = first_->record;
    if (set_.record) {
      FoundFields fields = find_fields(transport_, path, set_.record->generation, first_->facts.fields);
      if (fields.problem) return false;
      set_.info.fields_file = std::move(fields.path);
    }
    set_.info.fields = first_->facts.fields;
    set_.info.tasks = static_cast<std::int64_t>(set_.parts.tasks.back());
    for (std::int32_t number = 0; number < head.files; ++number) {
      set_.info.files.push_back(sion::file_name(path, number));
    }
    return true;
  } catch (const Error& error) {
    if (!concerns_set(error.code())) throw;
    return false;
  }
}

// On rank 0.
void Reading::put_texts() {
  std::vector<std::string> texts = set_.info.files;
  texts.insert(texts.end(), {set_.info.fields_file, set_.fields_problem ? set_.fields_problem->what() : ""});
  texts_ = join(texts);
}

void Reading::tell() {
  MultifileInfo& info = set_.info;
  std::optional<Error>& problem = set_.fields_problem;
  Common common;
  if (comm_.rank() == 0) {
    common = {set_.parts.count(),
              static_cast<std::uint64_t>(info.tasks),
              info.bytes,
              info.stored_bytes,
              info.chunks,
              info.fields,
              set_.record ? 1U : 0U,
              problem ? static_cast<std::uint64_t>(problem->code()) : 0,
              set_.record ? encode(*set_.record) : RecordBytes{},
              {}};
    if (first_) std::ranges::copy(head_, common.head.begin());
  }
  comm_.broadcast(std::as_writable_bytes(std::span(&common, 1)), 0);
  const std::string all_texts = comm::broadcast_text(comm_, texts_);
  comm::agree_alike(comm_, [&] { take(common, split(all_texts)); });
  Catalog carrier;
  carrier.findings = std::move(info.findings);
  io::broadcast(comm_, carrier);
  info.findings = std::move(carrier.findings);
  if (common.parts > 1) comm_.broadcast(std::as_writable_bytes(std::span(set_.parts.tasks)), 0);
}

// The same on all ranks.
void Reading::take(const Common& common, std::vector<std::string> texts) {
  if (comm_.rank() > 0) set_ = {};
  MultifileInfo& info = set_.info;
  info.path = path_;
  info.tasks = static_cast<std::int64_t>(common.tasks);
  info.bytes = common.bytes;
  info.stored_bytes = common.stored_bytes;
  info.chunks = common.chunks;
  info.fields = common.fields;
  std::optional<Error>& problem = set_.fields_problem;
  if (common.problem != 0) {
    problem.emplace(static_cast<Code>(common.problem), texts.back(), ErrorFacts{.path = fields_name(info.path)});
  }
  texts.pop_back();
  info.fields_file = std::move(texts.back());
  texts.pop_back();
  info.files = std::move(texts);
  if (common.has_record != 0) {
    set_.record = decode_set_record(common.record);
    info.has_records = true;
    info.has_checksums = set_.record->checksums;
    info.compression = set_.record->compression;
    info.generation = set_.record->generation.text();
  }
  if (common.parts == 1) {
    set_.parts.tasks = {0, static_cast<std::uint64_t>(info.tasks)};
    set_.parts.bytes = {0, info.bytes};
    return;
  }
  set_.parts.tasks.resize(common.parts + 1);
  known_.path = info.files.front();
  known_.head = sion::decode_fixed(common.head, known_.path);
}

// Whether all files are as they should be, on all ranks.
bool Reading::read_by_file() {
  const std::size_t files = set_.parts.count();
  std::vector<std::uint64_t> told;  // how many are not; bytes on disk, chunks; bytes of the streams of each
  comm::agree(comm_, [&] {
    told.resize(3 + files);
    set_.parts.bytes.assign(1 + files, 0);
    for (std::size_t number = 0; number < files; ++number) {
      if (set_.parts.reader(number, comm_.size()) != comm_.rank()) continue;
      auto found = number == 0 ? std::exchange(first_, std::nullopt) : read_member(number);
      if (!found) {
        told[0] = 1;
        return;
      }
      const sion::ChunkTable& table = found->physical.table;
      for (std::int32_t task = 0; task < table.tasks(); ++task) told[1] += table.bytes(task);
      told[2] += table.chunks();
      PartTables tables = tables_of(std::make_shared<FoundFile>(std::move(*found)), number, set_.parts.tasks[number]);
      told[3 + number] = tables.ends.back();
      set_.mine.emplace(number, std::move(tables));
    }
  });
  comm_.all_reduce(told, comm::Reduce::sum);
  if (told[0] > 0) return false;
  set_.info.stored_bytes = told[1];
  set_.info.chunks = told[2];
  for (std::size_t number = 0; number < files; ++number) {
    set_.parts.bytes[number + 1] = set_.parts.bytes[number] + told[3 + number];
  }
  set_.info.bytes = set_.parts.bytes.back();
  return true;
}

std::optional<FoundFile> Reading::read_member(std::size_t number) const {
  try {
    const auto file = transport_.open_read(set_.info.files[number]);
    sion::PhysicalFile physical = sion::read_file(*file);
    sion::require_same_set(known_, physical, static_cast<std::int32_t>(number));
    return checked(*file, std::move(physical), number);
  } catch (const Error& error) {
    if (!concerns_set(error.code())) throw;
    return std::nullopt;
  }
}

// The file with its records, if nothing is wrong with it, it was written with file 0, and its tasks are those that the
// map says.
std::optional<FoundFile> Reading::checked(base::ByteSource& file, sion::PhysicalFile physical,
                                          std::size_t number) const {
  const std::vector<std::uint64_t>& before = set_.parts.tasks;
  if (physical.ranks.size() != before[number + 1] - before[number]) return std::nullopt;
  auto expected = static_cast<std::int64_t>(before[number]);
  for (const std::int64_t rank : physical.ranks) {
    if (rank != expected++) return std::nullopt;
  }
  physical.ranks = {};
  FoundFile found = read_file(file, std::move(physical), before.back());
  if (!found.problem.empty() || !found.facts.losses.empty()) return std::nullopt;
  if (number == 0) return found;
  const bool is_of_set = found.record.has_value() == set_.record.has_value() &&
                         (!found.record || (found.record->generation == set_.record->generation &&
                                            found.record->compression == set_.record->compression));
  return is_of_set ? std::optional(std::move(found)) : std::nullopt;
}

}  // namespace

SetTables read_tables(transport::Transport& transport, const std::string& path, comm::Comm& comm,
                      const SetReading& how) {
  const auto reading = comm::agree(comm, [&] { return std::make_unique<Reading>(transport, path, comm, how); });
  return reading->run();
}

}  // namespace lq::checkpoint
