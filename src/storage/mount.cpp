// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The table of mounts: the one place that says where files are.
#include <atomic>
#include <map>
#include <mutex>
#include <utility>

#include <limequat/error.hpp>

#include "storage/transport.hpp"

namespace lq::storage {
namespace {

struct Table {
  std::atomic<bool> is_used{false};  // without mounts nobody takes the lock, which a forked child might find taken
  std::mutex mutex;
  std::map<std::string, Transport*> mounts;  // by how paths begin
};

Table& table() {
  static Table one;
  return one;
}

}  // namespace

Transport& resolve(const std::string& path) {
  Table& known = table();
  if (!known.is_used.load(std::memory_order_acquire)) return posix();
  const std::lock_guard lock(known.mutex);
  Transport* found = &posix();
  for (const auto& [beginning, transport] : known.mounts) {
    if (path.starts_with(beginning)) found = transport;  // the longer one comes later
  }
  return *found;
}

Mount::Mount(std::string beginning, Transport& transport) : beginning_(std::move(beginning)) {
  Table& known = table();
  const std::lock_guard lock(known.mutex);
  known.is_used.store(true, std::memory_order_release);
  if (known.mounts.emplace(beginning_, &transport).second) return;
  throw Error(Code::wrong_state, "\"" + beginning_ + "\": a transport is mounted here already");
}

Mount::~Mount() {
  Table& known = table();
  const std::lock_guard lock(known.mutex);
  known.mounts.erase(beginning_);
}

}  // namespace lq::storage
