// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A new set that gets its name when it has all its modes, or none at all. An existing set of that name stays until
// then, and no program appends to it in the meantime.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <limequat/modes.hpp>

#include "io/field_writer.hpp"
#include "io/new_file.hpp"
#include "modes/coherence.hpp"
#include "storage/owners.hpp"

namespace lq::modes {

// Collective. Throws ranks_disagree unless all ranks request the same set; invalid_argument: the grid differs from that
// of the vectors.
void require_same_set(const std::string& path, const Grid& grid, const Description& description,
                      const WriteOptions& options);
// Local. The options of a field that is a mode.
WriteOptions options_of_mode(const WriteOptions& options);
// The destination of a mode.
struct Target {
  io::FieldWriter& writer;
  storage::Transport& transport;
  const std::string& path;
  const WriteOptions& options;
  const Compression* compression;  // nullptr without coherence
};
// Collective.
Report append_to(const Target& target, const Grid& grid, const Field& vector, const Mode& mode);

// Local. Merges the report of one mode into that of all.
void add_to(comm::Comm& comm, Report& all, Report one);

// A set to which modes are appended, at the root: its lock, and the expected state of the file.
struct AppendLock {
  std::unique_ptr<storage::WriterLock> lock = {};
  std::optional<io::FileState> left = {};
};

// The source of a set: a file, which may be private, and the findings of its repairs.
struct Origin {
  std::string path = {};
  std::vector<std::string> unproven = {};
};

class NewSet {
 public:
  // Collective.
  NewSet(const std::string& path, const Grid& grid, const Description& description, const WriteOptions& options,
         const Origin& origin = {});
  // Collective.
  Report append(const Field& vector, const Mode& mode);
  // Collective. `report`: of the last mode or of all; receives the seconds and the result of read-back.
  void publish(Report& report);
  // Collective. The same; the root locks the set before it gets its name.
  AppendLock publish_locked(Report& report);
  // Local. True if a file of this name existed at the beginning.
  bool replaces() const noexcept { return file_->replaces(); }

 private:
  void complete(Report& report);

  storage::Transport& transport_;
  std::string path_;
  Grid grid_;
  WriteOptions options_;
  std::unique_ptr<io::NewFile> file_;
  std::unique_ptr<io::FieldWriter> writer_;
  std::uint64_t size_ = 0;
  std::unique_ptr<Compression> compression_ = {};  // with coherence
};

// Sets of modes as files of other programs (formats/vectors.md).

// Collective. Modes first to last - 1 in the format options.format. invalid_argument: unknown format; unsupported: it
// cannot hold the vectors, or they are not yet a set of modes.
void export_set(const Set& source, const std::string& to, const Communicator& communicator, std::uint64_t first,
                std::uint64_t last, const ConvertOptions& options, Report& report);

}  // namespace lq::modes
