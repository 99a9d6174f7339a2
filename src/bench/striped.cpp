// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bench/striped.hpp"

#include <filesystem>
#include <vector>

#include <limequat/file.hpp>

#include "bench/rounds.hpp"

namespace lq::bench {

Stripes make_striped(const Communicator& ranks, const std::string& path, std::uint64_t count, std::uint64_t bytes) {
  Stripes stripes;
  together(ranks, [&] {
    if (!ranks.is_root()) return;
    // A file keeps its stripes when it is emptied.
    const Grid grid({2, 2, 2, 2});
    const std::vector<double> links(static_cast<std::size_t>(grid.local_volume()) * 72);
    WriteOptions options{.overwrite = true, .stripe_count = count, .stripe_bytes = bytes};
    options.format = "scidac";
    stripes = write(path, grid, gauge(links), options).storage.stripes;
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
