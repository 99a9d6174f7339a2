// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bench/memory.hpp"

#include <fstream>
#include <string>

#include "base/text.hpp"

namespace lq::bench {
namespace {

// "VmHWM:      1234 kB" of this process, in bytes.
std::optional<std::uint64_t> status_bytes(std::string_view key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with(key)) continue;
    const auto words = base::split_words(line);
    const auto kilobytes = words.size() > 1 ? base::parse_u64(words[1]) : std::nullopt;
    return kilobytes ? std::optional(*kilobytes * 1024) : std::nullopt;
  }
  return {};
}

// The peak becomes what is there now.
bool reset_peak() {
  std::ofstream file("/proc/self/clear_refs");
  file << "5" << std::flush;
  return file.good();
}

}  // namespace

MemoryPeak::MemoryPeak() {
  if (reset_peak()) before_ = status_bytes("VmRSS:");
}

std::optional<std::uint64_t> MemoryPeak::bytes() const {
  const auto peak = status_bytes("VmHWM:");
  if (!before_ || !peak) return {};
  return *peak > *before_ ? *peak - *before_ : 0;
}

}  // namespace lq::bench
