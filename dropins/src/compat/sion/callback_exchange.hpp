// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Data of a collector's group over the callbacks of the generic interface.
#pragma once

#include <memory>

#include "compat/sion/callback_comm.hpp"

namespace lq::compat::sion {

// Where data are gathered: on task `collector` of a group of the API, those of tasks `first` to `last`.
struct GroupRange {
  void* group = nullptr;
  int task = 0;  // the calling one
  int collector = 0, first = 0, last = 0;
  std::int64_t piece_bytes = 1;
};
// Collective over the group. Throws what `write` threw, Error(communication) where the callback failed.
void gather_and_write(const Api& api, const GroupRange& where, const multifile::Parcel& mine, base::Bytes data,
                      const multifile::CollectorExchange::Write& write);

// nullptr where the API has no callbacks for data. `task`: the calling one.
std::shared_ptr<multifile::CollectorExchange> make_callback_exchange(std::shared_ptr<const Api> api,
                                                                     std::shared_ptr<void> group, int task);

}  // namespace lq::compat::sion
