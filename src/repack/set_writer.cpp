// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// See set_writer.hpp.
#include "repack/set_writer.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "checkpoint/publishing.hpp"
#include "format/sion/geometry.hpp"

namespace lq::repack {
namespace {

namespace sion = format::sion;

constexpr std::size_t hole_bytes = 64 * 1024;  // zeros that are not written

// Zeros are left as holes: room that is there but holds nothing.
void write_sparsely(transport::File& file, std::uint64_t offset, base::Bytes bytes) {
  while (!bytes.empty()) {
    const base::Bytes piece = bytes.first(std::min(bytes.size(), hole_bytes));
    const bool is_zero = std::ranges::all_of(piece, [](std::byte b) { return b == std::byte{0}; });
    if (!is_zero) file.write_at(offset, piece);
    offset += piece.size();
    bytes = bytes.subspan(piece.size());
  }
}

class FileWriter {
 public:
  FileWriter(const FilePlan& plan, const sion::Geometry& geometry, transport::File& file)
      : plan_(plan), geometry_(geometry), file_(file) {}

  void write_task(std::int32_t task, const ReadTask& read, Progressing& progress) {
    std::vector<std::byte> buffer;
    const std::span<const std::int64_t> chunks = plan_.table.used(task);
    for (std::size_t chunk = 0; chunk < chunks.size(); ++chunk) {
      const auto used = static_cast<std::uint64_t>(chunks[chunk]);
      for (std::uint64_t done = 0; done < used; done += buffer.size()) {
        buffer.resize(static_cast<std::size_t>(std::min<std::uint64_t>(piece_bytes, used - done)));
        read(buffer);
        write_sparsely(file_, geometry_.chunk_offset(task, chunk) + done, buffer);
        progress.add(buffer.size());
      }
    }
  }

  void write_metadata() {
    file_.write_at(0, sion::encode(plan_.head));
    auto offset = static_cast<std::uint64_t>(plan_.head.tail_offset);
    const auto sink = [&](base::Bytes bytes) {
      file_.write_at(offset, bytes);
      offset += bytes.size();
    };
    sion::encode({plan_.table, plan_.map}, plan_.head.metadata_order, sink);
  }

 private:
  const FilePlan& plan_;
  const sion::Geometry& geometry_;
  transport::File& file_;
};

std::uint64_t size_of(const FilePlan& plan) {
  const std::uint64_t map = plan.map ? 4 + 8 * plan.map->size() : 0;
  return static_cast<std::uint64_t>(plan.head.tail_offset) +
         sion::table_bytes(plan.head.tasks, static_cast<std::uint64_t>(plan.head.max_chunks)) + map;
}

// The closing fields follow from the table.
sion::Geometry close(FilePlan& plan) {
  plan.head.format_version = sion::version;
  plan.head.max_chunks = 0;
  plan.head.tail_offset = 0;
  sion::Geometry geometry(plan.head, plan.path);
  const std::uint64_t blocks = plan.table.max_count();
  plan.head.max_chunks = static_cast<std::int32_t>(blocks);
  plan.head.tail_offset = static_cast<std::int64_t>(geometry.tail_offset(blocks));
  return geometry;
}

RepackReport report_of(const std::vector<FilePlan>& plans) {
  RepackReport report;
  for (const FilePlan& plan : plans) {
    report.files.push_back(plan.path);
    report.tasks += static_cast<std::uint64_t>(plan.head.tasks);
    report.file_bytes += size_of(plan);
    for (std::int32_t task = 0; task < plan.head.tasks; ++task) report.bytes += plan.table.bytes(task);
  }
  return report;
}

}  // namespace

std::int32_t checked_block(std::uint64_t block, const std::string& path) {
  if (block >= 1 && block <= std::numeric_limits<std::int32_t>::max()) return static_cast<std::int32_t>(block);
  throw Error(Code::invalid_argument,
              fmt::format("{}: chunks in multiples of {} bytes are not possible; choose 1 to 2^31 - 1", path, block),
              {.path = path, .expected = "1 to 2147483647", .found = fmt::format("{}", block)});
}

FilePlan plan_single_file(const std::string& path, std::uint64_t block_size, const std::vector<std::int64_t>& bytes) {
  const std::int32_t block = checked_block(block_size, path);
  if (bytes.size() > std::numeric_limits<std::int32_t>::max()) {
    throw Error(Code::too_large, fmt::format("{}: a multifile holds less than 2^31 tasks", path), {.path = path});
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

RepackReport write_set(transport::Transport& transport, std::vector<FilePlan> plans, const OpenTask& open,
                       const RepackOptions& options) {
  std::vector<sion::Geometry> geometries;
  for (FilePlan& plan : plans) {
    geometries.push_back(close(plan));
    (void)sion::encode_fixed(plan.head);  // whatever is wrong with it shows before anything is written
    io::require_target(transport, plan.path, options.overwrite);
  }
  RepackReport report = report_of(plans);
  // What is not written are holes.
  io::require_space(transport, plans.front().path, report.bytes);
  if (options.dry_run) return report;
  Progressing progress{options.progress, 0, report.bytes};
  const std::string& path = plans.front().path;
  const std::int32_t older_files = options.overwrite ? checkpoint::files_of(transport, path) : 0;
  const Communicator alone;
  std::vector<std::unique_ptr<io::NewFile>> files;
  for (std::size_t k = 0; k < plans.size(); ++k) {
    files.push_back(std::make_unique<io::NewFile>(transport, alone, plans[k].path, options.overwrite, 0, true));
    io::NewFile& file = *files.back();
    file.named([&] {
      FileWriter writer(plans[k], geometries[k], file.file());
      for (std::int32_t task = 0; task < plans[k].head.tasks; ++task) {
        if (plans[k].table.bytes(task) > 0) writer.write_task(task, open(k, task), progress);
      }
      writer.write_metadata();
    });
    file.finish(options.sync);
  }
  for (std::size_t k = files.size(); k-- > 0;) files[k]->publish(options.sync);
  if (options.overwrite) {
    checkpoint::remove_older(transport, path, static_cast<std::int32_t>(plans.size()), older_files, false);
  }
  return report;
}

}  // namespace lq::repack
