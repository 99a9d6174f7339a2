// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// An interrupted set made whole where it lies: tables from records, then names. Data are not moved.
#include "checkpoint/repair.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "checkpoint/closing.hpp"
#include "checkpoint/part_name.hpp"
#include "checkpoint/publishing.hpp"
#include "checkpoint/set_fields.hpp"
#include "format/sion/head.hpp"
#include "format/sion/integers.hpp"
#include "format/sion/names.hpp"
#include "io/new_file.hpp"

namespace lq::checkpoint {
namespace {

namespace sion = format::sion;

// Where a file of this generation is: under its name or its temporary one.
std::optional<std::string> member(transport::Transport& transport, const std::string& path, std::int32_t number,
                                  const Generation& generation) {
  const std::string name = sion::file_name(path, number);
  for (const std::string& one : {name, part_name(name, generation)}) {
    if (generation_at(transport, one) == generation) return one;
  }
  return std::nullopt;
}

// A set that was growing when it was interrupted: all its files are to name the number there are now.
void settle_number_of_files(transport::Transport& transport, const std::string& path, const Generation& generation,
                            bool dry_run) {
  std::vector<std::string> members;
  std::vector<sion::FixedHead> heads;
  for (std::int32_t number = 0;; ++number) {
    const auto one = member(transport, path, number, generation);
    if (!one) break;
    members.push_back(*one);
    heads.push_back(sion::read_head(*transport.open_read(*one)));
  }
  const auto named = [](const sion::FixedHead& head) { return head.files; };
  if (heads.empty() || std::ranges::max(heads, {}, named).files != static_cast<std::int32_t>(heads.size())) return;
  for (std::size_t i = 0; i < heads.size(); ++i) {
    if (heads[i].files == static_cast<std::int32_t>(heads.size())) continue;
    if (dry_run) {
      throw Error(
          Code::unsupported,
          fmt::format("{}: more files were being added to the set, which its first ones do not say yet; what can "
                      "be recovered shows when it is repaired, so leave the dry run out",
                      path),
          {.path = path});
    }
    std::array<std::byte, 4> bytes{};
    sion::store_int32(bytes.data(), static_cast<std::int32_t>(heads.size()), heads[i].metadata_order);
    const auto file = transport.open_write(members[i]);
    file->write_at(files_offset, bytes);
    file->sync();
  }
}

[[noreturn]] void throw_empty(const std::string& path) {
  throw Error(Code::truncated,
              fmt::format("{}: it holds no header with a record: its writer died before anything was written, or it is "
                          "no file of this interface; there is nothing to be recovered",
                          path),
              {.path = path});
}

// The set that the path means, closed or not.
FoundSet find(transport::Transport& transport, const std::string& path, bool dry_run) {
  const auto name = final_name(path);
  auto generation = generation_at(transport, path);
  // The file with the fields means its set.
  if (const auto of_fields = set_of_fields(name.value_or(path)); of_fields && !generation) {
    generation = fields_generation_at(transport, path);
    if (generation) return find_generation(transport, *of_fields, *generation, Unclosed::accepted);
  }
  if (!generation) {
    if (!name) return find_set(transport, path, Unclosed::accepted);
    transport.open_read(path);  // not_found, no_permission
    throw_empty(path);
  }
  const std::string of_set = name_of_set(transport, path, name.value_or(path));
  // Its files may be on their way to their names, over those of an older set.
  if (!name && sion::read_head(*transport.open_read(path)).is_closed())
    return find_set(transport, of_set, Unclosed::accepted);
  settle_number_of_files(transport, of_set, *generation, dry_run);
  return find_generation(transport, of_set, *generation, Unclosed::accepted);
}

class Repair {
 public:
  Repair(transport::Transport& transport, FoundSet found, const RepairOptions& options)
      : transport_(transport), found_(std::move(found)), options_(options) {
    report_.path = options.output.empty() ? found_.path : options.output;
    report_.tasks = found_.set.tasks();
  }

  RepairReport run() {
    const bool is_whole = found_.set.is_whole();
    if (!found_.has_records() && !is_whole) {
      throw Error(Code::unsupported,
                  fmt::format("{}: the set was not closed, and was written without the records of which it could be "
                              "recovered",
                              found_.path),
                  {.path = found_.path});
    }
    report_.fields = found_.fields;
    if (is_whole && found_.is_named()) {
      for (std::int32_t number = 0; number < files(); ++number) count(number);
      report_.path = found_.path;
      report_.files = found_.info().files;
      if (!found_.fields_path.empty()) report_.files.push_back(found_.fields_path);
      return report_;
    }
    require_targets();
    if (!file(0).has_table()) recover_fields_of_set();
    for (std::int32_t number = 0; number < files(); ++number) report_.files.push_back(target(number));
    if (has_fields()) report_.files.push_back(fields_name(report_.path));
    report_.outcome = is_whole ? RepairReport::Outcome::published : RepairReport::Outcome::recovered;
    // A file that was closed stays as it is: its table is as good as its records.
    for (std::int32_t number = 0; number < files(); ++number) file(number).has_table() ? count(number) : close(number);
    if (!options_.dry_run) publish();
    return std::move(report_);
  }

 private:
  std::int32_t files() const noexcept { return static_cast<std::int32_t>(found_.set.files().size()); }
  const sion::PhysicalFile& file(std::int32_t number) const {
    return found_.set.files()[static_cast<std::size_t>(number)];
  }
  std::string target(std::int32_t number) const { return sion::file_name(report_.path, number); }
  bool has_fields() const noexcept { return report_.fields > 0 && !found_.fields_path.empty(); }

