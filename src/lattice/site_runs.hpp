// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sites at hand sorted into runs whose places in memory are evenly spaced.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace lq::lattice {

struct SiteRun {
  std::int64_t place = 0, step = 0;  // of the first of them; from each to the next
  std::size_t first = 0;             // where the numbers of its sites begin among those of all runs
  std::size_t last = 0, sites = 0;   // the number of the last of its sites, and how many they are
  std::int64_t end() const noexcept { return place + static_cast<std::int64_t>(sites) * step; }
};

class SiteRuns {
 public:
  // Memory for the given number of sites; more ask for it.
  void reserve(std::size_t sites) {
    runs_.reserve(sites);
    run_of_.reserve(sites);
    sites_.reserve(sites);
  }
  // Of sites at these places, except for absent ones. Those `dense` apart are neighbours in memory; where sites of two
  // parities take turns, `turns` is 2, else 1.
  void find(std::span<const std::int64_t> places, std::int64_t dense, std::size_t turns);

  std::span<const SiteRun> runs() const noexcept { return runs_; }
  // The numbers of its sites among those at hand.
  std::span<const std::size_t> sites_of(const SiteRun& run) const noexcept {
    return std::span(sites_).subspan(run.first, run.sites);
  }

 private:
  SiteRun* run_for(std::size_t site, std::int64_t place, std::int64_t dense, std::size_t turns) noexcept;
  void list_sites(std::span<const std::int64_t> places);

  std::vector<SiteRun> runs_;
  std::vector<std::size_t> run_of_;  // of each site at hand
  std::vector<std::size_t> sites_;   // run after run
};

}  // namespace lq::lattice
