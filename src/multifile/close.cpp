// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Closing a multifile that was written: the data of all tasks first, then what has become of them, gathered once, on
// the first task of each physical file, which writes metadata block 2 and where that is (formats/sion.md 5). A table
// never promises data that did not arrive: when anything failed anywhere, the files stay unclosed.
#include <algorithm>

#include "comm/agree.hpp"
#include "multifile/buddy_copies.hpp"
#include "multifile/buddy_service.hpp"
#include "multifile/metadata.hpp"
#include "multifile/parallel_file.hpp"
#include "multifile/wire.hpp"

namespace lq::multifile {

void ParallelFile::close() {
  if (!writes()) return comm::agree(team_->all(), [&] { close_channels(); });
  close_written();
}

void ParallelFile::close_written() {
  comm::Comm& all = team_->all();
  std::exception_ptr failure;
  std::vector<std::int64_t> used;
  try {
    catch_up();
    used = selected().stream.used();
    close_channels();
    if (collector_failure_) std::rethrow_exception(collector_failure_);
  } catch (...) {
    failure = std::current_exception();
    used.clear();  // which tells the first task
  }
  // Other files of the set must know, too.
  if (seat_.files > 1) comm::agree_on_success(all, failure);
  const auto tables = group_.comm->gather(std::as_bytes(std::span(used)), 0);
  std::vector<std::vector<std::byte>> seats;
  if (seat_.files > 1) {
    const format::sion::Place here{seat_.file, seat_.task};
    seats = all.gather(std::as_bytes(std::span(&here, 1)), map_root_);
  }
  comm::agree(all, [&] {
    if (failure) std::rethrow_exception(failure);
    const bool is_whole = std::ranges::none_of(tables, [](const auto& filled) { return filled.empty(); });
    if (is_first() && is_whole) write_tables(tables, seats);
  });
  if (copies_) copies_->close();
}

void ParallelFile::write_tables(const std::vector<std::vector<std::byte>>& used,
                                const std::vector<std::vector<std::byte>>& seats) {
  std::vector<std::uint64_t> counts;
  for (const auto& filled : used) counts.push_back(filled.size() / sizeof(std::int64_t));
  format::sion::Tail tail{format::sion::ChunkTable(counts), std::nullopt};
  for (std::int32_t task = 0; task < head_.tasks; ++task) {
    const auto filled = take_all<std::int64_t>(used[static_cast<std::size_t>(task)]);
    std::ranges::copy(filled, tail.table.used(task).begin());
  }
  if (seat_.files > 1 && seat_.file == 0) {
    tail.map.emplace();
    for (const auto& seat : seats) tail.map->push_back(from_bytes<format::sion::Place>(seat));
  }
  write_tail(*metadata_, head_, tail);
  metadata_->close();
}

}  // namespace lq::multifile