  // Names that were given already show that the new set was complete and the old one is none any more.
  bool replaces() const {
    if (options_.overwrite) return true;
    for (std::int32_t number = 0; number < files(); ++number) {
      if (file(number).path == target(number)) return true;
    }
    return found_.fields_path == fields_name(report_.path);
  }

  void require_targets() const {
    for (std::int32_t number = 0; number < files(); ++number) {
      if (file(number).path != target(number)) io::require_target(transport_, target(number), replaces());
    }
    const std::string fields = fields_name(report_.path);
    if (found_.fields_path.empty() || found_.fields_path == fields) return;
    io::require_target(transport_, fields, replaces() && fields_generation_at(transport_, fields));
  }

  // Of a set that was not closed.
  void recover_fields_of_set() {
    if (found_.fields_path.empty()) return;
    RecoveredFields found =
        recover_fields(transport_, found_.fields_path, found_.records.front().generation, options_.dry_run);
    report_.fields = found.fields;
    report_.lost.insert(report_.lost.end(), found.damage.begin(), found.damage.end());
  }

  void count(std::int32_t number) {
    const sion::ChunkTable& table = file(number).table;
    for (std::int32_t task = 0; task < table.tasks(); ++task) {
      for (const std::int64_t used : table.used(task)) report_.chunks += used > 0 ? 1 : 0;
      report_.stored_bytes += table.bytes(task);
    }
  }

  void close(std::int32_t number);
  void look_behind_the_end(const sion::PhysicalFile& physical, const StreamPlace& place, std::uint64_t chunk);
  void publish();

  transport::Transport& transport_;
  FoundSet found_;
  RepairOptions options_;
  RepairReport report_;
};

// Of a file that was closed and then lost its end it is known how many chunks there were room for.
void Repair::look_behind_the_end(const sion::PhysicalFile& physical, const StreamPlace& place, std::uint64_t chunk) {
  const bool was_there =
      physical.bytes < physical.tail_offset && chunk < static_cast<std::uint64_t>(physical.max_chunks);
  if (!was_there || place.offset(chunk) + place.width <= physical.bytes) return;
  report_.lost.push_back(
      {physical.path, place.number, chunk, place.offset(chunk), 0,
       fmt::format("the file was cut at byte {}: what this chunk and later ones held is missing", physical.bytes)});
}

void Repair::close(std::int32_t number) {
  const sion::PhysicalFile& physical = file(number);
  const auto handle = options_.dry_run ? transport_.open_read(physical.path) : transport_.open_write(physical.path);
  Closing closing;
  closing.record = found_.records[static_cast<std::size_t>(number)];
  closing.start = physical.geometry.start(0);
  closing.skip = physical.geometry.skip();
  closing.order = physical.head.metadata_order;
  closing.was_repaired = closing.was_published = true;
  if (number == 0) closing.fields = static_cast<std::uint32_t>(report_.fields);
  std::vector<RecoveredTask> tasks;
  std::vector<std::uint64_t> counts;
  for (std::int32_t task = 0; task < physical.geometry.tasks(); ++task) {
    StreamPlace place{physical.geometry.start(task),    physical.geometry.width(task),
                      physical.geometry.skip(),         static_cast<std::uint32_t>(number),
                      static_cast<std::uint32_t>(task), physical.ranks[static_cast<std::size_t>(task)]};
    tasks.push_back(recover_task(*handle, closing.record, place));
    RecoveredTask& one = tasks.back();
    counts.push_back(one.used.size());
    if (closing.record.compression != Compression::none) closing.sizes.push_back(one.bytes);
    report_.chunks += one.chunks;
    for (const std::int64_t used : one.used) report_.stored_bytes += static_cast<std::uint64_t>(used);
    report_.lost.insert(report_.lost.end(), one.lost.begin(), one.lost.end());
    if (one.lost.empty()) look_behind_the_end(physical, place, one.chunks);
  }
  if (options_.dry_run) return;
  closing.tail.table = sion::ChunkTable(counts);
  for (std::size_t task = 0; task < tasks.size(); ++task) {
    std::ranges::copy(tasks[task].used, closing.tail.table.used(static_cast<std::int32_t>(task)).begin());
  }
  if (number == 0 && files() > 1) {
    closing.tail.map.emplace();
    for (std::int32_t task = 0; task < found_.set.tasks(); ++task) closing.tail.map->push_back(found_.set.place(task));
  }
  close_file(*handle, closing);
  handle->sync();
  handle->close();
}

void Repair::publish() {
  const bool replacing = replaces();
  const std::int32_t older_files = replacing ? files_of(transport_, report_.path) : 0;
  std::vector<NewName> names;
  for (std::int32_t number = files() - 1; number > 0; --number) names.push_back({file(number).path, target(number)});
  if (has_fields()) names.push_back({found_.fields_path, fields_name(report_.path)});
  names.push_back({file(0).path, target(0)});
  publish_set(transport_, report_.path, names, {files(), !found_.fields_path.empty(), replacing, older_files, true});
}

}  // namespace

RepairReport repair(transport::Transport& transport, const std::string& path, const RepairOptions& options) {
  return Repair(transport, find(transport, path, options.dry_run), options).run();
}

}  // namespace lq::checkpoint

namespace lq {

RepairReport repair_multifile(const std::string& path, const RepairOptions& options) {
  return checkpoint::repair(transport::posix(), path, options);
}

}  // namespace lq
