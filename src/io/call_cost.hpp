// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a call of a file system costs that the profile does not know. On a network it is a thousand times what it is on
// a local disk, and nothing but a trial tells.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <limequat/machine.hpp>

#include "storage/transport.hpp"

namespace lq::io {

struct CallCost {
  double seconds = 0;  // of a call, beyond its bytes
  double rate = 0;     // bytes per second of large pieces, one rank
};

// Local. Pieces of 4 KiB and 1 MiB written to a file of its own beside `path` for 50 ms, and removed;
// nothing where that fails or tells nothing.
std::optional<CallCost> measure_calls(storage::Transport& transport, const std::string& path);

// What is known of the place of a new file.
struct MountFacts {
  std::string_view file_system;  // its name
  bool is_shared = false;        // several nodes see it
  std::uint64_t device = 0;      // of the mount
};

// Local. Puts the cost of calls there into `machine`, where the file system is a shared one and another than that of
// the profile. It is measured once in a process and for each mount.
void take_measured_calls(Machine& machine, storage::Transport& transport, const std::string& path,
                         const MountFacts& mount);

}  // namespace lq::io
