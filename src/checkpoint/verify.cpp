// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Every chunk of a set held against its record.
#include <limequat/error.hpp>
#include <limequat/multifile.hpp>

#include "checkpoint/repair.hpp"

namespace lq {
namespace checkpoint {

MultifileCheck verify(transport::Transport& transport, const std::string& path) {
  const FoundSet found = find_set(transport, path);
  MultifileCheck check;
  check.info = found.info();
  const auto files = std::make_shared<OpenFiles>(transport, check.info.files);
  ReadSettings settings;
  if (found.has_records()) settings.record = found.records.front();
  for (std::int32_t task = 0; task < found.set.tasks(); ++task) {
    TaskEntry entry = entry_of(found, task);
    const StreamPlace place = entry.place;
    const std::vector<std::int64_t> used = entry.used;
    StreamReader reader(files, std::move(entry), settings);
    check.chunks_checked += reader.check([&](std::uint64_t chunk, const Error& error) {
      check.damage.push_back({files->file(place.file).path(), task, chunk, place.offset(chunk),
                              static_cast<std::uint64_t>(used[chunk]), error.what()});
    });
  }
  verify_fields(transport, found, check);
  return check;
}

}  // namespace checkpoint

MultifileCheck verify_multifile(const std::string& path) { return checkpoint::verify(transport::posix(), path); }

}  // namespace lq
