// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Multifiles made of files, and multifiles written anew (include/limequat/repack.hpp).
#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <limequat/error.hpp>
#include <limequat/repack.hpp>

#include "format/sion/widths.hpp"
#include "repack/set_writer.hpp"
#include "repack/source_set.hpp"

namespace lq {
namespace {

namespace sion = format::sion;

std::int32_t checked_block(std::uint64_t block, const std::string& path) {
  if (block >= 1 && block <= std::numeric_limits<std::int32_t>::max()) return static_cast<std::int32_t>(block);
  throw Error(Code::invalid_argument,
              fmt::format("{}: chunks in multiples of {} bytes are not possible; choose 1 to 2^31 - 1", path, block),
              {.path = path, .expected = "1 to 2147483647", .found = fmt::format("{}", block)});
}

// One physical file in the manner of serial writers, with one chunk for each task.
repack::FilePlan single_file(const std::string& path, std::int32_t block, const std::vector<std::int64_t>& bytes) {
  if (bytes.size() > std::numeric_limits<std::int32_t>::max()) {
    throw Error(Code::too_large, fmt::format("{}: a multifile holds less than 2^31 tasks", path), {.path = path});
  }
  repack::FilePlan plan;
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

}  // namespace

RepackReport pack(const std::string& path, const std::vector<std::string>& inputs, const RepackOptions& options) {
  transport::Transport& transport = transport::posix();
  if (inputs.empty()) {
    throw Error(Code::invalid_argument, fmt::format("{}: name at least one file to pack", path), {.path = path});
  }
  std::vector<std::int64_t> bytes;
  for (const std::string& input : inputs) {
    if (repack::is_same_file(input, path)) {
      throw Error(Code::invalid_argument, fmt::format("{}: a file cannot be packed into itself", path), {.path = path});
    }
    bytes.push_back(static_cast<std::int64_t>(transport.open_read(input)->size()));
  }
  const std::uint64_t block = options.block_size > 0 ? options.block_size : transport.unit(path).bytes;
  const auto open = [&](std::size_t, std::int32_t task) -> repack::ReadTask {
    const auto place = std::make_shared<std::uint64_t>(0);
    const std::shared_ptr<transport::File> file = transport.open_read(inputs[static_cast<std::size_t>(task)]);
    return [file, place](base::MutableBytes buffer) {
      while (!buffer.empty()) {
        const std::size_t held = file->read_at(*place, buffer);
        if (held == 0) {
          throw Error(Code::io, fmt::format("{}: became shorter while it was packed; try again", file->path()),
                      {.path = file->path()});
        }
        *place += held;
        buffer = buffer.subspan(held);
      }
    };
  };
  return repack::write_set(transport, {single_file(path, checked_block(block, path), bytes)}, open, options);
}

RepackReport defragment(const std::string& from, const std::string& to, const RepackOptions& options) {
  transport::Transport& transport = transport::posix();
  const checkpoint::FoundSet found = repack::open_whole_set(transport, from, options);
  const sion::Set& set = found.set;
  const sion::FixedHead& head = set.files().front().head;
  const std::uint64_t block = options.block_size > 0 ? options.block_size : static_cast<std::uint64_t>(head.block_size);
  std::vector<std::int64_t> bytes;
  for (std::int32_t task = 0; task < set.tasks(); ++task)
    bytes.push_back(static_cast<std::int64_t>(found.stream_bytes(task)));
  repack::FilePlan plan = single_file(to, checked_block(block, to), bytes);
  plan.head.data_order = head.data_order;
  plan.head.set_key_value_mode(head.key_value_mode());
  for (std::int32_t task = 0; task < set.tasks(); ++task) {
    plan.head.ranks[static_cast<std::size_t>(task)] = set.rank(task);
  }
  repack::require_other_files(set, {plan});
  const repack::OpenTask streams = repack::streams_of(transport, found);
  const auto open = [&](std::size_t, std::int32_t task) {
    const sion::Place place = set.place(task);
    return streams(static_cast<std::size_t>(place.file), place.task);
  };
  std::vector<repack::FilePlan> plans;
  plans.push_back(std::move(plan));
  RepackReport report = repack::write_set(transport, std::move(plans), open, options);
  report.findings = repack::lost_records(found);
  return report;
}

RepackReport rewrite(const std::string& from, const std::string& to, const RepackOptions& options) {
  transport::Transport& transport = transport::posix();
  const checkpoint::FoundSet found = repack::open_whole_set(transport, from, options);
  std::vector<repack::FilePlan> plans = repack::same_files(found, to);
  repack::require_other_files(found.set, plans);
  RepackReport report = repack::write_set(transport, std::move(plans), repack::streams_of(transport, found), options);
  report.findings = repack::lost_records(found);
  return report;
}

}  // namespace lq
