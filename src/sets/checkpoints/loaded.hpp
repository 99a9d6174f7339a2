// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What stands behind the public Checkpoint.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <limequat/checkpoints.hpp>

#include "sets/checkpoints/directory.hpp"

namespace lq::sets {

class LoadedCheckpoint {
 public:
  // Collective. Of a checkpoint that was proven: its state and streams. What opening and reading throws.
  LoadedCheckpoint(const CheckpointDirectory& directory, const Communicator& communicator, std::string name,
                   Manifest found);

  Manifest manifest;
  std::string name, path;
  std::map<std::string, std::vector<std::byte>> state;
  std::vector<std::string> fields, warnings;
  std::optional<MultifileReader> streams;
};

// Local, at the root. The states of a checkpoint, which its manifest says where to find.
std::map<std::string, std::vector<std::byte>> read_states(storage::Transport& transport, const std::string& folder,
                                                          const Manifest& manifest);
// Local. no_such_record lists what there is.
const NamedField& field_named(const Manifest& manifest, const std::string& path, const std::string& name);

}  // namespace lq::sets
