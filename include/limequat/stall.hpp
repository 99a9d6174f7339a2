// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A file system whose servers are gone may let a call wait for ever. The library cannot end such a call, but it can say
// who waits where.
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
  std::string path;  // of a file that is not complete, its temporary name
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;  // 0: the call moves none
  double seconds = 0;       // that it has taken so far
};

// "waits for 30 s in write of 1048576 bytes at byte 4096 of PATH"
LQ_API std::string to_string(const Stall& stall);

// Local. From now on `tell` gets every call of this process that takes longer than `seconds`, and gets it again each
// time that twice as many have passed; on a thread of its own, which may not throw. An empty `tell` ends it. Calls that
// are under way already are not seen. A forked child is not watched. invalid_argument: `seconds` is not positive;
// out_of_memory: there is no thread.
LQ_API void watch_stalls(double seconds, std::function<void(const Stall&)> tell);

// Local. Unless the program calls watch_stalls(), one line on stderr tells of such calls from the next one on: "WHO
// waits for 30 s in write of ... of PATH; the file system does not answer". The environment variable LQ_WATCH_STALLS
// says after how many seconds, 0 never; where it does not, `seconds` does. Programs that make an lq::mpi::Environment,
// `lq`, and those over lemon.h, qio.h and sion.h do so after 30 s, others only by the variable.
LQ_API void watch_stalls_by_default(double seconds, std::string who);

}  // namespace lq
