// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The data of a task that its records prove, and evidence of more. A record is written after its bytes, so
// after the death of a process the newest one is valid; after that of a machine the older one may be needed.
#include <algorithm>

#include <fmt/format.h>

#include "sets/checkpoint/repair.hpp"

namespace lq::sets {
namespace {

std::string not_as_it_was(std::uint64_t recorded, std::uint64_t kept) {
  return fmt::format("{} bytes are recorded, but only the first {} are unchanged", recorded, kept);
}

std::string without_record(std::int64_t stated, std::int64_t recorded) {
  return fmt::format("{} bytes are in the table of chunks, but only {} have a record", stated, recorded);
}

// True if the bytes that a record covers are unchanged.
bool has_bytes(base::ByteSource& file, const SetRecord& set, const StreamPlace& place, const ChunkRecord& record) {
  if (!set.checksums) return place.offset(record.chunk) + record.used <= file.size();
  return checksum_of(file, place.offset(record.chunk), record.used) == record.checksum;
}

class Walk {
 public:
  Walk(base::ByteSource& file, const SetRecord& set, const StreamPlace& place, const KnownOfFile& known)
      : file_(file), set_(set), place_(place), known_(known), file_bytes_(file.size()) {}

  RecoveredTask run() {
    std::uint64_t chunk = 0;
    while (take(chunk)) ++chunk;
    look_behind(chunk);
    if (!agrees_with_table()) {
      look_for_more();
      recovered_.may_go_on = may_go_on();
    }
    if (recovered_.used.empty()) recovered_.used.push_back(0);
    if (recovered_.loss) {
      recovered_.loss->position = recovered_.bytes;
      const std::uint64_t missing = stream_end_ - std::min(stream_end_, recovered_.bytes);
      recovered_.loss->bytes = std::clamp<std::uint64_t>(missing, 1, StreamLoss::most_bytes);
    }
    return std::move(recovered_);
  }

 private:
  std::uint64_t capacity() const noexcept { return place_.width - std::min(place_.width, reserved_bytes); }
  bool is_plain() const noexcept { return set_.compression == Compression::none; }
  // An uncompressed chunk is filled before the next one gets a byte.
  bool may_go_on() const noexcept {
    return !is_plain() || recovered_.chunks == 0 || last_used() == static_cast<std::int64_t>(capacity());
  }
  std::int64_t last_used() const noexcept { return recovered_.used[static_cast<std::size_t>(recovered_.chunks) - 1]; }
  bool is_in_file(std::uint64_t chunk) const noexcept {
    return chunk < largest_chunk && (chunk == 0 || place_.skip > 0) && place_.width >= reserved_bytes &&
           chunk <= (file_bytes_ - std::min(file_bytes_, place_.start)) / std::max<std::uint64_t>(place_.skip, 1);
  }

  bool holds(const ChunkRecord& record) {
    if (record.used == 0 || record.begin != recovered_.bytes) return false;
    return has_bytes(file_, set_, place_, record);
  }

  bool take(std::uint64_t chunk);
  void look_behind(std::uint64_t gap);
  bool agrees_with_table() const;
  void look_for_more();
  void look_into_table();
  void look_for_bytes(std::uint64_t chunk, std::uint64_t from);
  void look_behind_the_end();
  void lose(std::uint64_t chunk, LossCause cause, std::uint64_t bytes, const std::string& what);

  static constexpr std::uint64_t largest_chunk = 1ULL << 27;  // limit of the search

