// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Messages as SIONlib prints them: one line on stderr that begins with the level, the rank and the return code.
#pragma once

#include <string>

#include <limequat/error.hpp>

namespace lq::compat::sion {

// Rank -1: not known. Returns `rc`. SION_ERROR_MSG_RANK and SION_ERROR_MSG_THREAD select who prints.
int complain(int rc, int rank, const std::string& text);
void warn(int rc, int rank, const std::string& text);

// Of the calling thread, in what it does next: file_check functions want no messages.
class Silence {
 public:
  Silence() noexcept;
  ~Silence();
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;
};

// Threads of hybrid programs: their number, or -1 where there are no threads.
void set_thread_number(int (*ask)()) noexcept;

// Runs `work`; whatever it throws becomes a message that begins with `function`, and `rc`.
template <class Result, class Work>
Result guarded(const char* function, Result rc, int rank, Work&& work) noexcept {
  try {
    return work();
  } catch (const std::exception& error) {
    try {
      complain(static_cast<int>(rc), rank, std::string(function) + ": " + error.what());
    } catch (...) {  // no memory even for the message
    }
    return rc;
  }
}

}  // namespace lq::compat::sion
