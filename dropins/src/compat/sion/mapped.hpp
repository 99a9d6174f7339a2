// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Mapped opens over any group of processes.
#pragma once

#include <memory>

#include "comm/comm.hpp"
#include "compat/sion/opening.hpp"

namespace lq::compat::sion {

struct MappedArguments {
  ParallelArguments common;  // neither chunk size nor rank
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
