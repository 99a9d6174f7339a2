// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A new set that gets its name when it has all its modes, or none at all.
#pragma once

#include <memory>
#include <string>

#include <limequat/modes.hpp>

#include "io/field_writer.hpp"
#include "io/new_file.hpp"
#include "modes/coherence.hpp"

namespace lq::modes {

// Collective. Throws ranks_disagree unless all ranks ask for the same set; invalid_argument: the grid is another one
// than the vectors live on.
void require_same_set(const std::string& path, const Grid& grid, const Description& description,
                      const WriteOptions& options);
// Local. The options of a field that is a mode.
WriteOptions options_of_mode(const WriteOptions& options);
// Where a mode goes.
struct Target {
  io::FieldWriter& writer;
  transport::Transport& transport;
  const std::string& path;
  const WriteOptions& options;
  const Compression* compression;  // nullptr: there is no coherence
};
// Collective.
Report append_to(const Target& target, const Grid& grid, const Field& vector, const Mode& mode);

class NewSet {
 public:
  // Collective.
  NewSet(const std::string& path, const Grid& grid, const Description& description, const WriteOptions& options);
  // Collective.
  Report append(const Field& vector, const Mode& mode);
  void publish();

 private:
  transport::Transport& transport_;
  std::string path_;
  Grid grid_;
  WriteOptions options_;
  std::unique_ptr<io::NewFile> file_;
  std::unique_ptr<io::FieldWriter> writer_;
  std::uint64_t size_ = 0;
  std::unique_ptr<Compression> compression_ = {};  // with coherence
};

}  // namespace lq::modes
