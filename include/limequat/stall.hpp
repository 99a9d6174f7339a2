// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// If the servers of a file system are gone, a call may block indefinitely. The library cannot end such a call, but it
// can report which rank waits where.
#pragma once

#include <limequat/language.hpp>

#include <cstdint>
#include <functional>
#include <string>

#include <limequat/version.hpp>

namespace lq {

// A call of the file system that has not returned.
struct Stall {
  std::string call;  // "write", "read", "sync", "open", "rename", ...
  std::string path;  // for an incomplete file, its temporary name
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;  // 0: the call moves none
  double seconds = 0;       // so far
};

// "waits for 30 s in write of 1048576 bytes at byte 4096 of PATH"
LQ_API std::string to_string(const Stall& stall);

// Local. From now on `tell` is called for every file system call of this process that takes longer than `seconds`, and
// again each time that the waiting time has doubled; on a separate thread, and it must not throw. An empty `tell` ends
// this. Calls that are already in progress are not reported. A forked child is not watched. invalid_argument: `seconds`
// is not positive; out_of_memory: no thread could be created.
LQ_API void watch_stalls(double seconds, std::function<void(const Stall&)> tell);

// Local. Unless the program calls watch_stalls(), such calls are reported from the next one on, with a line on stderr:
// "WHO waits for 30 s in write of ... of PATH; the file system does not answer". The environment variable
// LQ_WATCH_STALLS sets the number of seconds (0: never); otherwise `seconds` does. Programs that create an
// lq::mpi::Environment, `lq`, and programs that use lemon.h, qio.h and sion.h report after 30 s, others only if the
// variable is set.
LQ_API void watch_stalls_by_default(double seconds, std::string who);

}  // namespace lq
