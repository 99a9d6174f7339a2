// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Rank 0 reads file 0, whose map shows where each file begins; the readers of the others compare
// theirs with it. Any irregularity is left to find_set(), which knows the possible remedies and
// error messages.
#include "sets/checkpoint/set_tables.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "comm/agree.hpp"
#include "comm/pack.hpp"
#include "comm/tree.hpp"
#include "format/sion/set.hpp"
#include "io/catalog_codec.hpp"
#include "kernels/crc32.hpp"
#include "sets/checkpoint/set_fields.hpp"

namespace lq::sets {
namespace {

namespace sion = format::sion;

// Facts about a set that all ranks need, however it is read.
struct Common {
  MultifileInfo& info;
  Parts& parts;
  std::optional<RecordBytes> record = {};
  std::optional<std::pair<Code, std::string>> problem = {};
};
auto members(Common& common) {
  MultifileInfo& info = common.info;
  return std::tie(common.parts.tasks, info.bytes, info.stored_bytes, info.chunks, info.fields, info.fields_file,
                  common.record, common.problem);
}

// The file that a name referred to, for other ranks; zeros: unknown.
using Facts = std::array<std::uint64_t, 3>;
Facts facts_of(const std::optional<storage::Identity>& file) {
  if (!file) return {};
  return {file->inode, static_cast<std::uint64_t>(file->created), file->bytes};
}
storage::Identity identity_of(const Facts& facts) {
  return {.inode = facts[0], .created = static_cast<std::int64_t>(facts[1]), .bytes = facts[2]};
}

// True for faults of the set, not of this rank's access to it.
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

// For the streams of a set or a file, in sequence.
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
  tables.set = found;
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
  tables.file = found;
  return tables;
}

class Reading {
 public:
  Reading(storage::PinnedTransport& transport, const std::string& path, comm::Comm& comm, const SetReading& how)
      : transport_(transport), path_(path), comm_(comm), how_(how) {}

  // On rank 0: file 0, or all of the set.
  void begin() {
    head_.resize(sion::longest_fixed_bytes);
    if (!begin_by_file()) read_whole();
    pack();
  }
  // Collective, after rank 0 has begun.
  SetTables run() {
    comm::agree(comm_, [&] {
      take(comm::broadcast_bytes(comm_, message_));
      if (set_.parts.count() == 1) return;
      how_.mine ? note_my_parts() : read_my_files();
    });
    if (set_.parts.count() > 1 && how_.mine) {
      comm_.all_reduce(told_, comm::Reduce::min);
      comm::agree(comm_, [&] {
        set_users();
        read_my_files();
      });
    }
    if (set_.parts.count() == 1 || join()) return std::move(set_);
    comm::agree_at_root(comm_, [&] {
      read_whole();
      pack();
    });
    comm::agree(comm_, [&] { take(comm::broadcast_bytes(comm_, message_)); });
    return std::move(set_);
  }

 private:
  void read_whole();
  bool begin_by_file();
  void pack();
  void take(base::Bytes message);
  void note_my_parts();
  void set_users();
  void read_my_files();
  bool join();
  auto facts_in_told(std::size_t number) {
    return told_.begin() + static_cast<std::ptrdiff_t>(3 + set_.parts.count() + Facts().size() * number);
  }
  std::optional<FoundFile> read_member(std::size_t number) const;
  std::optional<FoundFile> checked(base::ByteSource& file, sion::PhysicalFile physical, std::size_t number) const;

