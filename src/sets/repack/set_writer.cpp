// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Physical files of a new multifile, and files packed into one (include/limequat/repack.hpp).
#include "sets/repack/set_writer.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/byte_source.hpp"
#include "base/error.hpp"
#include "comm/alone.hpp"
#include "comm/node.hpp"
#include "io/journal.hpp"
#include "sets/checkpoint/closing.hpp"
#include "sets/checkpoint/set_fields.hpp"

namespace lq::sets {

namespace sion = format::sion;

namespace {

constexpr std::size_t hole_bytes = 64 * 1024;  // zeros that are not written

// Zeros become holes: allocated chunk space without data.
void write_sparsely(storage::File& file, std::uint64_t offset, base::Bytes bytes) {
  while (!bytes.empty()) {
    const base::Bytes piece = bytes.first(std::min(bytes.size(), hole_bytes));
    const bool is_zero = std::ranges::all_of(piece, [](std::byte b) { return b == std::byte{0}; });
    if (!is_zero) file.write_at(offset, piece);
    offset += piece.size();
    bytes = bytes.subspan(piece.size());
  }
}

// Without records: the fill of chunks is in the table only, which is known beforehand.
class PlainWriter final : public SetWriter {
 public:
  PlainWriter(storage::Transport& transport, std::vector<FilePlan> plans, const RepackOptions& options)
      : SetWriter(transport, std::move(plans), options) {
    for (std::size_t k = 0; k < plans_.size(); ++k) {
      sion::Head& head = plans_[k].head;
      const std::uint64_t blocks = plans_[k].table.max_count();
      head.max_chunks = static_cast<std::int32_t>(blocks);
      head.tail_offset = static_cast<std::int64_t>(geometries_[k].tail_offset(blocks));
      const std::uint64_t map = plans_[k].map ? 4 + 8 * plans_[k].map->size() : 0;
      report_.file_bytes += static_cast<std::uint64_t>(head.tail_offset) + sion::table_bytes(head.tasks, blocks) + map;
    }
  }

 private:
  void require_targets() const override {
    SetWriter::require_targets();
    io::require_space(transport_, path(), report_.bytes);  // unwritten parts are holes
  }

  void write_file(std::size_t number, const OpenTask& open, storage::File& file, Progressing& progress) override {
    const FilePlan& plan = plans_[number];
    for_each_task(number, [&](int thread, std::int32_t task) {
      if (plan.table.bytes(task) > 0) write_task(number, task, open(number, task), file, progress, thread);
    });
    file.write_at(0, sion::encode(plan.head));
    auto offset = static_cast<std::uint64_t>(plan.head.tail_offset);
    sion::encode({plan.table, plan.map}, plan.head.metadata_order, [&](base::Bytes bytes) {
      file.write_at(offset, bytes);
      offset += bytes.size();
    });
  }

  std::string remedy() const override {
    return fmt::format("its files still named {} only need to be renamed", part("NAME"));
  }

