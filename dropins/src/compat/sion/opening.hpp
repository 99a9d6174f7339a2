// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Common parts of all ways of opening: the mode, the handle, and the results.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>

#include "comm/comm.hpp"
#include "compat/sion/handles.hpp"
#include "multifile/mode.hpp"
#include "multifile/parallel_file.hpp"
#include "multifile/team.hpp"

namespace lq::compat::sion {

// Throws Error(invalid_argument) for a missing mode or name.
multifile::Mode mode_of(const char* words);
std::string name_of(const char* name);

// Throws Error(invalid_argument).
[[noreturn]] void refuse(const std::string& sentence);

// Fills the caller's array, or a new one.
template <class T, class Value>
void give_array(T** target, std::size_t count, const Value& value) {
  if (target == nullptr) return;
  if (*target == nullptr) *target = static_cast<T*>(std::malloc(std::max<std::size_t>(count, 1) * sizeof(T)));
  if (*target == nullptr) throw Error(Code::out_of_memory, "no memory for " + std::to_string(count) + " tasks");
  for (std::size_t i = 0; i < count; ++i) (*target)[i] = value(i);
}

// Prints a message if the file has another key-value mode than requested.
void check_keys(const multifile::Multifile& file, const multifile::Mode& mode, int rank);

// The stream of the selected task, or NULL without streams.
void hand_out_stream(multifile::Multifile& file, FILE** fileptr);

// The outcome of a parallel open: a message on one task that knows the error, -1 on all.
int report_failure(const char* function, const std::exception& error, int rank) noexcept;

// Collective if the open was. 1, else 0 with a message, or -1 if there is no such file.
int close_handle(const char* function, int sid);

// Arguments of the parallel opens, and their results. If the caller passes NULL there is none.
struct ParallelArguments {
  const char* function = "";
  const char* name = nullptr;
  const char* mode = nullptr;
  sion_int64* chunksize = nullptr;
  sion_int32* fsblksize = nullptr;
  int* globalrank = nullptr;
  FILE** fileptr = nullptr;
  char** newfname = nullptr;
  format::sion::SetRule names = {};  // of physical files; empty: the usual ones
  // The rule for one set.
  format::sion::NameRule names_of(const std::string& path) const {
    if (!names) return {};
    return [of_set = names, path](std::int32_t number) { return of_set(path, number); };
  }
};

// Collective over the team. `location` is used for writing, and for reading with buddies; `rank` is stored with the
// task. Returns the handle or -1.
int open_in_parallel(const std::shared_ptr<multifile::Team>& team, const ParallelArguments& arguments,
                     const multifile::TaskLocation& location, int rank, multifile::TaskLocation* found = nullptr);

// The request in these arguments, and the object for the handle.
struct ParallelRequest {
  multifile::Creation file = {};  // or the part needed to open it
  std::unique_ptr<OpenFile> open = {};
  const multifile::Mode& mode() const noexcept { return file.mode; }
  bool writes() const noexcept { return file.mode.direction == multifile::Direction::write; }
};
// Local. Throws Error(invalid_argument) for missing or impossible arguments.
ParallelRequest request_of(const ParallelArguments& arguments, int rank);
// The same open if all tasks have a request already. Throws the same Error on all tasks.
int open_in_parallel(const std::shared_ptr<multifile::Team>& team, const ParallelArguments& arguments,
                     ParallelRequest asked_for, const multifile::TaskLocation& location,
                     multifile::TaskLocation* found);

// Mapped opens over any group of processes.
struct MappedArguments {
  ParallelArguments common;  // without chunk size and rank
  int* files = nullptr;
  int* tasks = nullptr;
  int** ranks = nullptr;
  sion_int64** chunks = nullptr;
  int** file_numbers = nullptr;
  int** numbers = nullptr;
};

// Collective over `all`. Returns the handle or -1.
int open_mapped(const std::shared_ptr<comm::Comm>& all, const MappedArguments& arguments);

}  // namespace lq::compat::sion
