// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sites at hand sorted into runs whose places in memory are evenly spaced.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace lq::layouts {

struct SiteRun {
  std::int64_t place = 0, step = 0;  // of the first of them; from each to the next
  std::size_t first = 0, last = 0;   // their numbers among the sites at hand
  std::size_t sites = 0;
  std::int64_t end() const noexcept { return place + static_cast<std::int64_t>(sites) * step; }
};

class SiteRuns {
 public:
  // Memory for so many sites; more ask for it.
  void reserve(std::size_t sites) {
    runs_.reserve(sites);
    behind_.reserve(sites);
  }
  // Of sites at these places, but for absent ones. Those `dense` apart are neighbours in memory; where sites of two
  // parities take turns, `turns` is 2, else 1.
  void find(std::span<const std::int64_t> places, std::int64_t dense, std::size_t turns);

  std::span<const SiteRun> runs() const noexcept { return runs_; }
  // The number of the site behind that one in its run.
  std::size_t behind(std::size_t site) const noexcept { return behind_[site]; }

 private:
  SiteRun* run_for(std::size_t site, std::int64_t place, std::int64_t dense, std::size_t turns) noexcept;

  std::vector<SiteRun> runs_;
  std::vector<std::size_t> behind_;
};

}  // namespace lq::layouts