  void write_task(std::size_t number, std::int32_t task, const ReadTask& read, storage::File& file,
                  Progressing& progress, int thread) const {
    const std::span<const std::int64_t> chunks = plans_[number].table.used(task);
    for (std::size_t chunk = 0; chunk < chunks.size(); ++chunk) {
      std::uint64_t offset = geometries_[number].chunk_offset(task, chunk);
      copy_stream(read, static_cast<std::uint64_t>(chunks[chunk]), progress, thread, [&](base::Bytes bytes) {
        write_sparsely(file, offset, bytes);
        offset += bytes.size();
      });
    }
  }
};

}  // namespace

std::int32_t checked_block(std::uint64_t block, const std::string& path) {
  if (block >= 1 && block <= std::numeric_limits<std::int32_t>::max()) return static_cast<std::int32_t>(block);
  base::fail(Code::invalid_argument, {.path = path, .expected = "1 to 2147483647", .found = fmt::format("{}", block)},
             "chunks in multiples of {} bytes are not possible; choose 1 to 2^31 - 1", block);
}

FilePlan plan_single_file(const std::string& path, std::uint64_t block_size, const std::vector<std::int64_t>& bytes) {
  const std::int32_t block = checked_block(block_size, path);
  if (bytes.size() > std::numeric_limits<std::int32_t>::max()) {
    base::fail(Code::too_large, path, "a multifile holds less than 2^31 tasks");
  }
  FilePlan plan;
  plan.path = path;
  plan.head.prefix = path;
  plan.head.block_size = block;
  plan.head.tasks = static_cast<std::int32_t>(bytes.size());
  plan.head.file_number = 1;
  plan.head.widths = sion::aligned_widths(bytes, block);
  plan.table = sion::ChunkTable(std::vector<std::uint64_t>(bytes.size(), 1));
  for (std::size_t task = 0; task < bytes.size(); ++task) {
    plan.head.ranks.push_back(static_cast<std::int64_t>(task));
    plan.table.used(static_cast<std::int32_t>(task))[0] = bytes[task];
  }
  plan.map.emplace();  // empty
  return plan;
}

SetWriter::SetWriter(storage::Transport& transport, std::vector<FilePlan> plans, const RepackOptions& options)
    : transport_(transport), plans_(std::move(plans)), options_(options) {
  report_.format = "sion";
  for (FilePlan& plan : plans_) {
    plan.head.format_version = sion::version;
    plan.head.max_chunks = 0;
    plan.head.tail_offset = 0;
    geometries_.emplace_back(plan.head, plan.path);
    report_.files.push_back(plan.path);
    report_.tasks += static_cast<std::uint64_t>(plan.head.tasks);
    for (std::int32_t task = 0; task < plan.head.tasks; ++task) report_.bytes += plan.table.bytes(task);
  }
}

RepackReport SetWriter::run(const OpenTask& open) {
  require_targets();
  if (options_.dry_run) return std::move(report_);
  Progressing progress(options_.progress, report_.bytes + bytes_of_fields());
  team_.emplace(comm::thread_count(options_.threads, report_.bytes));
  if (options_.overwrite) older_files_ = files_of(transport_, path());
  try {
    for (std::size_t k = 0; k < plans_.size(); ++k) {
      write_part(plans_[k].path, [&](storage::File& file) { write_file(k, open, file, progress); });
    }
    if (has_fields()) {
      write_part(fields_name(path()), [&](storage::File& file) { write_fields(file, progress); });
    }
    team_.reset();
    progress.finish();
    publish();
  } catch (...) {
    for (const std::string& one : parts_) remove_quietly(transport_, one);
    throw;
  }
  return std::move(report_);
}

void SetWriter::require_targets() const {
  for (const FilePlan& plan : plans_) {
    (void)sion::encode_fixed(plan.head);  // its errors are thrown before anything is written
    io::require_target(transport_, plan.path, options_.overwrite);
  }
}

std::string SetWriter::part(const std::string& name) const { return part_name(name, generation_); }

void SetWriter::write_part(const std::string& name, const std::function<void(storage::File&)>& work) {
  const std::string temporary = part(name);
  const auto created = create_part(transport_, path(), temporary);
  parts_.push_back(temporary);
  created->close();
  for (const std::string& like : plans_.front().likes) {
    // The file may be missing in a set being repaired.
    if (&storage::resolve(like) != &transport_ || transport_.kind(like) != storage::PathKind::file) continue;
    transport_.keep_private(like, temporary);
  }
  io::NewFile file(transport_, Communicator(), name);
  file.go_on(temporary);
  file.named([&] { work(file.file()); });
  file.finish(options_.sync);
}

void SetWriter::publish() {
  std::vector<NewName> names;
  const auto add = [&](const std::string& name) { names.push_back({part(name), name}); };
  for (std::size_t k = plans_.size(); k-- > 1;) add(plans_[k].path);
  if (has_fields()) add(fields_name(path()));
  add(path());
  try {
    publish_set(transport_, path(), names,
                {.files = static_cast<std::int32_t>(plans_.size()),
                 .has_fields = has_fields(),
                 .overwrite = options_.overwrite,
                 .older_files = older_files_,
                 .syncs = options_.sync == Sync::full,
                 .has_generation = has_generation()});
  } catch (const Error& error) {
    if (transport_.kind(names.front().part) == storage::PathKind::file) throw;  // nothing is renamed yet
    parts_.clear();
    if (transport_.kind(names.back().part) != storage::PathKind::file) throw;  // all are renamed
    throw Error(error.code(), fmt::format("{}; the new set is complete, and {}", error.what(), remedy()),
                error.facts());
  }
}

void SetWriter::for_each_task(std::size_t number, base::FunctionRef<void(int thread, std::int32_t task)> write) {
  comm::parallel_for(*team_, static_cast<std::uint64_t>(plans_[number].head.tasks),
                     [&](int thread, std::uint64_t task) { write(thread, static_cast<std::int32_t>(task)); });
}

void SetWriter::copy_stream(const ReadTask& read, std::uint64_t bytes, Progressing& progress, int thread,
                            const std::function<void(base::Bytes)>& work) {
  std::vector<std::byte> buffer;
  for (std::uint64_t done = 0; done < bytes; done += buffer.size()) {
    buffer.resize(static_cast<std::size_t>(std::min<std::uint64_t>(piece_bytes, bytes - done)));
    read(buffer);
    work(buffer);
    progress.add(buffer.size(), thread);
  }
}

RepackReport write_set(storage::Transport& transport, std::vector<FilePlan> plans, const OpenTask& open,
                       const RepackOptions& options) {
  return PlainWriter(transport, std::move(plans), options).run(open);
}

}  // namespace lq::sets

