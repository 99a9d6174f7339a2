// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Reading and writing at the cursor of the selected task.
#include "multifile/multifile.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/keep_failure.hpp"
#include "multifile/description.hpp"

namespace lq::multifile {
namespace {

Error wrong_state(const Facts& facts, const std::string& sentence) {
  ErrorFacts about;
  about.path = facts.path;
  return Error(Code::wrong_state, fmt::format("{}: {}", facts.path, sentence), about);
}

}  // namespace

Multifile::~Multifile() = default;

Multifile::Task& Multifile::selected() {
  if (tasks_.empty()) throw wrong_state(facts_, "no task of this multifile is open on this process");
  return tasks_[selected_];
}

const Multifile::Task& Multifile::selected() const { return const_cast<Multifile*>(this)->selected(); }

Channel& Multifile::channel() { return *channels_.at(selected().channel); }

void Multifile::select(std::size_t index) {
  if (index >= tasks_.size()) throw wrong_state(facts_, fmt::format("no task {} is open on this process", index));
  if (index == selected_) return;
  catch_up();
  selected_ = index;
  place_stream();
}

void Multifile::require_direction(Direction direction) const {
  if (facts_.direction == direction) return;
  throw wrong_state(facts_, writes() ? "it is open for writing; open it for reading to read"
                                     : "it is open for reading; open it for writing to write");
}

void Multifile::catch_up() {
  if (!channel().is_shared()) return;
  LogicalFile& stream = selected().stream;
  const std::uint64_t begin = stream.offset_of(stream.chunk());
  const std::uint64_t now = channel().tell();
  const std::uint64_t position = now >= begin ? now - begin : stream.width() + 1;
  if (position > stream.width()) {
    place_stream();
    throw wrong_state(facts_, fmt::format("its stream stands at offset {}, outside chunk {} (offset {}, {} bytes); "
                                          "ask for free space before writing to the stream",
                                          now, stream.chunk(), begin, stream.width()));
  }
  stream.move_to(stream.chunk(), position);
  if (writes()) stream.mark_filled();
}

void Multifile::place_stream() {
  if (channel().is_shared() && channel().tell() != selected().stream.offset())
    channel().seek(selected().stream.offset());
}

bool Multifile::ensure_space(std::uint64_t bytes) {
  require_direction(Direction::write);
  LogicalFile& stream = selected().stream;
  if (bytes > stream.width()) return false;
  catch_up();
  if (bytes > stream.room()) {
    stream.append_chunk();
    place_stream();
  }
  return true;
}

bool Multifile::write(base::Bytes bytes) {
  if (!ensure_space(bytes.size())) return false;
  LogicalFile& stream = selected().stream;
  if (bytes.empty()) return true;
  channel().write_at(stream.offset(), bytes);
  stream.advance(bytes.size());
  stream.mark_filled();
  return true;
}

void Multifile::write_across(base::Bytes bytes) {
  require_direction(Direction::write);
  catch_up();
  LogicalFile& stream = selected().stream;
  if (stream.width() == 0 && !bytes.empty()) {
    throw wrong_state(facts_, fmt::format("task {} has chunks of 0 bytes, {} are to be written; ask for wider chunks",
                                          selected().rank, bytes.size()));
  }
  while (!bytes.empty()) {
    if (stream.room() == 0) ensure_space(1);
    const std::size_t count = std::min<std::uint64_t>(stream.room(), bytes.size());
    write(bytes.first(count));
    bytes = bytes.subspan(count);
  }
}

void Multifile::flush() {
  if (!writes()) return;
  catch_up();
  channel().flush();
}

bool Multifile::is_at_end() {
  require_direction(Direction::read);
  catch_up();
  LogicalFile& stream = selected().stream;
  if (stream.rest() > 0) return false;
  if (stream.is_last_chunk()) return true;
  stream.step();
  place_stream();
  return false;
}

std::size_t Multifile::read(base::MutableBytes buffer) {
  if (buffer.empty() || is_at_end()) return 0;
  LogicalFile& stream = selected().stream;
  const std::size_t wanted = std::min<std::uint64_t>(buffer.size(), stream.rest());
  const std::size_t got = channel().read_at(stream.offset(), buffer.first(wanted));
  stream.advance(got);
  if (got == wanted) return got;
  ErrorFacts about;
  about.path = channel().path();
  about.offset = stream.offset();
  throw Error(Code::truncated,
              fmt::format("{}: ends at offset {}, inside chunk {} of task {}; it was cut short: restore it from a copy",
                          about.path, stream.offset(), stream.chunk(), selected().rank),
              about);
}

std::size_t Multifile::read_stream(std::uint64_t logical_position, base::MutableBytes buffer) {
  require_direction(Direction::read);
  catch_up();
  const std::size_t done = selected().stream.read(
      logical_position, buffer,
      [&](std::uint64_t offset, base::MutableBytes part) { return channel().read_at(offset, part); });
  place_stream();
  return done;
}

void Multifile::seek(const LogicalFile::Spot& spot) {
  selected().stream.move_to(spot.chunk, spot.position);
  place_stream();
}

KeyIndex& Multifile::keys() {
  require_direction(Direction::read);
  Task& task = selected();
  if (!task.keys) {
    task.keys = std::make_unique<KeyIndex>(task.stream.size(), facts_.metadata_order,
                                           fmt::format("{}, task {}", facts_.path, task.rank));
  }
  return *task.keys;
}

Multifile::Task& Multifile::add_task(base::Bytes& bytes) {
  const auto found = comm::take<Description>(bytes);
  facts_.block_size = found.block_size;
  facts_.key_values = found.key_values;
  facts_.metadata_order = found.metadata_order;
  facts_.data_order = found.data_order;
  Task& task = tasks_.emplace_back();
  task.rank = found.rank;
  task.file = found.file;
  task.number = found.number;
  task.stream = writes() ? LogicalFile(found.places)
                         : LogicalFile(found.places, comm::take_all<std::int64_t>(bytes, found.chunks));
  return task;
}

void Multifile::close_channels() {
  std::exception_ptr failure;
  for (const auto& channel : channels_) base::keep_failure(failure, [&] { channel->close(); });
  channels_.clear();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace lq::multifile