  storage::PinnedTransport& transport_;
  const std::string& path_;
  comm::Comm& comm_;
  SetReading how_;
  SetTables set_;
  sion::PhysicalFile known_;  // path and head of file 0
  // Number of faulty files; bytes on disk, chunks; bytes of the streams of each file; then the identity of each
  // opened file.
  std::vector<std::uint64_t> told_;
  // On rank 0: that file, with its beginning.
  std::optional<FoundFile> first_;
  std::vector<std::byte> head_;
  std::vector<std::byte> message_;
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
  set_.head = found->set.files().front().head;
  set_.mine.emplace(0, tables_of(found));
}

// On rank 0. True if file 0 allows several ranks to read the set.
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

// On rank 0. If a set is read file by file, the names of the other files follow from that of file 0.
void Reading::pack() {
  MultifileInfo& info = set_.info;
  Common common{info, set_.parts};
  if (set_.record) common.record = encode(*set_.record);
  if (set_.fields_problem) common.problem.emplace(set_.fields_problem->code(), set_.fields_problem->what());
  message_ = comm::packed(common);
  if (set_.parts.count() > 1) return comm::pack(message_, info.files.front(), head_);
  std::vector<Facts> opened;
  for (const std::string& file : info.files) opened.push_back(facts_of(transport_.opened(file)));
  comm::pack(message_, info.files, opened, info.findings);
}

// The same on all ranks.
void Reading::take(base::Bytes message) {
  if (comm_.rank() > 0) set_ = {};
  MultifileInfo& info = set_.info;
  Common common{info, set_.parts};
  comm::unpack(message, common);
  info.path = path_;
  info.tasks = static_cast<std::int64_t>(set_.parts.tasks.back());
  if (common.problem) {
    set_.fields_problem.emplace(common.problem->first, common.problem->second,
                                ErrorFacts{.path = fields_name(info.path)});
  }
  if (common.record) {
    set_.record = decode_set_record(*common.record);
    info.has_records = true;
    info.has_checksums = set_.record->checksums;
    info.compression = set_.record->compression;
    info.generation = set_.record->generation.text();
  }
  if (set_.parts.count() > 1) {
    comm::unpack(message, known_.path, head_);
    set_.head = known_.head = sion::decode_fixed(head_, known_.path);
    info.files.clear();
    for (std::size_t number = 0; number < set_.parts.count(); ++number) {
      info.files.push_back(sion::file_name(known_.path, static_cast<std::int32_t>(number)));
    }
    return;
  }
  set_.parts.bytes = {0, info.bytes};
  if (how_.mine) set_.parts.users = {{0, comm_.size()}};
  std::vector<Facts> opened;
  comm::unpack(message, info.files, opened, info.findings);
  set_.opened.clear();
  for (const Facts& facts : opened) set_.opened.push_back(identity_of(facts));
}

// The first and the last rank with tasks of each file.
void Reading::note_my_parts() {
  const std::uint64_t me = static_cast<std::uint64_t>(comm_.rank());
  told_.assign(2 * set_.parts.count(), std::numeric_limits<std::uint64_t>::max());
  for (std::size_t number = 0; number < set_.parts.count(); ++number) {
    const std::uint64_t begin = std::max(how_.mine->begin, set_.parts.tasks[number]);
    if (begin >= std::min(how_.mine->end, set_.parts.tasks[number + 1])) continue;
    told_[2 * number] = me;
    told_[2 * number + 1] = ~me;
  }
}

// A file without appending ranks is read nevertheless, by its usual reader.
void Reading::set_users() {
  std::vector<comm::GatherItem> users;
  for (std::size_t number = 0; number < set_.parts.count(); ++number) {
    const std::uint64_t first = told_[2 * number], last = ~told_[2 * number + 1];
    const int reader = set_.parts.reader(number, comm_.size());
    users.push_back(first > last ? comm::GatherItem{reader, reader}
                                 : comm::GatherItem{static_cast<int>(first), static_cast<int>(last) + 1});
  }
  set_.parts.users = std::move(users);
}

void Reading::read_my_files() {
  const std::size_t files = set_.parts.count();
  told_.assign(3 + (1 + Facts().size()) * files, 0);
  set_.parts.bytes.assign(1 + files, 0);
  set_.opened.reserve(files);
  for (std::size_t number = 0; number < files; ++number) {
    if (set_.parts.reader(number, comm_.size()) != comm_.rank()) continue;
    auto found = number == 0 && first_ ? std::exchange(first_, std::nullopt) : read_member(number);
    if (!found) {
      told_[0] = 1;
      return;
    }
    const sion::ChunkTable& table = found->physical.table;
    for (std::int32_t task = 0; task < table.tasks(); ++task) told_[1] += table.bytes(task);
    told_[2] += table.chunks();
    PartTables tables = tables_of(std::make_shared<FoundFile>(std::move(*found)), number, set_.parts.tasks[number]);
    told_[3 + number] = tables.ends.back();
    std::ranges::copy(facts_of(transport_.opened(set_.info.files[number])), facts_in_told(number));
    set_.mine.emplace(number, std::move(tables));
  }
}

// Collective. True on all ranks if all files are intact.
bool Reading::join() {
  comm_.all_reduce(told_, comm::Reduce::sum);
  if (told_[0] > 0) return false;
  const std::size_t files = set_.parts.count();
  set_.info.stored_bytes = told_[1];
  set_.info.chunks = told_[2];
  for (std::size_t number = 0; number < files; ++number) {
    set_.parts.bytes[number + 1] = set_.parts.bytes[number] + told_[3 + number];
  }
  set_.info.bytes = set_.parts.bytes.back();
  for (std::size_t number = 0; number < files; ++number) {
    Facts facts;
    std::copy_n(facts_in_told(number), facts.size(), facts.begin());
    set_.opened.push_back(identity_of(facts));
  }
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

// The file with its records, if it is intact, was written with file 0, and its tasks match
// the map.
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

std::uint64_t message_bytes(std::uint64_t files) {
  constexpr std::uint64_t numbers = 128, texts = 256;  // three, and their lengths
  return numbers + texts + (files > 1 ? sion::longest_fixed_bytes + 8 * (files + 1) : 0);
}

SetTables read_tables(storage::PinnedTransport& transport, const std::string& path, comm::Comm& comm,
                      const SetReading& how) {
  const auto reading = comm::agree(comm, [&] {
    auto begun = std::make_unique<Reading>(transport, path, comm, how);
    if (comm.rank() == 0) begun->begin();
    return begun;
  });
  return reading->run();
}

namespace sion = format::sion;

std::vector<std::byte> gather_head(comm::Comm& comm, const TaskShape& mine, std::uint64_t tasks) {
  const auto count = static_cast<std::int32_t>(tasks);
  std::vector<std::byte> bytes;
  std::uint64_t task = 0;
  comm::gather_records(comm, std::span(&mine, mine.count > 0 ? 1 : 0), 0, [&](const TaskShape& shape) {
    if (bytes.empty()) {
      bytes.reserve(sion::head_bytes(count) + record_bytes);
      bytes.resize(sion::head_bytes(count));
    }
    for (std::uint64_t i = 0; i < shape.count && task < tasks; ++i, ++task) {
      sion::store_int64(bytes.data() + sion::ranks_offset() + 8 * task, shape.first + static_cast<std::int64_t>(i),
                        sion::host_order);
      sion::store_int64(bytes.data() + sion::widths_offset(count) + 8 * task, static_cast<std::int64_t>(shape.width),
                        sion::host_order);
    }
  });
  return bytes;
}

void write_head(storage::File& file, const sion::FixedHead& head, std::vector<std::byte> bytes, SetRecord& record) {
  std::ranges::copy(sion::encode_fixed(head), bytes.begin());
  const std::uint64_t begin = sion::ranks_offset(), end = sion::closing_offset(static_cast<std::int32_t>(record.tasks));
  record.tables = kernels::crc32(0, base::Bytes(bytes).subspan(begin, end - begin));
  std::ranges::copy(encode(record), std::back_inserter(bytes));
  file.write_at(0, bytes);
}

GatheredTable gather_table(comm::Comm& comm, const std::vector<std::unique_ptr<StreamWriter>>& streams, bool with_sizes,
                           std::uint64_t tasks) {
  std::optional<GatheredTable> gathered;
  std::optional<sion::ChunkTableBuilder> table;
  std::exception_ptr failure;  // stored: the others continue to send
  const auto gather = [&](std::span<const std::int64_t> mine, const auto& each) {
    comm::take_part(failure, [&] { comm::gather_records(comm, mine, 0, each); });
  };
  std::vector<std::int64_t> chunks, sizes;
  base::keep_failure(failure, [&] {
    gathered.emplace();
    table.emplace();
    for (const auto& stream : streams) {
      chunks.push_back(static_cast<std::int64_t>(stream->used().size()));
      chunks.insert(chunks.end(), stream->used().begin(), stream->used().end());
      sizes.push_back(static_cast<std::int64_t>(stream->size()));
    }
  });
  gather(chunks, [&](std::int64_t number) {
    if (table) table->add(number, tasks);
  });
  if (with_sizes) {
    gather(sizes, [&](std::int64_t size) {
      if (!gathered) return;
      if (gathered->sizes.empty()) gathered->sizes.reserve(tasks);
      gathered->sizes.push_back(static_cast<std::uint64_t>(size));
    });
  }
  if (failure) std::rethrow_exception(failure);
  gathered->table = table->take();
  return std::move(*gathered);
}

}  // namespace lq::sets
