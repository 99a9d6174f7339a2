// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Copies in the background: a process of its own for each, and a file that tells how far it is, below
// $XDG_STATE_HOME/limequat/copies (~/.local/state). Whoever copies holds a lock on it, so that a copy whose process
// died is told from one that is under way.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace lq::cli {

struct CopyState {
  std::string id;  // "20261123-121530-4711": when it began, and the process
  std::string host;
  std::string from;  // as it was asked for
  std::string to;
  std::string state;                  // "running", "done", "failed", "stopped"
  std::uint64_t done = 0, total = 0;  // bytes
  double seconds = 0;
  std::string message;  // why it failed, or how to go on
};

// In the order they began. Throws Error(no_permission) where the folder cannot be read.
std::vector<CopyState> copies();

// Starts a process that does `work`, which tells how far it is, returns a message, and throws where it fails. Returns
// what is known of it, here alone. Errors: where the state is kept cannot be written.
using Tell = std::function<void(std::uint64_t done, std::uint64_t total)>;
CopyState start_copy(const std::string& from, const std::string& to,
                     const std::function<std::string(const Tell&)>& work);

}  // namespace lq::cli
