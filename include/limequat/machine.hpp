// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A machine in numbers, from which plans are made. The defaults describe a small workstation; `lq bench parts`
// measures this machine, and a site profile stores the result.
#pragma once

#include <limequat/language.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <limequat/version.hpp>

namespace lq {

// Rates are bytes per second, times seconds.
struct Machine {
  std::string name = "workstation";
  std::uint64_t nodes = 1;
  std::uint64_t ranks_per_node = 2;
  std::uint64_t cores_per_node = 2;

  // One core, large arrays.
  double copy_rate = 10e9;       // memcpy
  double pack_rate = 20e9;       // site order, byte order and checksum in one pass
  double copy_rate_node = 20e9;  // all cores of a node together

  // Between ranks of one node.
  double shared_rate = 10e9;    // through a shared buffer, one rank
  double pull_rate = 7e9;       // out of a neighbour's memory by the kernel, one rank; 0: not permitted
  double handover_time = 2e-6;  // until a neighbour sees that a buffer is ready

  // Between nodes.
  double latency = 2e-6;
  double message_rate = 5e9;  // one rank
  double link_rate = 12e9;    // one node

  // The file system.
  std::string file_system = "tmpfs";
  std::uint64_t block_bytes = 4096;  // two writers in one such unit are slow: page, block, stripe
  std::uint64_t servers = 1;
  double write_rate = 2.5e9;      // one rank, large pieces
  double write_rate_total = 5e9;  // all ranks
  double write_call = 1.5e-6;     // each call, in addition to its bytes
  double read_rate = 6e9;
  double read_rate_total = 12e9;
  double read_call = 1e-6;
  double open_time = 20e-6;
  double sync_time = 1e-3;

  // Results of `lq doctor`. A method that is not permitted is not tried.
  bool pull_permitted = true;
  bool shared_memory_permitted = true;
  std::vector<std::string> findings = {};  // its warnings and failures, as sentences

  // Folders by names that the site defines: `lq copy FILE NAME:` copies to each of them.
  std::map<std::string, std::vector<std::string>> targets = {};
};

// Local. The path of the site profile: environment variable LQ_PROFILE, otherwise limequat/site.toml below
// $XDG_CONFIG_HOME or ~/.config; empty if none of these variables is set.
LQ_API std::string site_profile_path();
// Local. The machine of the site profile; the defaults if there is no such file and LQ_PROFILE is not set.
// Errors as load_machine.
LQ_API Machine site_machine();
// Local. The same for callers that can use the defaults: if a profile cannot be used, or belongs to another user, this
// is a warning, and the defaults are returned. A profile is read once, and again if its file changes.
struct UsableMachine {
  Machine machine;
  std::string warning;  // a sentence; empty: none
};
LQ_API UsableMachine usable_site_machine();
// Local. The machine of a profile, also read once; if there is no such file, the machine described under that name:
// "alice-pvfs", "bluegene-p", "frontier-like", "jaguar-xt4", "jugene". If `profile` is empty, the machine of the site;
// the second function then returns a warning. A named profile throws the errors of load_machine.
LQ_API Machine machine_of(const std::string& profile);
LQ_API UsableMachine usable_machine_of(const std::string& profile);
// Local. The machine of a profile; missing keys have their defaults. not_found, no_permission; malformed
// with line and key: not a profile; unsupported: built without toml++.
LQ_API Machine load_machine(const std::string& path);
// Local. Writes a profile with comments, replacing an existing one atomically; creates its folder. invalid_argument:
// values that no machine has; no_permission, no_space, io.
LQ_API void save_machine(const std::string& path, const Machine& machine);
// Local. One JSON object with the keys of a profile (docs/reference/json.md).
LQ_API std::string to_json(const Machine& machine);

}  // namespace lq
