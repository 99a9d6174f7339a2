// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the records of a task vouch for. A record is written behind its bytes, so that after the death of a process the
// newest one holds; after that of a machine the older one may have to.
#include <algorithm>

#include <fmt/format.h>

#include "checkpoint/repair.hpp"

namespace lq::checkpoint {
namespace {

class Walk {
 public:
  Walk(base::ByteSource& file, const SetRecord& set, const StreamPlace& place)
      : file_(file), set_(set), place_(place), file_bytes_(file.size()) {}

  RecoveredTask run() {
    std::uint64_t chunk = 0;
    while (take(chunk)) ++chunk;
    look_behind(chunk);
    if (recovered_.used.empty()) recovered_.used.push_back(0);
    return std::move(recovered_);
  }

 private:
  bool is_in_file(std::uint64_t chunk) const noexcept {
    return chunk < largest_chunk && (chunk == 0 || place_.skip > 0) && place_.width >= reserved_bytes &&
           chunk <= (file_bytes_ - std::min(file_bytes_, place_.start)) / std::max<std::uint64_t>(place_.skip, 1);
  }

  bool holds(const ChunkRecord& record) {
    if (record.used == 0 || record.begin != recovered_.bytes) return false;
    if (!set_.checksums) return place_.offset(record.chunk) + record.used <= file_bytes_;
    return checksum_of(file_, place_.offset(record.chunk), record.used) == record.checksum;
  }

  // Whether the stream goes on with this chunk.
  bool take(std::uint64_t chunk) {
    if (!is_in_file(chunk)) return false;
    const std::vector<RecordAt> records = read_chunk_records(file_, set_, place_, chunk);
    const auto good = std::ranges::find_if(records, [&](const RecordAt& at) { return holds(at.record); });
    if (!records.empty() && good != records.begin()) {
      const std::uint64_t recorded = records.front().record.used;
      const std::uint64_t kept = good == records.end() ? 0 : good->record.used;
      lose(chunk, recorded,
           fmt::format("{} bytes are recorded, but only the first {} are as they were", recorded, kept));
    }
    if (good == records.end()) return false;
    recovered_.used.push_back(static_cast<std::int64_t>(good->record.used));
    recovered_.bytes += good->record.stream_bytes();
    ++recovered_.chunks;
    return true;
  }

  // Chunks that were finished, but are not joined to the stream: what is between is missing. They stay in the file.
  void look_behind(std::uint64_t gap) {
    for (std::uint64_t chunk = gap; is_in_file(chunk); ++chunk) {
      const std::vector<RecordAt> records = read_chunk_records(file_, set_, place_, chunk);
      if (records.empty()) continue;
      recovered_.used.resize(static_cast<std::size_t>(chunk) + 1);
      if (chunk > gap) lose(chunk, records.front().record.used, "it lies behind a gap in its stream");
    }
  }

  void lose(std::uint64_t chunk, std::uint64_t bytes, const std::string& what) {
    recovered_.lost.push_back({file_.path(), place_.number, chunk, place_.offset(chunk), bytes, what});
  }

  static constexpr std::uint64_t largest_chunk = 1ULL << 27;  // that is looked for

  base::ByteSource& file_;
  const SetRecord& set_;
  const StreamPlace& place_;
  std::uint64_t file_bytes_;
  RecoveredTask recovered_;
};

}  // namespace

RecoveredTask recover_task(base::ByteSource& file, const SetRecord& set, const StreamPlace& place) {
  return Walk(file, set, place).run();
}

}  // namespace lq::checkpoint
