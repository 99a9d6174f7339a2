// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Files of running probes, so that a program that is told to end leaves none behind.
#include <unistd.h>
#include <limequat/survey.hpp>

#include <array>
#include <atomic>
#include <utility>

namespace lq {
namespace {

// A fixed table, because a signal handler may neither lock nor allocate. A probe that finds no slot cleans up itself.
std::array<std::atomic<const char*>, 256> under_way{};
static_assert(std::atomic<const char*>::is_always_lock_free);

}  // namespace

ProbeFile::ProbeFile(std::string path) : path_(std::move(path)) {
  for (std::size_t i = 0; i < under_way.size(); ++i) {
    const char* nothing = nullptr;
    if (!under_way[i].compare_exchange_strong(nothing, path_.c_str())) continue;
    place_ = static_cast<int>(i);
    return;
  }
}

ProbeFile::~ProbeFile() {
  if (place_ >= 0) under_way[static_cast<std::size_t>(place_)] = nullptr;
}

void remove_probe_files() noexcept {
  for (const std::atomic<const char*>& one : under_way) {
    if (const char* path = one.load()) ::unlink(path);
  }
}

}  // namespace lq
