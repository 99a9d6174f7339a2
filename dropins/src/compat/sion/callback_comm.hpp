// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A group of tasks over the callbacks of the generic interface, and the data of a collector's group.
#pragma once

#include <memory>
#include <string>

#include <sion.h>

#include "comm/comm.hpp"
#include "multifile/team.hpp"

namespace lq::compat::sion {

using Gather = int (*)(void* in, void* out, void* group, int type, int elements, int root);
using GatherMany = int (*)(void* in, void* out, void* group, int type, int* counts, int elements, int root);
using ProcessWrite = int (*)(const void* data, sion_int64* spec, int sid);
using ProcessRead = int (*)(void* data, sion_int64* spec, int sid);

// A registered API.
struct Api {
  std::string name;
  int (*create_group)(void**, void*, int, int, int, int, int, int) = nullptr;
  int (*free_group)(void*) = nullptr;
  int (*barrier)(void*) = nullptr;
  int (*broadcast)(void*, void*, int, int, int) = nullptr;
  Gather gather = nullptr;
  Gather scatter = nullptr;
  GatherMany gather_many = nullptr;
  GatherMany scatter_many = nullptr;  // never called: programs disagree on the order of its arguments
  char* (*file_name)(const char*, int) = nullptr;
  int (*gather_execute)(const void*, sion_int64*, int, sion_int64, void*, int, int, int, int, ProcessWrite) = nullptr;
  int (*execute_scatter)(void*, sion_int64*, int, sion_int64, void*, int, int, int, int, ProcessRead) = nullptr;
  int (*capability)(void*) = nullptr;

  // True if all functions needed for opening are present.
  bool is_complete() const noexcept {
    return create_group != nullptr && free_group != nullptr && barrier != nullptr && broadcast != nullptr &&
           gather != nullptr && scatter != nullptr && gather_many != nullptr && scatter_many != nullptr;
  }
};

// The caller's group of all tasks.
std::shared_ptr<multifile::Team> make_callback_team(std::shared_ptr<const Api> api, void* group, int rank, int size);
std::shared_ptr<comm::Comm> make_callback_comm(std::shared_ptr<const Api> api, void* group, int rank, int size);

// Data of a collector's group over the callbacks of the generic interface.

// A gather: data of tasks `first` to `last` of a group of the API go to task `collector`.
struct GroupRange {
  void* group = nullptr;
  int task = 0;  // the calling task
  int collector = 0, first = 0, last = 0;
  std::int64_t piece_bytes = 1;
};
// Collective over the group. Throws the exception of `write`, or Error(communication) if the callback failed.
void gather_and_write(const Api& api, const GroupRange& where, const multifile::FileExtent& mine, base::Bytes data,
                      const multifile::CollectorExchange::Write& write);

// nullptr if the API has no callbacks for data. `task`: the calling one.
std::shared_ptr<multifile::CollectorExchange> make_callback_exchange(std::shared_ptr<const Api> api,
                                                                     std::shared_ptr<void> group, int task);

}  // namespace lq::compat::sion
