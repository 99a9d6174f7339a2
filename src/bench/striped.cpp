// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Stripes stay with a file that is cut to nothing, so any file that the library wrote will do.
#include "bench/striped.hpp"

#include <cstddef>
#include <filesystem>
#include <vector>

#include <limequat/file.hpp>

#include "bench/rounds.hpp"

namespace lq::bench {

Stripes make_striped(const Communicator& ranks, const std::string& path, std::uint64_t count, std::uint64_t bytes) {
  Stripes stripes;
  together(ranks, [&] {
    if (!ranks.is_root()) return;
    WriteOptions options;
    options.format = "ildg";
    options.overwrite = true;
    options.sync = Sync::none;
    options.stripe_count = count;
    options.stripe_bytes = bytes;
    const std::vector<double> links(std::size_t{16} * 72);
    stripes = write(path, Grid({2, 2, 2, 2}), gauge(links), options).storage.stripes;
    std::filesystem::resize_file(path, 0);
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
