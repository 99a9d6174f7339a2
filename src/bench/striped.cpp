// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
#include "bench/striped.hpp"

#include <filesystem>

#include <limequat/striped_file.hpp>

#include "bench/rounds.hpp"

namespace lq::bench {

Stripes make_striped(const Communicator& ranks, const std::string& path, std::uint64_t count, std::uint64_t bytes) {
  Stripes stripes;
  together(ranks, [&] {
    if (!ranks.is_root()) return;
    std::filesystem::remove(path);
    stripes = create_striped(path, 0, {.count = count, .bytes = bytes});
  });
  const auto of_root = [&](std::uint64_t number) {
    return static_cast<std::uint64_t>(ranks.max(ranks.is_root() ? static_cast<double>(number) : 0));
  };
  stripes.reason = static_cast<StripeReason>(of_root(static_cast<std::uint64_t>(stripes.reason)));
  stripes.count = of_root(stripes.count);
  stripes.bytes = of_root(stripes.bytes);
  return stripes;
}

}  // namespace lq::bench
