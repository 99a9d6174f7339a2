// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Closing a multifile that was written: the data of all tasks first, then what has become of them, gathered once, on
// the first task of each physical file, which writes metadata block 2 and where that is (formats/sion.md 5). A table
// never promises data that did not arrive: when anything failed anywhere, the files stay unclosed.
#include <optional>

#include "base/keep_failure.hpp"
#include "comm/agree.hpp"
#include "comm/tree.hpp"
#include "multifile/buddy_copies.hpp"
#include "multifile/buddy_service.hpp"
#include "multifile/parallel_file.hpp"

namespace lq::multifile {

void ParallelFile::close() {
  if (!writes()) return comm::agree(team_->all(), [&] { close_channels(); });
  close_written();
}

void ParallelFile::close_written() {
  comm::Comm& all = team_->all();
  std::exception_ptr failure;
  const auto attempt = [&](const auto& work) { base::keep_failure(failure, work); };
  std::vector<std::int64_t> mine;  // chunks, and how far each is filled
  attempt([&] {
    catch_up();
    const std::vector<std::int64_t> used = selected().stream.used();
    close_channels();
    if (collector_failure_) std::rethrow_exception(collector_failure_);
    mine.reserve(1 + used.size());
    mine.push_back(static_cast<std::int64_t>(used.size()));
    mine.insert(mine.end(), used.begin(), used.end());
  });
  // Other files of the set must know, too.
  if (location_.files > 1) comm::agree_on_success(all, failure);
  std::optional<format::sion::ChunkTableBuilder> table;
  attempt([&] {
    if (is_first()) table.emplace();
  });
  constexpr std::int64_t no_chunks = 0;  // tells the first task of a failure
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

// Collective. Clients that have written in between go by the size that they saw: the first task has written last.
void ParallelFile::tell_end() {
  std::uint64_t end = 0;
  comm::agree(team_->all(), [&] {
    if (is_first()) end = transport_->open_read(physical_path_)->size();
  });
  group_.comm->broadcast(std::as_writable_bytes(std::span(&end, 1)), 0);
  comm::agree(team_->all(), [&] { storage::tell_size(*transport_->open_write(physical_path_), end); });
}

// Collective. Where all tasks of the set lie, on the first task of its first file.
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

}  // namespace lq::multifile
