// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The 12 bytes that close a file begin at 4 modulo 16, so they are within one sector and page.
#include "sets/checkpoint/closing.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include <limequat/catalog.hpp>
#include <limequat/error.hpp>

#include "base/error.hpp"
#include "base/path.hpp"
#include "base/random_number.hpp"
#include "comm/wire.hpp"
#include "format/format.hpp"
#include "format/sion/head.hpp"
#include "io/new_file.hpp"
#include "io/replacement.hpp"
#include "kernels/crc32.hpp"
#include "sets/checkpoint/set_fields.hpp"
#include "storage/subfiles.hpp"

namespace lq::sets {
namespace {

// Collects consecutive writes into writes of a few MiB.
class Appender {
 public:
  Appender(storage::File& file, std::uint64_t offset) : file_(file), offset_(offset) {}

  void put(base::Bytes bytes) {
    held_.insert(held_.end(), bytes.begin(), bytes.end());
    if (held_.size() >= largest_held) flush();
  }
  void flush() {
    file_.write_at(offset_, held_);
    offset_ += held_.size();
    held_.clear();
  }
  std::uint64_t end() const noexcept { return offset_ + held_.size(); }

 private:
  static constexpr std::size_t largest_held = 4 << 20;
  storage::File& file_;
  std::uint64_t offset_;
  std::vector<std::byte> held_;
};

std::vector<std::byte> size_bytes(const std::vector<std::uint64_t>& sizes) {
  std::vector<std::byte> bytes(8 * sizes.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) base::store_le(bytes.data() + 8 * i, sizes[i]);
  return bytes;
}

}  // namespace

Closing closing_of(const format::sion::PhysicalFile& file, const SetRecord& record) {
  Closing closing;
  closing.record = record;
  closing.start = file.geometry.start(0);
  closing.skip = file.geometry.skip();
  closing.order = file.head.metadata_order;
  return closing;
}

void close_file(storage::File& file, const Closing& closing) {
  const std::uint64_t blocks = closing.tail.table.max_count();
  std::uint64_t tail_offset = 0;
  if (__builtin_mul_overflow(closing.skip, blocks, &tail_offset) ||
      __builtin_add_overflow(tail_offset, closing.start, &tail_offset) || tail_offset >> 62 != 0) {
    base::fail(Code::too_large, file.path(), "{} blocks of {} bytes are more than a file can hold", blocks,
               closing.skip);
  }
  Appender end(file, tail_offset);
  TailRecord record;
  record.generation = closing.record.generation;
  record.was_repaired = closing.was_repaired;
  record.file = closing.record.file;
  record.tasks = closing.record.tasks;
  record.fields = closing.fields;
  format::sion::encode(closing.tail, closing.order, [&](base::Bytes bytes) {
    record.table = kernels::crc32(record.table, bytes);
    record.table_bytes += bytes.size();
    end.put(bytes);
  });
  const std::vector<std::byte> sizes = size_bytes(closing.sizes);
  record.sizes = kernels::crc32(0, sizes);
  const std::vector<std::byte> losses = encode(closing.losses);
  record.losses = static_cast<std::uint32_t>(closing.losses.size());
  record.losses_sum = kernels::crc32(0, losses);
  end.put(encode(record));
  end.put(sizes);
  end.put(losses);
  end.flush();
  if (file.size() > end.end()) file.resize(end.end());
  if (closing.was_published) file.sync();
  const auto tasks = static_cast<std::int32_t>(closing.record.tasks);
  file.write_at(format::sion::closing_offset(tasks),
                format::sion::encode_closing(static_cast<std::int32_t>(blocks), static_cast<std::int64_t>(tail_offset),
                                             closing.order));
}

void write_set_record(storage::File& file, const SetRecord& record) {
  file.write_at(format::sion::head_bytes(static_cast<std::int32_t>(record.tasks)), encode(record));
}

// A torn or damaged record proves nothing: the set may or may not belong to another writer.
void require_epoch(base::ByteSource& file, const SetRecord& mine) {
  RecordBytes bytes{};
  const std::size_t got = file.read_at(format::sion::head_bytes(static_cast<std::int32_t>(mine.tasks)), bytes);
  const auto there = decode_set_record(base::Bytes(bytes).first(got));
  if (!there || (there->generation == mine.generation && there->epoch == mine.epoch)) return;
  base::fail(
      Code::wrong_state, file.path(),
      "another program repaired this set or appended to it after it was opened here (epoch: found {}, expected {}). "
      "Data written here since then are not part of the set. Open it again and repeat the append",
      there->epoch.count, mine.epoch.count);
}

void open_again(storage::File& file, std::int32_t tasks, ByteOrder order) {
  file.write_at(format::sion::closing_offset(tasks), format::sion::encode_closing(0, 0, order));
}

namespace sion = format::sion;

namespace {

// Removes the fields of an older set if the new one has none itself, and its additional files. Failures are ignored.
void remove_older(storage::Transport& transport, const std::string& path, const Publishing& set) {
  const std::string fields = fields_name(path);
  if (!set.has_fields && fields_generation_at(transport, fields)) remove_quietly(transport, fields);
  // A damaged header may state billions of files; behind one that is lost there may be others.
  constexpr int most_lost = 16;
  int lost = 0;
  for (std::int32_t number = set.files; number < set.older_files && lost < most_lost; ++number) {
    const std::string name = sion::file_name(path, number);
    if (transport.kind(name) != storage::PathKind::file) {
      ++lost;
      continue;
    }
    if (is_physical_file(transport, name, number)) remove_quietly(transport, name);
  }
}

}  // namespace

bool is_physical_file(storage::Transport& transport, const std::string& name, std::int32_t number) {
  try {
    return sion::read_head(*transport.open_read(name)).file_number == number;
  } catch (const Error&) {
    return false;  // it does not exist, or is something else
  }
}

std::unique_ptr<storage::File> create_part(storage::Transport& transport, const std::string& path,
                                           const std::string& part) {
  return transport.create(part, {.is_private = transport.kind(path) == storage::PathKind::file});
}

std::unique_ptr<storage::File> create_part(storage::Transport& transport, const std::string& path,
                                           const std::string& part, const StripeRequest& request, std::uint64_t bytes) {
  const std::string spare = base::temporary_name(path, base::random_number());
  auto file = create_part(transport, path, part);
  try {
    // The name may refer to another file now.
    if (transport.set_stripes(part, spare, bytes, request).stripes.is_set()) file = transport.open_write(part);
  } catch (...) {
    file.reset();
    remove_quietly(transport, part);
    throw;
  }
  return file;
}

void give_name(storage::Transport& transport, const std::string& path, const std::string& part, const std::string& name,
               bool overwrite) {
  const bool replaces = overwrite && transport.kind(name) == storage::PathKind::file;
  if (replaces || transport.kind(path) == storage::PathKind::file) {
    transport.copy_permissions(replaces ? name : path, part);
  }
  replaces ? transport.rename(part, name) : transport.publish(part, name);
}

namespace {

void replace_plain(storage::Transport& transport, const std::string& path, std::span<const NewName> names,
                   const Publishing& set) {
  std::vector<io::Renaming> files;
  for (const NewName& one : names) {
    if (one.part != one.name) files.insert(files.begin(), {one.part, one.name});
  }
  if (!files.empty()) {
    io::replace_together(
        transport, files, set.overwrite, set.syncs ? Sync::full : Sync::data, [] {}, io::files_of_set);
  }
  if (set.overwrite) remove_older(transport, path, set);
}

void give_names(storage::Transport& transport, const std::string& path, std::span<const NewName> names,
                const Publishing& set) {
  if (!set.has_generation && names.size() > 1) return replace_plain(transport, path, names, set);
  for (const NewName& one : names) {
    const bool is_last = &one == &names.back();
    if (is_last && set.syncs && (set.files > 1 || set.has_fields)) transport.sync_directory(path);
    if (one.part != one.name) give_name(transport, path, one.part, one.name, set.overwrite);
  }
  try {
    // The older set needs its files until the new name is durable.
    if (set.syncs) transport.sync_directory(path);
    if (set.overwrite) remove_older(transport, path, set);
  } catch (...) {
    const Error error = comm::error_of(std::current_exception());
    throw Error(error.code(),
                fmt::format("{}: the set is complete and published, but a crash of the machine could lose its name: {}",
                            path, error.what()),
                error.facts());
  }
}

}  // namespace

void publish_set(storage::Transport& transport, const std::string& path, std::span<const NewName> names,
                 const Publishing& set) {
  std::optional<storage::ReplacedSet> subfiles;
  if (set.overwrite) subfiles.emplace(storage::resolve(path), path);
  give_names(transport, path, names, set);
  if (subfiles) subfiles->remove_rest();
}

std::int32_t files_of(storage::Transport& transport, const std::string& path) {
  if (transport.kind(path) != storage::PathKind::file) return 0;
  try {
    const auto file = transport.open_read(path);
    return sion::read_head(*file).files;
  } catch (const Error& error) {
    // The replaced file may not be a multifile: then nothing next to it is removed.
    if (cannot_be_read(error)) throw;
  }
  return 0;
}

namespace {

// What is left of a writer that did not sync before the power failed: nothing, zeros, or fields of which parts are
// lost.
bool has_lost_its_contents(storage::Transport& transport, const std::string& name) {
  const auto file = transport.open_read(name);
  std::array<std::byte, 512> start{};  // a sector
  const std::size_t got = file->read_at(0, start);
  if (std::all_of(start.begin(), start.begin() + got, [](std::byte byte) { return byte == std::byte{0}; })) return true;
  try {
    const format::Format& found = format::recognise(*file);
    if (found.name() != "scidac") return false;
    const Catalog catalog = found.container->scan(*file, {});
    return !catalog.complete || std::ranges::any_of(catalog.findings, [](const Finding& finding) {
      return finding.severity == Severity::error;
    });
  } catch (const Error& error) {
    return error.code() == Code::truncated || error.code() == Code::malformed;
  }
}

}  // namespace

void require_fields_target(storage::Transport& transport, const std::string& path, bool overwrite) {
  const std::string name = fields_name(path);
  // A file of that name that belongs to no set must not be replaced without a request for that file.
  if (overwrite && transport.kind(name) == storage::PathKind::file && !fields_generation_at(transport, name) &&
      !has_lost_its_contents(transport, name)) {
    base::fail(
        Code::exists, name,
        "this file has no fields of a set, and is not replaced with the set; move it, or choose another name for "
        "the set");
  }
  io::require_target(transport, name, overwrite);
}

void remove_quietly(storage::Transport& transport, const std::string& path) noexcept {
  try {
    transport.remove(path);
  } catch (...) {
    // Nothing more can be done here.
  }
}

namespace {

std::uint32_t number_of(const Generation& generation) { return base::load_be<std::uint32_t>(generation.bytes.data()); }

}  // namespace

std::string part_name(const std::string& path, const Generation& generation) {
  return base::temporary_name(path, number_of(generation));
}

std::array<std::string, 2> part_names(const std::string& path, const Generation& generation) {
  return base::temporary_names(path, number_of(generation));
}

std::string found_part(storage::Transport& transport, const std::string& path, const Generation& generation) {
  const auto [name, older] = part_names(path, generation);
  return transport.kind(older) == storage::PathKind::file ? older : name;
}

std::optional<std::string> final_name(std::string_view path) {
  const auto found = base::parse_temporary_name(path);
  return found ? std::optional(found->name) : std::nullopt;
}

}  // namespace lq::sets
