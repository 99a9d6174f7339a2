// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "sets/staging/packed.hpp"

#include <mutex>
#include <utility>

namespace lq::sets {
namespace {

std::mutex unpacking_mutex;

Unpack& unpacking() {
  static auto& function = *new Unpack;  // threads may use it until the process ends
  return function;
}

}  // namespace

void set_unpacking(Unpack unpack) {
  const std::scoped_lock lock(unpacking_mutex);
  unpacking() = std::move(unpack);
}

std::shared_ptr<const std::string> unpacked(const std::string& path) {
  Unpack unpack;
  {
    const std::scoped_lock lock(unpacking_mutex);
    unpack = unpacking();
  }
  return unpack ? unpack(path) : nullptr;
}

std::optional<Verification> verify_contents(const std::string& path, const VerifyOptions& options) {
  const auto contents = unpacked(path);
  if (!contents) return std::nullopt;
  Verification verification = lq::verify(*contents, {}, options);
  verification.path = path;
  return verification;
}

}  // namespace lq::sets
