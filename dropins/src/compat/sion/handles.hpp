// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The table of handles: small integers for open multifiles and for APIs of the generic interface, assigned as in
// SIONlib.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <sion.h>

#include <limequat/error.hpp>

#include "multifile/multifile.hpp"

namespace lq::compat::sion {

// Messages in SIONlib's form: one line on stderr that begins with the level, the rank and the return code.

// Rank -1: unknown. Returns `rc`. SION_ERROR_MSG_RANK and SION_ERROR_MSG_THREAD select who prints.
int report_error(int rc, int rank, const std::string& text);

// Suppresses messages of the calling thread during its lifetime: for file_check functions.
class Silence {
 public:
  Silence() noexcept;
  ~Silence();
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;
};

// Thread numbers of hybrid programs, or -1 without threads.
void set_thread_number(int (*ask)()) noexcept;

// Runs `work`; any exception becomes a message that begins with `function`, and `rc`.
template <class Result, class Work>
Result guarded(const char* function, Result rc, int rank, Work&& work) noexcept {
  try {
    return work();
  } catch (const std::exception& error) {
    try {
      report_error(static_cast<int>(rc), rank, std::string(function) + ": " + error.what());
    } catch (...) {  // no memory even for the message
    }
    return rc;
  }
}

// An identifier, as needed by a macro of the interface.
using Number = sion_int64;

enum class Kind { serial, one_task, parallel, mapped, duplicate };

// An open multifile, and arrays returned to the caller that live as long as it.
struct OpenFile {
  Kind kind = Kind::serial;
  std::unique_ptr<multifile::Multifile> file;
  int rank = -1;            // for messages: local task
  bool individual = false;  // collective calls are no longer possible: there was an individual one
  std::vector<sion_int64> widths, ranks, counts, used, positions, blocks, chunks;
  std::vector<sion_int32> mapping;
};

// The functions of an API of the generic interface: see generic.cpp.
struct Api;

int add_handle(std::unique_ptr<OpenFile> file);
int add_handle(std::shared_ptr<Api> api);
// A handle for nothing, as SIONlib takes in some places.
int reserve_handle();
// Assigns a file to a reserved handle.
void fill_handle(int id, std::unique_ptr<OpenFile> file);
// False if there is none of that number.
bool drop_handle(int id);
// nullptr: no open multifile of that number.
OpenFile* find_file(int id);
std::shared_ptr<Api> find_api(int id);

// A reserved number that is released unless a file is assigned.
class ReservedHandle {
 public:
  ReservedHandle() = default;
  ~ReservedHandle() {
    if (find_file(id_) == nullptr) drop_handle(id_);
  }
  ReservedHandle(const ReservedHandle&) = delete;
  ReservedHandle& operator=(const ReservedHandle&) = delete;
  void take() { id_ = reserve_handle(); }
  int fill(std::unique_ptr<OpenFile> file) const {
    fill_handle(id_, std::move(file));
    return id_;
  }

 private:
  int id_ = -1;
};

// User functions around accesses to the table. False: one is missing.
bool set_lock(int (*lock)(void*), int (*unlock)(void*), void* data);
bool has_user_lock();

// Runs work(OpenFile&) for an open multifile; a message and `rc` for any other number.
template <class Result, class Work>
Result with_file(const char* function, Result rc, int sid, Work&& work) noexcept {
  OpenFile* const open = find_file(sid);
  if (open == nullptr) {
    return guarded(function, rc, -1, [&]() -> Result {
      return static_cast<Result>(
          report_error(static_cast<int>(rc), -1,
                       std::string(function) + ": invalid sion_filedesc, aborting " + std::to_string(sid) + " ...\n"));
    });
  }
  return guarded(function, rc, open->rank, [&] { return work(*open); });
}

// Empty, after a message: too large for memory, or no memory given.
std::optional<std::size_t> bytes_of(const char* function, const OpenFile& open, const void* data, std::size_t size,
                                    std::size_t items);

}  // namespace lq::compat::sion
