// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How much memory a stretch of the program took at its peak, beyond what it had before; from Linux, which counts the
// pages that are there. Shared pages count for each process that touches them.
#pragma once

#include <cstdint>
#include <optional>

namespace lq::cli {

class MemoryPeak {
 public:
  // Begins to watch.
  MemoryPeak();
  // Bytes since then; nothing where the system does not tell.
  std::optional<std::uint64_t> bytes() const;

 private:
  std::optional<std::uint64_t> before_;
};

}  // namespace lq::cli
