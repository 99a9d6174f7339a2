// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Handles for opened multifiles.
#include "compat/sion/opening.hpp"

#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "comm/agree.hpp"

namespace lq::compat::sion {

using multifile::Direction;
using multifile::Mode;
using multifile::ParallelFile;

Mode mode_of(const char* words) {
  if (words == nullptr) throw Error(Code::invalid_argument, "no file mode was given");
  return multifile::with_environment(multifile::parse_mode(words));
}

std::string name_of(const char* name) {
  if (name == nullptr) throw Error(Code::invalid_argument, "no file name was given");
  return name;
}

void refuse(const std::string& sentence) { throw Error(Code::invalid_argument, sentence); }

void check_keys(const multifile::Multifile& file, const Mode& mode, int rank) {
  if (file.writes() || mode.keys != multifile::KeyRequest::inline_records) return;
  if (file.facts().key_values == format::sion::KeyValueMode::inline_records) return;
  report_error(SION_NOT_SUCCESS, rank,
               fmt::format("{}: opened with key-value records, but it has none", file.facts().path));
}

void hand_out_stream(multifile::Multifile& file, FILE** fileptr) {
  if (fileptr == nullptr) return;
  *fileptr = nullptr;
  if (file.tasks() == 0) return;
  *fileptr = file.channel().share_stream();
  file.place_stream();
}

int report_failure(const char* function, const std::exception& error, int rank) noexcept {
  // All tasks have the same error; one message is enough.
  if (rank > 0) return SION_ID_NOT_VALID;
  return guarded(function, SION_ID_NOT_VALID, rank,
                 [&] { return report_error(SION_ID_NOT_VALID, rank, fmt::format("{}: {}", function, error.what())); });
}

int close_handle(const char* function, int sid) {
  OpenFile* const open = find_file(sid);
  if (open == nullptr) {
    return report_error(SION_ID_NOT_VALID, -1, fmt::format("{}: invalid sion_filedesc {}", function, sid));
  }
  const int rc = guarded(function, SION_NOT_SUCCESS, open->rank, [&] {
    open->file->close();
    return SION_SUCCESS;
  });
  drop_handle(sid);
  return rc;
}

namespace {

void take_sizes(const ParallelArguments& arguments, multifile::Creation& creation) {
  if (arguments.chunksize == nullptr || arguments.fsblksize == nullptr) {
    throw Error(Code::invalid_argument, "no variable for the chunk size or the block size was given");
  }
  creation.chunk_bytes = *arguments.chunksize;
  creation.block_size = *arguments.fsblksize;
}

}  // namespace

ParallelRequest request_of(const ParallelArguments& arguments, int rank) {
  ParallelRequest asked_for{{}, std::make_unique<OpenFile>()};
  multifile::Creation& file = asked_for.file;
  file.mode = mode_of(arguments.mode);
  if (file.mode.direction == Direction::none) refuse(fmt::format("unknown file mode {}", arguments.mode));
  file.path = name_of(arguments.name);
  file.rank = rank;
  file.names = arguments.names_of(file.path);
  file.copy_names = arguments.names;
  if (asked_for.writes()) take_sizes(arguments, file);
  return asked_for;
}

namespace {

// Local. The caller's results for an open file: steps that may fail are done before the tasks agree, and nothing is
// returned before that.
class OpenResults {
 public:
  OpenResults(const ParallelArguments& arguments, ParallelRequest asked_for, const multifile::TaskLocation& location)
      : arguments_(arguments), asked_for_(std::move(asked_for)), location_(location) {}

  const ParallelRequest& asked_for() const noexcept { return asked_for_; }

  void prepare(ParallelFile& file) {
    // SIONlib reads the first file with a separate handle.
    if (!file.writes() && file.team().all().rank() == 0) drop_handle(reserve_handle());
    handle_.take();
    check_keys(file, asked_for_.mode(), file.location().task);
    hand_out_stream(file, arguments_.fileptr != nullptr ? &stream_ : nullptr);
    if (arguments_.newfname == nullptr) return;
    // With buddies data may come from any file; the name is that of the group's own file.
    const bool is_any = !file.writes() && asked_for_.mode().buddies > 0;
    const std::string path =
        is_any ? multifile::path_of(asked_for_.file.names, asked_for_.file.path, location_.file) : file.physical_path();
    name_.reset(::strdup(path.c_str()));
    if (!name_) throw std::bad_alloc();
  }

  int hand_over(std::unique_ptr<ParallelFile> file, multifile::TaskLocation* found) {
    if (found != nullptr) *found = file->location();
    if (arguments_.fsblksize != nullptr) *arguments_.fsblksize = file->facts().block_size;
    if (arguments_.chunksize != nullptr && !file->writes()) {
      *arguments_.chunksize = static_cast<sion_int64>(file->selected().stream.width());
    }
    if (arguments_.fileptr != nullptr) *arguments_.fileptr = stream_;
    if (arguments_.newfname != nullptr) *arguments_.newfname = name_.release();
    asked_for_.open->kind = Kind::parallel;
    asked_for_.open->rank = file->location().task;
    asked_for_.open->file = std::move(file);
    return handle_.fill(std::move(asked_for_.open));
  }

 private:
  const ParallelArguments& arguments_;
  ParallelRequest asked_for_;
  multifile::TaskLocation location_;
  ReservedHandle handle_;
  FILE* stream_ = nullptr;
  std::unique_ptr<char, decltype(&std::free)> name_{nullptr, &std::free};
};

// A single file has no copies to read; those of several need an exchange with the neighbours.
ParallelRequest with_copies(const multifile::Team& team, ParallelRequest asked_for,
                            const multifile::TaskLocation& location) {
  if (asked_for.writes() && asked_for.mode().buddies > 0 && !team.can_keep_copies()) {
    throw Error(Code::unsupported,
                fmt::format("{}: buddy copies need callbacks for data (gather_and_execute, execute_and_scatter); "
                            "register them, or omit \"buddy\"",
                            asked_for.file.path));
  }
  if (!asked_for.writes() && location.files == 1) asked_for.file.mode.buddies = 0;
  return asked_for;
}

}  // namespace

int open_in_parallel(const std::shared_ptr<multifile::Team>& team, const ParallelArguments& arguments,
                     ParallelRequest asked_for, const multifile::TaskLocation& location,
                     multifile::TaskLocation* found) {
  asked_for.file.location = location;
  OpenResults out(arguments, std::move(asked_for), location);
  const auto last = [&](ParallelFile& file) { out.prepare(file); };
  const ParallelRequest& asked = out.asked_for();
  auto file = asked.writes()             ? ParallelFile::create(team, asked.file, last)
              : asked.mode().buddies > 0 ? ParallelFile::open_with_buddies(team, asked.file, location, last)
                                         : ParallelFile::open(team, asked.file, last);
  return out.hand_over(std::move(file), found);
}

int open_in_parallel(const std::shared_ptr<multifile::Team>& team, const ParallelArguments& arguments,
                     const multifile::TaskLocation& location, int rank, multifile::TaskLocation* found) {
  const int place = team->all().rank();
  try {
    // A task that fails here must not leave the others waiting.
    ParallelRequest asked_for =
        comm::agree(team->all(), [&] { return with_copies(*team, request_of(arguments, rank), location); });
    return open_in_parallel(team, arguments, std::move(asked_for), location, found);
  } catch (const std::exception& error) {
    return report_failure(arguments.function, error, place);
  }
}

}  // namespace lq::compat::sion
