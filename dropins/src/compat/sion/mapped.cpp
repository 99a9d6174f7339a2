// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Arrays of the caller as the tasks of a mapped open, and back.
#include "compat/sion/opening.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "comm/agree.hpp"
#include "multifile/mapped_file.hpp"

namespace lq::compat::sion {
namespace {

using multifile::Direction;
using multifile::MappedFile;

bool is_array(const auto* const* array) { return array != nullptr && *array != nullptr; }

void take_tasks(const MappedArguments& arguments, multifile::MappedCreation& request) {
  if (*arguments.files <= 0) refuse("numFiles variable <= 0 not allowed for mapped files in write mode");
  if (arguments.tasks == nullptr || *arguments.tasks < 0) refuse("no number of local tasks was given");
  const auto count = static_cast<std::size_t>(*arguments.tasks);
  const bool complete = is_array(arguments.ranks) && is_array(arguments.chunks) && is_array(arguments.file_numbers) &&
                        is_array(arguments.numbers);
  if (count > 0 && !complete) refuse("no arrays of ranks, chunk sizes, file numbers and local ranks were given");
  if (arguments.common.fsblksize == nullptr) refuse("no variable for the block size was given");
  request.files = *arguments.files;
  request.block_size = *arguments.common.fsblksize;
  for (std::size_t i = 0; i < count; ++i) {
    request.tasks.push_back(
        {(*arguments.ranks)[i], (*arguments.chunks)[i], (*arguments.file_numbers)[i], (*arguments.numbers)[i]});
  }
}

// The tasks that the caller names; empty: the library distributes them.
std::optional<std::vector<std::int64_t>> wanted_ranks(const MappedArguments& arguments) {
  if (arguments.tasks == nullptr) refuse("no number of local tasks was given");
  if (*arguments.tasks < 0) return std::nullopt;
  if (*arguments.tasks > 0 && !is_array(arguments.ranks)) refuse("no array of global ranks was given");
  std::vector<std::int64_t> ranks;
  for (int i = 0; i < *arguments.tasks; ++i) ranks.push_back((*arguments.ranks)[i]);
  return ranks;
}

void give_contents(const MappedArguments& arguments, const MappedFile& file, bool were_dealt) {
  const std::size_t count = file.tasks();
  const auto give = [&](auto** target, const auto& value) {
    if (target == nullptr) return;
    *target = nullptr;
    give_array(target, count, value);
  };
  if (were_dealt) give(arguments.ranks, [&](std::size_t i) { return static_cast<int>(file.task(i).rank); });
  *arguments.tasks = static_cast<int>(count);
  *arguments.files = file.facts().files;
  give(arguments.chunks, [&](std::size_t i) { return static_cast<sion_int64>(file.task(i).stream.width()); });
  give(arguments.file_numbers, [&](std::size_t i) { return static_cast<int>(file.task(i).file); });
  give(arguments.numbers, [&](std::size_t i) { return static_cast<int>(file.task(i).number); });
}

// The request in these arguments.
struct MappedRequest {
  multifile::MappedCreation file = {};                  // or the part needed to open it
  std::optional<std::vector<std::int64_t>> ranks = {};  // to read
  bool writes() const noexcept { return file.mode.direction == Direction::write; }
};

MappedRequest request_of(const MappedArguments& arguments) {
  if (arguments.files == nullptr) refuse("No numFiles variable given");
  MappedRequest asked_for;
  asked_for.file.mode = mode_of(arguments.common.mode);
  if (asked_for.file.mode.direction == Direction::none)
    refuse(fmt::format("unknown file mode {}", arguments.common.mode));
  asked_for.file.path = name_of(arguments.common.name);
  asked_for.file.names = arguments.common.names_of(asked_for.file.path);
  if (asked_for.writes()) {
    take_tasks(arguments, asked_for.file);
  } else {
    asked_for.ranks = wanted_ranks(arguments);
  }
  return asked_for;
}

}  // namespace

int open_mapped(const std::shared_ptr<comm::Comm>& all, const MappedArguments& arguments) {
  try {
    std::unique_ptr<OpenFile> open;
    ReservedHandle handle;
    MappedRequest asked_for = comm::agree(*all, [&] {
      MappedRequest wanted = request_of(arguments);
      open = std::make_unique<OpenFile>();
      // The handle is the first that SIONlib takes; then it reads the first file with another handle.
      handle.take();
      if (!wanted.writes() && all->rank() == 0) drop_handle(reserve_handle());
      return wanted;
    });
    const bool were_dealt = !asked_for.ranks.has_value();
    auto file = asked_for.writes() ? MappedFile::create(all, asked_for.file)
                                   : MappedFile::open(all, asked_for.file, std::move(asked_for.ranks));
    comm::agree(*all, [&] {
      if (!asked_for.writes()) give_contents(arguments, *file, were_dealt);
      check_keys(*file, asked_for.file.mode, all->rank());
      hand_out_stream(*file, arguments.common.fileptr);
    });
    if (arguments.common.fsblksize != nullptr) *arguments.common.fsblksize = file->facts().block_size;
    open->kind = Kind::mapped;
    open->rank = all->rank();
    open->file = std::move(file);
    return handle.fill(std::move(open));
  } catch (const std::exception& error) {
    return report_failure(arguments.common.function, error, all->rank());
  }
}

}  // namespace lq::compat::sion
