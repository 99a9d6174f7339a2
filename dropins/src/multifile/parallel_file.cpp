// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Multifiles in which each task has its own logical file open: created, written and read by collectors for their
// groups, and closed after writing.
#include "multifile/parallel_file.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/error.hpp"
#include "comm/agree.hpp"
#include "comm/tree.hpp"
#include "comm/wire.hpp"
#include "format/sion/geometry.hpp"
#include "multifile/buddy_copies.hpp"

namespace lq::multifile {

// Creating a multifile: the first task of each physical file creates it, computes the positions of the chunks, and
// writes metadata block 1 (formats/sion.md 2, 4); then all tasks open it.

namespace {

using format::sion::Head;

void require_valid(const Creation& request, const comm::Comm& all) {
  const TaskLocation& location = request.location;
  if (request.chunk_bytes < 0) {
    throw Error(Code::invalid_argument,
                fmt::format("{}: a chunk of {} bytes; choose 0 or more", request.path, request.chunk_bytes));
  }
  require_block_size(request.path, request.block_size);
  const bool is_in_order =
      !location.is_rank || (location.files == 1 && location.task == all.rank() && location.tasks == all.size());
  const bool fits = is_in_order && location.files >= 1 && location.file >= 0 && location.file < location.files &&
                    location.tasks >= 1 && location.task >= 0 && location.task < location.tasks &&
                    location.tasks <= all.size() && location.files <= all.size();
  if (!fits) {
    throw Error(
        Code::invalid_argument,
        fmt::format("{}: task {} of {} in file {} of {}, of {} tasks in total: this is impossible; count from 0",
                    request.path, location.task, location.tasks, location.file, location.files, all.size()));
  }
  if (request.mode.buddies == 0 || location.files > 1) return;
  throw Error(Code::invalid_argument,
              fmt::format("{}: neighbouring files keep buddy copies, but there is only one physical file; give local "
                          "communicators",
                          request.path));
}

std::vector<std::int64_t> widths_for(std::span<const std::int64_t> chunks, std::int64_t block,
                                     const std::vector<std::int32_t>& groups, bool collects, bool merges) {
  if (!collects) return format::sion::aligned_widths(chunks, block);
  return merges ? format::sion::merging_widths(chunks, block, groups)
                : format::sion::collective_widths(chunks, block, groups);
}

// Removes the empty file after a failed creation, which some tasks may not know about.
class NewFile {
 public:
  NewFile(storage::Transport& transport, std::string path) : transport_(transport), path_(std::move(path)) {}
  ~NewFile() {
    if (kept_ || !is_new_) return;
    try {
      transport_.remove(path_);
    } catch (...) {  // the original failure is the one to report
    }
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  void note_new() noexcept { is_new_ = true; }
  void keep() noexcept { kept_ = true; }
  const std::string& path() const noexcept { return path_; }

 private:
  storage::Transport& transport_;
  std::string path_;
  bool is_new_ = false;
  bool kept_ = false;
};

Facts facts_of(const Creation& request, int tasks) {
  Facts facts = facts_for_writing(request.path, request.mode);
  facts.block_size = request.block_size;
  facts.files = request.location.files;
  facts.file_number = request.location.file;
  facts.tasks_of_set = tasks;
  return facts;
}

std::vector<comm::StatedArgument> stated_creation(const Creation& request) {
  std::vector<comm::StatedArgument> stated =
      stated_request(request.path, request.mode, request.block_size, request.location.files);
  stated.push_back({"how tasks are numbered", request.location.is_rank ? "as ranks" : "freely"});
  return stated;
}

// The rank in `all` of the first task of file 0. Files without tasks would be missing from the set.
int find_map_root(comm::Comm& all, const TaskLocation& location) {
  if (location.files == 1) return 0;
  const std::uint64_t is_first = location.task == 0 ? 1 : 0, is_root = location.file == 0 ? is_first : 0;
  std::array<std::uint64_t, 3> sums{is_root * static_cast<std::uint64_t>(all.rank()), is_root, is_first};
  all.all_reduce(sums, comm::Reduce::sum);
  if (sums[1] == 1 && sums[2] == static_cast<std::uint64_t>(location.files)) return static_cast<int>(sums[0]);
  throw Error(Code::invalid_argument,
              fmt::format("{} physical files have {} first tasks, {} of them in file 0; each has one, and files and "
                          "tasks count from 0",
                          location.files, sums[2], sums[1]));
}

}  // namespace

ParallelFile::ParallelFile(Facts facts, std::shared_ptr<Team> team, TaskLocation location)
    : Multifile(std::move(facts)), team_(std::move(team)), location_(location) {}
ParallelFile::~ParallelFile() = default;

std::unique_ptr<ParallelFile> ParallelFile::create(std::shared_ptr<Team> team, const Creation& request, Last last) {
  comm::Comm& all = team->all();
  std::unique_ptr<ParallelFile> file;
  std::optional<NewFile> made;
  comm::require_same(all, [&] {
    require_path(request.path);
    require_valid(request, all);
    file.reset(new ParallelFile(facts_of(request, all.size()), team, request.location));
    file->physical_path_ = path_of(request.names, request.path, request.location.file);
    require_path(file->physical_path_);
    made.emplace(*request.opener.transport, file->physical_path_);
    return stated_creation(request);
  });
  file->asked_for_ = request.mode.collectors;
  if (request.mode.buddies > 0 && !file->asked_for_.on) file->asked_for_ = {true, request.location.tasks, 0};
  file->form_group(request);
  file->map_root_ = find_map_root(all, request.location);
  file->transport_ = request.opener.transport;
  file->owners_ = owners_of_set(all, *file->transport_, file->physical_path_);
  file->merges_ = request.mode.merges;
  const std::exception_ptr failure = file->settle(request.chunk_bytes, request.rank, [&] {
    if (request.opener.transport->kind(made->path()) == storage::PathKind::absent) made->note_new();
    file->create_physical(request);
  });
  comm::agree(all, [&] {
    if (failure) std::rethrow_exception(failure);
    // Without a task there was no answer, and the first task of the file reports the reason.
    if (file->tasks_.empty()) return;
    Opener opener = request.opener.with(request.mode, file->facts_.block_size);
    opener.syncs = file->owners_.have_incoherent_caches();
    file->open_data(opener);
    last(*file);
  });
  if (request.mode.buddies > 0) {
    file->copies_ = comm::agree(
        all, [&] { return std::make_unique<BuddyCopies>(team, file->group_.comm, request, file->facts_.block_size); });
    file->copies_->create(request);
  }
  made->keep();
  return file;
}

// On the first task.
void ParallelFile::create_physical(const Creation& request) {
  metadata_ = std::make_unique<multifile::MetadataWriter>(request.opener.create(physical_path_),
                                                          owners_.have_incoherent_caches());
  if (request.block_size < 0) facts_.block_size = multifile::block_size_of(*request.opener.transport, physical_path_);
  facts_.block_size = whole_blocks(owners_, facts_.block_size);
}

void ParallelFile::form_group(const Creation& request) {
  group_ = team_->form(location_, asked_for_.on);
  if (location_.is_rank) return;
  comm::agree(team_->all(), [&] {
    if (group_.comm->size() == location_.tasks && group_.comm->rank() == location_.task) return;
    throw Error(Code::invalid_argument, fmt::format("{}: file {} has {} tasks, but {} were announced", request.path,
                                                    location_.file, group_.comm->size(), location_.tasks));
  });
}

// Collective over the tasks of the file. The first one prepares and computes all positions; errors must be
// agreed on.
std::exception_ptr ParallelFile::settle(std::int64_t chunk_bytes, std::int64_t rank,
                                        base::FunctionRef<void()> prepare) {
  comm::Comm& comm = *group_.comm;
  const Request mine{chunk_bytes, rank, team_->may_collect() ? 0U : 1U};
  std::exception_ptr failure;
  const auto attempt = [&](const auto& work) { base::keep_failure(failure, work); };
  std::optional<Layout> layout;  // on the first task
  attempt([&] {
    TaskRequests all_asked_for;
    comm::gather_records(comm, std::span(&mine, 1), 0, [&](const Request& request) {
      if (all_asked_for.chunks.empty()) all_asked_for.reserve(static_cast<std::size_t>(comm.size()));
      all_asked_for.chunks.push_back(request.chunk_bytes);
      all_asked_for.ranks.push_back(request.rank);
      all_asked_for.only_sends.push_back(request.only_sends != 0 ? 1 : 0);
    });
    // A task that could not send its request reports the reason.
    if (!is_first() || all_asked_for.chunks.size() != static_cast<std::size_t>(comm.size())) return;
    prepare();
    layout.emplace(make_layout(std::move(all_asked_for)));
  });
  attempt([&] {
    const std::vector<std::byte> answer = comm.scatter_parts(
        [&](int task) {
          return failure || !layout ? std::vector<std::byte>() : layout->answer_to(location_.file, task);
        },
        0);
    if (!answer.empty()) take_answer(answer);
  });
  return failure;
}

// On the first task: from all requests to all positions.
ParallelFile::Layout ParallelFile::make_layout(TaskRequests all_asked_for) {
  Head head = head_of(facts_);
  head.tasks = static_cast<std::int32_t>(all_asked_for.chunks.size());
  head.ranks = std::move(all_asked_for.ranks);
  Layout layout;
  const bool collects = group_.exchange != nullptr;
  if (collects) {
    layout.groups = format::sion::collector_groups(all_asked_for.chunks, head.block_size,
                                                   asked_for_.tasks_each_of(head.tasks), all_asked_for.only_sends);
  }
  head.widths = widths_for(all_asked_for.chunks, head.block_size, layout.groups, collects, merges_);
  all_asked_for = {};
  layout.geometry = metadata_->write_head(head);
  layout.collecting = {collects, merges_ && collects, {}};
  layout.ranks = std::move(head.ranks);
  layout.head = std::move(static_cast<format::sion::FixedHead&>(head));
  return layout;
}

void ParallelFile::take_answer(base::Bytes bytes) {
  const auto collecting = comm::take<Layout::Collecting>(bytes);
  collects_ = collecting.is_on != 0;
  merges_ = collecting.merges != 0;
  collectors_ = collecting.group;
  if (collects_) group_.exchange->reserve(collectors_);
  tasks_.clear();
  add_task(bytes);
}

void ParallelFile::open_data(const Opener& opener) {
  channels_.push_back(opener.open(physical_path_, facts_.direction));
}

void ParallelFile::resize_chunks(std::int64_t chunk_bytes) {
  comm::agree(team_->all(), [&] {
    catch_up();
    const bool is_fresh = writes() && selected().stream.size() == 0 && selected().stream.chunks() == 1;
    if (is_fresh && chunk_bytes >= 0) return;
    throw Error(is_fresh ? Code::invalid_argument : Code::wrong_state,
                fmt::format("{}: chunks of {} bytes: sizes are positive, and are chosen before data are written",
                            facts_.path, chunk_bytes));
  });
  const std::exception_ptr failure = settle(chunk_bytes, selected().rank, [] {});
  comm::agree_on_success(team_->all(), failure);
  place_stream();
}

// Closing a written multifile: first the data of all tasks, then their final sizes, gathered once on
// the first task of each physical file, which writes metadata block 2 and its position (formats/sion.md 5). A table
// never lists data that did not arrive: after any failure the files stay unclosed.

void ParallelFile::close() {
  if (!writes()) return comm::agree(team_->all(), [&] { close_channels(); });
  close_written();
}

void ParallelFile::close_written() {
  comm::Comm& all = team_->all();
  std::exception_ptr failure;
  const auto attempt = [&](const auto& work) { base::keep_failure(failure, work); };
  std::vector<std::int64_t> mine;  // number of chunks, and bytes in each
  attempt([&] {
    catch_up();
    const std::vector<std::int64_t> used = selected().stream.used();
    close_channels();
    if (collector_failure_) std::rethrow_exception(collector_failure_);
    mine.reserve(1 + used.size());
    mine.push_back(static_cast<std::int64_t>(used.size()));
    mine.insert(mine.end(), used.begin(), used.end());
  });
  // The other files of the set need to know this, too.
  if (location_.files > 1) comm::agree_on_success(all, failure);
  std::optional<format::sion::ChunkTableBuilder> table;
  attempt([&] {
    if (is_first()) table.emplace();
  });
  constexpr std::int64_t no_chunks = 0;  // informs the first task of a failure
  const auto told = mine.empty() ? std::span(&no_chunks, 1) : std::span<const std::int64_t>(mine);
  attempt([&] {
    comm::gather_records(*group_.comm, told, 0, [&](std::int64_t number) {
      if (table) table->add(number, static_cast<std::size_t>(location_.tasks));
    });
  });
  std::optional<std::vector<format::sion::Place>> map;
  if (location_.files > 1) attempt([&] { map = gather_map(); });
  comm::agree(all, [&] {
    if (failure) std::rethrow_exception(failure);
    if (!is_first() || !table->is_whole()) return;
    metadata_->write_tail({table->take(), std::move(map)});
  });
  if (copies_) copies_->close();
  if (owners_.have_incoherent_caches()) tell_end();
}

// Collective. Clients that have written in between use the size that they saw: the first task wrote last.
void ParallelFile::tell_end() {
  std::uint64_t end = 0;
  comm::agree(team_->all(), [&] {
    if (is_first()) end = transport_->open_read(physical_path_)->size();
  });
  group_.comm->broadcast(std::as_writable_bytes(std::span(&end, 1)), 0);
  comm::agree(team_->all(), [&] { storage::tell_size(*transport_->open_write(physical_path_), end); });
}

// Collective. The places of all tasks of the set, on the first task of its first file.
std::optional<std::vector<format::sion::Place>> ParallelFile::gather_map() {
  comm::Comm& all = team_->all();
  const format::sion::Place here{location_.file, location_.task};
  std::optional<std::vector<format::sion::Place>> map;
  auto rank = static_cast<std::size_t>(map_root_);
  comm::gather_records(all, std::span(&here, 1), map_root_, [&](const format::sion::Place& place) {
    if (!map) map.emplace(static_cast<std::size_t>(all.size()));
    (*map)[rank++ % map->size()] = place;
  });
  return map;
}

// Collective reading and writing: the collector accesses the file for its group.

namespace {

// For a failed task: its error, for its group.
FileExtent extent_of(const comm::RemoteError& told) noexcept {
  return {FileExtent::failed, static_cast<std::int64_t>(told.words.size())};
}

}  // namespace

bool ParallelFile::write_together(base::Bytes bytes) {
  FileExtent mine;
  LogicalFile& stream = selected().stream;
  std::exception_ptr failure;
  base::keep_failure(failure, [&] {
    catch_up();
    if (merges_) {
      mine = {FileExtent::collectors, static_cast<std::int64_t>(bytes.size())};
    } else if (ensure_space(bytes.size())) {
      mine = {static_cast<std::int64_t>(stream.offset()), static_cast<std::int64_t>(bytes.size())};
    }
  });
  const comm::RemoteError told(failure);
  if (failure) failure = told.error();
  bool has_written = true;
  base::keep_failure(failure, [&] {
    group_.exchange->collect(collectors_, told.has_failed ? extent_of(told) : mine,
                             told.has_failed ? told.words : bytes, [&](const FileExtent& piece, base::Bytes data) {
                               has_written = false;
                               put(piece, data);
                               has_written = true;
                             });
  });
  if (!has_written) collector_failure_ = failure;
  // Even after an error here, because the neighbours wait.
  if (copies_) copies_->write(failure || mine.offset == FileExtent::nowhere ? base::Bytes() : bytes);
  if (failure) {
    // Undoes the effect of the collector's own writes on the position of its stream.
    base::keep_failure(failure, [&] { place_stream(); });
    std::rethrow_exception(failure);
  }
  if (mine.offset == FileExtent::nowhere) return false;
  if (!merges_) {
    stream.advance(bytes.size());
    stream.mark_filled();
  }
  place_stream();
  return true;
}

// On the collector.
void ParallelFile::put(const FileExtent& piece, base::Bytes data) {
  if (piece.offset >= 0) return channel().write_at(static_cast<std::uint64_t>(piece.offset), data);
  if (write(data)) return;
  throw Error(Code::too_large, channel().path() + ": a block is larger than the collector's chunk");
}

std::size_t ParallelFile::read_together(base::MutableBytes buffer, std::exception_ptr failure) {
  FileExtent mine;
  LogicalFile& stream = selected().stream;
  base::keep_failure(failure, [&] {
    if (buffer.empty() || is_at_end()) return;
    mine = {static_cast<std::int64_t>(stream.offset()),
            static_cast<std::int64_t>(std::min<std::uint64_t>(buffer.size(), stream.rest()))};
  });
  comm::RemoteError told(failure);
  if (failure) {
    failure = told.error();
    mine = extent_of(told);
  }
  if (service_) {
    base::keep_failure(failure, [&] {
      service_->read(stream.offset(), buffer.first(mine.offset < 0 ? 0 : static_cast<std::size_t>(mine.bytes)));
    });
  } else {
    const base::MutableBytes data = failure ? base::MutableBytes(told.words) : buffer;
    base::keep_failure(failure, [&] {
      group_.exchange->scatter_data(collectors_, mine, data,
                                    [&](const FileExtent& piece, base::MutableBytes bytes) { fetch(piece, bytes); });
    });
  }
  if (failure) std::rethrow_exception(failure);
  stream.advance(static_cast<std::uint64_t>(mine.bytes));
  place_stream();
  return static_cast<std::size_t>(mine.bytes);
}

// On the collector.
void ParallelFile::fetch(const FileExtent& piece, base::MutableBytes bytes) {
  const std::size_t got = channel().read_at(static_cast<std::uint64_t>(piece.offset), bytes);
  if (got == bytes.size()) return;
  refuse(Code::truncated, channel().path(), "ends inside a chunk; it was cut short: restore it from a copy");
}

}  // namespace lq::multifile
