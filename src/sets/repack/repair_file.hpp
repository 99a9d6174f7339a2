// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Files of records and fields repaired into new files.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include <limequat/repack.hpp>

#include "storage/transport.hpp"

namespace lq::sets {

// As lq::repair() for a file of a format that holds no streams.
RepackReport repair_file(storage::Transport& transport, const std::string& from, const std::string& to,
                         const RepackOptions& options);

// Where the repaired file goes. `require` throws where it cannot: asked only where a repair is needed.
struct Target {
  const std::string& path;
  std::function<void()> require;
};
// The same of a file that is open.
RepackReport repair_opened(storage::Transport& transport, base::ByteSource& file, const Target& target,
                           const RepackOptions& options);
// invalid_argument, exists: a repaired file cannot have the name `to`.
void require_target(storage::Transport& transport, const std::string& from, const std::string& to, bool overwrite);
// All bytes of the source as a new file; it is read by several threads.
void write_file(storage::Transport& transport, base::ByteSource& source, const std::string& to,
                const RepackOptions& options);
// What is told of the fields and records of a file.
RepackReport report_of(const Catalog& catalog, const std::string& path, std::uint64_t file_bytes);

// What an append in place left next to a file (io/journal.hpp) is put into it, or removed. Nothing: there was none.
std::optional<RepackReport> recover_file(storage::Transport& transport, const std::string& path,
                                         const RepackOptions& options);
// The files of a set that are complete and have not all got their names (io/replacement.hpp) get them. Nothing: it is
// not so. wrong_state: `to` is another name, which cannot be given.
std::optional<RepackReport> complete_replacement(storage::Transport& transport, const std::string& path,
                                                 const std::string& to, const RepackOptions& options);

}  // namespace lq::sets