  base::ByteSource& file_;
  const SetRecord& set_;
  const StreamPlace& place_;
  const KnownOfFile& known_;
  std::uint64_t file_bytes_;
  RecoveredTask recovered_;
  std::uint64_t stream_end_ = 0;  // as far as known
};

// True if the stream continues with this chunk.
bool Walk::take(std::uint64_t chunk) {
  if (!is_in_file(chunk)) return false;
  const std::vector<RecordAt> records = read_chunk_records(file_, set_, place_, chunk);
  const auto good = std::ranges::find_if(records, [&](const RecordAt& at) { return holds(at.record); });
  if (!records.empty() && good != records.begin()) {
    const ChunkRecord& newest = records.front().record;
    const std::uint64_t kept = good == records.end() ? 0 : good->record.used;
    stream_end_ = std::max(stream_end_, newest.begin + newest.stream_bytes());
    lose(chunk, LossCause::damaged, newest.used, not_as_it_was(newest.used, kept));
  }
  if (good == records.end()) return false;
  recovered_.used.push_back(static_cast<std::int64_t>(good->record.used));
  recovered_.bytes += good->record.stream_bytes();
  ++recovered_.chunks;
  return true;
}

// Finished chunks that are separated from the stream by missing data. They stay in the file.
void Walk::look_behind(std::uint64_t gap) {
  for (std::uint64_t chunk = gap; is_in_file(chunk); ++chunk) {
    const std::vector<RecordAt> records = read_chunk_records(file_, set_, place_, chunk);
    if (records.empty()) continue;
    const ChunkRecord& newest = records.front().record;
    recovered_.used.resize(static_cast<std::size_t>(chunk) + 1);
    stream_end_ = std::max(stream_end_, newest.begin + newest.stream_bytes());
    if (chunk > gap) lose(chunk, LossCause::behind_gap, newest.used, "it follows a gap in its stream");
  }
}

// If a changed table agrees with the records of this task, the search ends.
bool Walk::agrees_with_table() const {
  if (known_.table == nullptr || recovered_.loss) return false;
  const std::span<const std::int64_t> stated = known_.table->used(static_cast<std::int32_t>(place_.task));
  // Chunks of 0 bytes at the end of a stream make no difference.
  const auto filled = [](std::span<const std::int64_t> used) {
    while (!used.empty() && used.back() == 0) used = used.first(used.size() - 1);
    return used;
  };
  return std::ranges::equal(filled(stated), filled(recovered_.used));
}

void Walk::look_for_more() {
  look_into_table();
  const std::uint64_t next = recovered_.chunks;
  if (next > 0 && is_in_file(next - 1)) look_for_bytes(next - 1, static_cast<std::uint64_t>(last_used()));
  if (recovered_.used.size() == next && is_in_file(next)) look_for_bytes(next, 0);
  look_behind_the_end();
  const bool ends_full = recovered_.chunks > 0 && is_plain() && may_go_on();
  if (recovered_.loss || !ends_full || !known_.was_closed || next >= known_.blocks) return;
  lose(next, LossCause::without_record, 0,
       fmt::format("the file had {} blocks of chunks and the chunk before this one is full, but nothing of this one is "
                   "left; whether it had data is unknown",
                   known_.blocks));
}

void Walk::look_into_table() {
  if (known_.table == nullptr) return;
  const std::span<const std::int64_t> stated = known_.table->used(static_cast<std::int32_t>(place_.task));
  for (std::size_t chunk = 0; chunk < stated.size(); ++chunk) {
    const std::int64_t found = chunk < recovered_.used.size() ? recovered_.used[chunk] : 0;
    if (recovered_.loss || stated[chunk] <= found) continue;
    const auto missing = static_cast<std::uint64_t>(stated[chunk] - found);
    if (is_plain()) stream_end_ = std::max(stream_end_, recovered_.bytes + missing);
    lose(chunk, LossCause::without_record, missing, without_record(stated[chunk], found));
  }
}

// Bytes without a record: in a closed file each had one; an interrupted writer did not write it.
void Walk::look_for_bytes(std::uint64_t chunk, std::uint64_t from) {
  // The table follows the last block.
  if (recovered_.loss || capacity() <= from || (known_.blocks > 0 && chunk >= known_.blocks)) return;
  const std::uint64_t bytes = filled_bytes(file_, place_.offset(chunk) + from, capacity() - from);
  if (bytes == 0) return;
  const std::string what = from == 0 ? fmt::format("it holds {} bytes without a record", bytes)
                                     : fmt::format("{} bytes after its first {} have no record", bytes, from);
  if (!known_.was_closed) {
    recovered_.unfinished.push_back(
        {file_.path(), place_.number, chunk, place_.offset(chunk) + from, bytes, what + ": they were not completed"});
    return;
  }
  if (is_plain()) stream_end_ = chunk * capacity() + from + bytes;
  lose(chunk, LossCause::without_record, bytes, what);
  // They stay in the file.
  if (recovered_.used.size() <= chunk) recovered_.used.resize(static_cast<std::size_t>(chunk) + 1);
}

void Walk::look_behind_the_end() {
  const std::uint64_t next = recovered_.chunks;
  if (recovered_.loss || !may_go_on() || file_bytes_ >= known_.tail_offset || next >= known_.blocks) return;
  if (place_.offset(next) + place_.width <= file_bytes_) return;
  lose(next, LossCause::cut_off, 0,
       fmt::format("the file was truncated at byte {}: the data of this chunk and of later ones are missing",
                   file_bytes_));
}

void Walk::lose(std::uint64_t chunk, LossCause cause, std::uint64_t bytes, const std::string& what) {
  recovered_.lost.push_back({file_.path(), place_.number, chunk, place_.offset(chunk), bytes, what});
  if (!recovered_.loss) recovered_.loss = StreamLoss{place_.task, cause, chunk};
}

}  // namespace

RecoveredTask recover_task(base::ByteSource& file, const SetRecord& set, const StreamPlace& place,
                           const KnownOfFile& known) {
  return Walk(file, set, place, known).run();
}

std::string describe_damage(base::ByteSource& file, const SetRecord& set, const StreamPlace& place, std::uint64_t chunk,
                            std::uint64_t stated) {
  bool has_record = false;
  std::uint64_t recorded = 0, kept = 0;
  for (const RecordAt& at : read_chunk_records(file, set, place, chunk)) {
    has_record = has_record || at.record.used == stated;
    if (at.record.used >= stated) continue;
    recorded = std::max(recorded, at.record.used);
    if (has_bytes(file, set, place, at.record)) kept = std::max(kept, at.record.used);
  }
  return has_record ? not_as_it_was(stated, kept)
                    : without_record(static_cast<std::int64_t>(stated), static_cast<std::int64_t>(recorded));
}

}  // namespace lq::sets
