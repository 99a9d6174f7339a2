// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Who touches which part of a file's sites: as many owners as are worth it have a domain each, and move it chunk by
// chunk, all in step. Arithmetic: the same on all nodes.
#pragma once

#include <algorithm>
#include <cstdint>

namespace lq::compat::qio {

inline constexpr std::uint64_t chunk_bytes = 1024 * 1024;

class Domains {
 public:
  // `most_owners`: of `nodes`; `leader` has the first domain.
  Domains(std::uint64_t sites, std::uint64_t site_bytes, int nodes, int most_owners, int leader)
      : sites_(sites), nodes_(static_cast<std::uint64_t>(nodes)), leader_(static_cast<std::uint64_t>(leader)) {
    chunk_sites_ = std::max<std::uint64_t>(1, chunk_bytes / std::max<std::uint64_t>(1, site_bytes));
    const std::uint64_t worth = std::max<std::uint64_t>(1, sites / chunk_sites_);
    owners_ = static_cast<int>(std::min(worth, static_cast<std::uint64_t>(most_owners)));
  }

  int owners() const noexcept { return owners_; }
  std::uint64_t chunk_sites() const noexcept { return chunk_sites_; }
  std::uint64_t begin(int owner) const noexcept {
    const auto k = static_cast<std::uint64_t>(owner), all = static_cast<std::uint64_t>(owners_);
    return sites_ / all * k + sites_ % all * k / all;
  }
  std::uint64_t end(int owner) const noexcept { return begin(owner + 1); }
  // Spread over the nodes.
  int node_of(int owner) const noexcept {
    const std::uint64_t step = static_cast<std::uint64_t>(owner) * nodes_ / static_cast<std::uint64_t>(owners_);
    return static_cast<int>((leader_ + step) % nodes_);
  }
  // -1: none.
  int owner_at(int node) const noexcept {
    for (int owner = 0; owner < owners_; ++owner) {
      if (node_of(owner) == node) return owner;
    }
    return -1;
  }
  std::uint64_t rounds() const noexcept {
    std::uint64_t most = 0;
    for (int owner = 0; owner < owners_; ++owner) most = std::max(most, end(owner) - begin(owner));
    return (most + chunk_sites_ - 1) / chunk_sites_;
  }
  struct Chunk {
    std::uint64_t begin = 0, end = 0;
    bool is_empty() const noexcept { return begin >= end; }
  };
  Chunk chunk(int owner, std::uint64_t round) const noexcept {
    const std::uint64_t last = end(owner), first = std::min(last, begin(owner) + round * chunk_sites_);
    return {first, std::min(last, first + chunk_sites_)};
  }

 private:
  std::uint64_t sites_, nodes_, leader_;
  std::uint64_t chunk_sites_ = 1;
  int owners_ = 1;
};

}  // namespace lq::compat::qio
