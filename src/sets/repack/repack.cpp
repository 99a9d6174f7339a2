// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Files packed into a multifile (include/limequat/repack.hpp).
#include <fmt/format.h>
#include <limequat/error.hpp>
#include <limequat/repack.hpp>

#include "base/read_twice.hpp"
#include "io/journal.hpp"
#include "sets/repack/set_writer.hpp"
#include "sets/repack/source_set.hpp"

namespace lq {

RepackReport pack(const std::string& path, const std::vector<std::string>& inputs, const RepackOptions& options) {
  storage::Transport& transport = storage::resolve(path);
  if (inputs.empty()) {
    throw Error(Code::invalid_argument, fmt::format("{}: name at least one file to pack", path), {.path = path});
  }
  std::vector<std::int64_t> bytes;
  for (const std::string& input : inputs) {
    if (sets::is_same_file(input, path)) {
      throw Error(Code::invalid_argument, fmt::format("{}: a file cannot be packed into itself", path), {.path = path});
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
          throw Error(Code::io, fmt::format("{}: became shorter while it was packed; try again", file->path()),
                      {.path = file->path()});
        }
        *place += held;
        buffer = buffer.subspan(held);
      }
    };
  };
  return sets::write_set(transport, {sets::plan_single_file(path, block, bytes)}, open, options);
}

}  // namespace lq