namespace lq {
namespace {

RepackReport pack_files(const std::string& path, const std::vector<std::string>& inputs, const RepackOptions& options) {
  storage::Transport& transport = storage::resolve(path);
  if (inputs.empty()) {
    base::fail(Code::invalid_argument, path, "name at least one file to pack");
  }
  std::vector<std::int64_t> bytes;
  for (const std::string& input : inputs) {
    if (sets::is_same_file(input, path)) {
      base::fail(Code::invalid_argument, path, "a file cannot be packed into itself");
    }
    io::require_no_journal(storage::resolve(input), input);
    bytes.push_back(static_cast<std::int64_t>(storage::resolve(input).open_read(input)->size()));
  }
  const std::uint64_t block = options.block_size > 0 ? options.block_size : transport.unit(path).bytes;
  const auto open = [&](std::size_t, std::int32_t task) -> sets::ReadTask {
    const auto place = std::make_shared<std::uint64_t>(0);
    const std::string& input = inputs[static_cast<std::size_t>(task)];
    std::shared_ptr<base::ByteSource> file = storage::resolve(input).open_read(input);
    if (options.verify != Verify::none) file = std::make_shared<base::ReadTwice>(file);
    return [file, place](base::MutableBytes buffer) {
      while (!buffer.empty()) {
        const std::size_t held = file->read_at(*place, buffer);
        if (held == 0) {
          base::fail(Code::io, file->path(), "became shorter while being packed; try again");
        }
        *place += held;
        buffer = buffer.subspan(held);
      }
    };
  };
  std::vector<sets::FilePlan> plans{sets::plan_single_file(path, block, bytes)};
  plans.front().likes = inputs;
  return sets::write_set(transport, std::move(plans), open, options);
}

}  // namespace

// Files packed into a multifile (include/limequat/repack.hpp).

RepackReport pack(const std::string& path, const std::vector<std::string>& inputs, const RepackOptions& options) {
  return comm::alone([&] { return pack_files(path, inputs, options); });
}

}  // namespace lq
