// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "sets/checkpoints/saving.hpp"

#include <unistd.h>

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/bytes.hpp"
#include "base/error.hpp"
#include "base/interruption.hpp"
#include "base/path.hpp"
#include "comm/pack.hpp"
#include "comm/tree.hpp"
#include "kernels/crc32.hpp"

namespace lq::sets {
namespace {

constexpr std::size_t stream_piece_bytes = 4 * base::mebi;  // written between two checks whether the save continues

Error differs(const std::string& path, const std::string& what) {
  return base::file_error(Code::checksum_mismatch, path,
                          "{} differs when read back; no checkpoint was published. Save again, "
                          "and have the storage examined if it happens again",
                          what);
}

}  // namespace

std::string file_of_field(std::size_t number) { return fmt::format("field-{}.scidac", number); }

std::vector<comm::StatedArgument> stated(const SaveRequest& request, const CheckpointsOptions& options, int ranks) {
  std::vector<comm::StatedArgument> result;
  if (request.step > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    throw Error(Code::invalid_argument,
                fmt::format("the step of the checkpoint is {}, expected less than 2^63", request.step));
  }
  result.push_back({"the step", std::to_string(request.step)});
  std::string fields, states;
  std::set<std::string_view> names;
  for (const CheckpointField& field : request.contents.fields) {
    require_name(field.name, "field");
    if (!names.insert(field.name).second) {
      throw Error(Code::invalid_argument, fmt::format("two fields of the checkpoint are called \"{}\"", field.name));
    }
    if (field.grid.size() != ranks) {
      throw Error(Code::invalid_argument,
                  fmt::format("field \"{}\": its grid has {} ranks, the checkpoints have {}; all saving ranks form "
                              "the grid of each field",
                              field.name, field.grid.size(), ranks));
    }
    if (field.options.verify == Verify::none) {
      throw Error(Code::invalid_argument,
                  fmt::format("field \"{}\": a checkpoint needs checksums; leave verify unchanged", field.name));
    }
    fields += field.name + "\n";
  }
  for (const auto& [name, bytes] : request.contents.state) {
    require_name(name, "state");
    states += fmt::format("{} {} {:08x}\n", name, bytes.size(), kernels::crc32(0, bytes));
  }
  result.push_back({"the names of the fields", std::move(fields)});
  result.push_back({"the state (what differs between ranks belongs in streams)", std::move(states)});
  result.push_back({"the options of the streams", fmt::format("{} {}", options.files, name(options.compression))});
  return result;
}

Saving::Saving(CheckpointDirectory& directory, const Communicator& communicator, const CheckpointsOptions& options,
               SaveRequest request)
    : directory_(directory),
      communicator_(communicator),
      options_(options),
      request_(std::move(request)),
      process_(::getpid()) {}

Saving::~Saving() { give_up(); }

void Saving::begin() {
  const auto begin = [&] { unfinished_ = directory_.begin(request_.step); };
  comm::share_from_root(communicator_.engine(), begin, unfinished_);
  comm::agree(communicator_.engine(), [&] {
    path_ = directory_.of(unfinished_);
    streams_path_ = path_ + "/" + std::string(streams_name);
  });
  write_states();
  begin_streams();
  begin_fields();
}

void Saving::write_states() {
  comm::agree_at_root(communicator_.engine(), [&] {
    std::vector<std::byte> all;
    request_.manifest.states.clear();
    for (const auto& [name, bytes] : request_.contents.state) {
      request_.manifest.states.push_back({name, all.size(), bytes.size()});
      all.insert(all.end(), bytes.begin(), bytes.end());
    }
    if (request_.manifest.states.empty()) return;
    directory_.write_small(path() + "/" + std::string(state_file_name), all);
  });
}

void Saving::begin_streams() {
  comm::Comm& comm = communicator_.engine();
  std::uint64_t tasks = request_.contents.streams.size();
  comm.all_reduce({&tasks, 1}, comm::Reduce::sum);
  request_.manifest.tasks = static_cast<std::int64_t>(tasks);
  if (tasks == 0) {
    are_streams_written_ = true;
    return;
  }
  MultifileOptions how;
  comm::agree(comm, [&] {
    for (const auto& stream : request_.contents.streams)
      how.expected_bytes = std::max(how.expected_bytes, stream.size());
    how.streams = static_cast<std::int32_t>(request_.contents.streams.size());
    how.files = options_.files;
    how.compression = options_.compression;
  });
  writer_.emplace(streams_path_, communicator_, how);
  comm::agree(comm, [&] {
    try {
      thread_ = std::make_unique<std::thread>();
      *thread_ = base::start_thread_signals_blocked([this] { write_streams(); });
    } catch (const std::exception&) {
      thread_.reset();
      write_streams();  // no thread is available
    }
  });
}

void Saving::write_streams() {
  base::keep_failure(failure_, [&] {
    for (std::size_t number = 0; number < request_.contents.streams.size(); ++number) {
      base::Bytes left = request_.contents.streams[number];
      while (!left.empty() && !is_given_up_) {
        const base::Bytes piece = left.first(std::min(left.size(), stream_piece_bytes));
        writer_->stream(number).write(piece);
        left = left.subspan(piece.size());
      }
    }
  });
  are_streams_written_ = true;
}

void Saving::end_streams() {
  comm::Comm& comm = communicator_.engine();
  if (thread_) thread_->join();
  thread_.reset();
  comm::agree(comm, [&] {
    if (failure_) std::rethrow_exception(failure_);
  });
}

void Saving::begin_fields() {
  std::vector<std::pair<std::string, WriteOptions>> files;
  comm::agree(communicator_.engine(), [&] {
    for (const CheckpointField& field : request_.contents.fields) {
      WriteOptions how = field.options;
      how.format = "scidac";
      how.verify = Verify::read_back;
      how.sync = Sync::full;
      how.overwrite = false;
      if (how.name.empty()) how.name = field.name;
      files.emplace_back(path() + "/" + file_of_field(files.size()), std::move(how));
    }
    fields_.reserve(files.size());
  });
  for (std::size_t number = 0; number < files.size(); ++number) {
    const CheckpointField& field = request_.contents.fields[number];
    fields_.push_back(lq::write_async(files[number].first, field.grid, field.field, files[number].second));
  }
}

bool Saving::test() {
  bool is_done = are_streams_written_;
  for (Pending& field : fields_) is_done = field.test() && is_done;
  return is_done;
}

void Saving::complete() {
  end_streams();
  for (Pending& field : fields_) field.wait();
  fields_.clear();
  if (writer_) writer_->close();
  writer_.reset();
  compare_states();
  compare_streams();
  write_manifest();
}

void Saving::compare_states() const {
  comm::agree_at_root(communicator_.engine(), [&] {
    if (read_states(directory_.transport(), path(), request_.manifest) == request_.contents.state) return;
    throw differs(path(), "the state");
  });
}

// Compares this rank's data with its memory, if it gets the same tasks; the chunks of other ranks have checksums.
void Saving::compare_streams() const {
  comm::Comm& comm = communicator_.engine();
  if (request_.manifest.tasks == 0) return;
  const MultifileReader reader(streams_path_, communicator_);
  const std::uint64_t streams = request_.contents.streams.size();
  // The first task that this rank wrote.
  const auto mine = static_cast<std::int64_t>(comm::exclusive_sums(comm, {&streams, 1}).before[0]);
  comm::agree(comm, [&] {
    std::vector<std::byte> buffer(static_cast<std::size_t>(base::mebi));
    for (std::int64_t task = reader.first_task(); task < reader.first_task() + reader.local_tasks(); ++task) {
      const std::int64_t number = task - mine;
      const bool is_mine = number >= 0 && number < static_cast<std::int64_t>(request_.contents.streams.size());
      base::Bytes expected = is_mine ? request_.contents.streams[static_cast<std::size_t>(number)] : base::Bytes();
      InStream stream = reader.task(task);
      if (is_mine && stream.size() != expected.size()) throw differs(path(), fmt::format("stream {}", task));
      while (const std::size_t got = stream.read(buffer)) {
        if (!is_mine) continue;
        if (!std::ranges::equal(expected.first(got), base::Bytes(buffer).first(got))) {
          throw differs(path(), fmt::format("stream {}", task));
        }
        expected = expected.subspan(got);
      }
    }
  });
}

// Lists the files, with a checksum of each block. Data read back before are covered by the checksums of their own
// formats; the manifest's checksums are verified again, from disk and by other ranks, before they are relied on.
void Saving::write_manifest() {
  comm::Comm& comm = communicator_.engine();
  std::string text;
  comm::agree_at_root(comm, [&] {
    Manifest& manifest = request_.manifest;
    manifest.step = request_.step;
    manifest.date = base::seconds_now();
    manifest.ranks = comm.size();
    for (std::size_t number = 0; number < request_.contents.fields.size() && manifest.pieces == 0; ++number) {
      const CheckpointField& field = request_.contents.fields[number];
      manifest.fields.push_back({file_of_field(number), field.name, field.grid.extents(), field.grid.processes(), {}});
    }
    std::vector<std::string> names;
    if (const int reason = base::names_in(path(), names); reason != 0)
      throw base::errno_error(path(), "list it", reason);
    for (const std::string& name : names) {
      manifest.files.push_back({name, directory_.transport().open_read(path() + "/" + name)->size()});
    }
    manifest.block_bytes = block_bytes_for(manifest.bytes());
    // Placeholder checksums in the right number, so that it can be read.
    Manifest without = manifest;
    for (SummedFile& file : without.files) {
      file.sums.resize(static_cast<std::size_t>((file.bytes + manifest.block_bytes - 1) / manifest.block_bytes));
    }
    text = encode(without);
  });
  comm::agree(comm, [&] { request_.manifest = decode_manifest(path(), comm::broadcast_text(comm, text)); });
  sum_files(comm, directory_.transport(), path(), request_.manifest);
  comm::agree_at_root(comm, [&] {
    text = encode(request_.manifest);
    directory_.write_small(path() + "/" + std::string(manifest_name), base::as_bytes(text));
    if (directory_.manifest_text(unfinished_) != text) throw differs(path(), "the manifest");
  });
  prove(comm, directory_.transport(), path(), request_.manifest);
}

void Saving::give_up() noexcept {
  const base::Uninterruptible outlasting;
  if (process_ != ::getpid()) {
    static_cast<void>(thread_.release());  // a forked child does not have it, and must not touch the files
    return;
  }
  is_given_up_ = true;
  if (thread_) thread_->join();
  thread_.reset();
  fields_.clear();
  writer_.reset();  // its files are removed with the folder
  try {
    if (communicator_.rank() == 0 && !unfinished_.empty()) directory_.remove_unfinished(unfinished_);
  } catch (...) {
    // The next job removes it.
  }
  unfinished_.clear();
}

}  // namespace lq::sets
