// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Reading and writing at the cursor of the selected task.
#include "multifile/multifile.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/error.hpp"
#include "multifile/metadata.hpp"

namespace lq::multifile {

// Records in the order of discovery.

namespace {

// A stream of holes would give empty records without end.
constexpr std::size_t most_records = 1U << 26;

}  // namespace

KeyIndex::KeyIndex(std::uint64_t stream_bytes, ByteOrder order, std::string stream)
    : stream_bytes_(stream_bytes), order_(order), stream_(std::move(stream)) {}

bool KeyIndex::scan_one(const ReadStream& read) {
  if (complete_) return false;
  format::sion::KeyWalker walker(read, stream_bytes_, order_, stream_);
  walker.seek(scanned_);
  std::optional<Record> record;
  do {
    record = walker.next();
  } while (record && only_ && record->key != *only_);
  scanned_ = walker.position();
  complete_ = !record.has_value();
  if (!record) return false;
  if (records_.size() >= most_records) {
    throw Error(Code::too_large, fmt::format("{}: has more than {} key-value records", stream_, most_records));
  }
  const auto [key, is_new] = keys_.try_emplace(record->key);
  if (is_new) key_order_.push_back(record->key);
  key->second.records.push_back(records_.size());
  records_.push_back(*record);
  return true;
}

KeyIndex::Key* KeyIndex::find(const ReadStream& read, std::uint64_t key, std::size_t records) {
  auto found = keys_.find(key);
  while (found == keys_.end() || found->second.records.size() < records) {
    if (!scan_one(read)) return nullptr;
    found = keys_.find(key);
  }
  return &found->second;
}

std::size_t KeyIndex::read(const ReadStream& read, std::uint64_t key, std::size_t item, base::MutableBytes buffer) {
  if (item == 0 || buffer.empty()) return 0;
  Key* found = find(read, key, 1);
  while (found != nullptr && found->position >= records_[found->records[found->current]].length) {
    const std::size_t next = found->current + 1;
    if (find(read, key, next + 1) == nullptr) return 0;
    found->current = next;
    found->position = 0;
  }
  if (found == nullptr) return 0;
  const Record& record = records_[found->records[found->current]];
  const std::uint64_t most = std::min<std::uint64_t>(buffer.size(), record.length - found->position);
  const std::size_t got = read(record.position + found->position, buffer.first(most - most % item));
  found->position += got;
  return got;
}

bool KeyIndex::seek(const ReadStream& read, std::uint64_t key, std::optional<std::uint64_t> record,
                    std::optional<std::uint64_t> position) {
  Key* const known = find(read, key, 1);
  if (known == nullptr) return false;
  // A record that was read to its end is no longer the current one if there is another.
  const bool is_done = known->position > 0 && known->position >= records_[known->records[known->current]].length;
  const bool goes_on = !record && is_done && find(read, key, known->current + 2) != nullptr;
  const std::uint64_t number = record.value_or(known->current + (goes_on ? 1 : 0));
  if (number >= stream_bytes_) return false;  // a record takes more than a byte
  Key* const found = find(read, key, number + 1);
  if (found == nullptr) return false;
  const std::uint64_t place = position.value_or(number == found->current ? found->position : 0);
  if (place > records_[found->records[number]].length) return false;
  found->current = number;
  found->position = place;
  return true;
}

bool KeyIndex::seek_bytes(const ReadStream& read, std::uint64_t key, std::uint64_t position) {
  for (std::size_t number = 0; Key* const found = find(read, key, number + 1); ++number) {
    const std::uint64_t length = records_[found->records[number]].length;
    if (position <= length) {
      found->current = number;
      found->position = position;
      return true;
    }
    position -= length;
  }
  return false;
}

std::optional<KeyIndex::Record> KeyIndex::next_record(const ReadStream& read) {
  if (next_record_ == records_.size() && !scan_one(read)) return std::nullopt;
  const Record& record = records_[next_record_];
  Key& key = keys_[record.key];
  key.current = static_cast<std::size_t>(std::ranges::lower_bound(key.records, next_record_) - key.records.begin());
  key.position = 0;
  ++next_record_;
  return record;
}

void KeyIndex::scan_all(const ReadStream& read) {
  while (scan_one(read)) {
  }
}

std::optional<std::uint64_t> KeyIndex::next_key() {
  if (next_key_ == key_order_.size()) return std::nullopt;
  return key_order_[next_key_++];
}

std::optional<KeyIndex::Statistics> KeyIndex::statistics(std::uint64_t key) const {
  const auto found = keys_.find(key);
  if (found == keys_.end()) return std::nullopt;
  Statistics sum;
  for (const std::size_t record : found->second.records) {
    ++sum.records;
    sum.bytes += records_[record].length;
  }
  return sum;
}

namespace {

Error wrong_state(const Facts& facts, const std::string& sentence) {
  return Error(Code::wrong_state, fmt::format("{}: {}", facts.path, sentence), {.path = facts.path});
}

}  // namespace

SetFacts facts_of(const format::sion::FixedHead& head, std::int64_t tasks_of_set) {
  return {tasks_of_set,          head.block_size,     head.files,     head.file_number,
          head.key_value_mode(), head.metadata_order, head.data_order};
}

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
                                          "call sion_ensure_free_space before writing to the stream",
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
    throw wrong_state(facts_, fmt::format("task {} has chunks of 0 bytes, {} are to be written; request wider chunks",
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
  const std::string& path = channel().path();
  throw Error(Code::truncated,
              fmt::format("{}: ends at offset {}, inside chunk {} of task {}; it was cut short: restore it from a copy",
                          path, stream.offset(), stream.chunk(), selected().rank),
              {.path = path, .offset = stream.offset()});
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

void Multifile::seek(const LogicalFile::ChunkPosition& spot) {
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

Multifile::Task& Multifile::add_task(std::int64_t rank, const format::sion::Place& place, std::size_t channel,
                                     LogicalFile stream) {
  return tasks_.emplace_back(Task{rank, place.file, place.task, channel, std::move(stream), {}});
}

Multifile::Task& Multifile::add_task(base::Bytes& bytes) {
  const auto found = comm::take<Description>(bytes);
  facts_.block_size = found.block_size;
  facts_.key_values = found.key_values;
  facts_.metadata_order = found.metadata_order;
  facts_.data_order = found.data_order;
  return add_task(found.rank, {found.file, found.number}, 0,
                  writes() ? LogicalFile(found.places)
                           : LogicalFile(found.places, comm::take_all<std::int64_t>(bytes, found.chunks)));
}

void Multifile::close_channels() {
  std::exception_ptr failure;
  for (const auto& channel : channels_) base::keep_failure(failure, [&] { channel->close(); });
  channels_.clear();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace lq::multifile
