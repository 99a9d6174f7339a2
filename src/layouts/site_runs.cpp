// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A site continues one of the last two runs, which are those of two parities, or begins a new one.
#include "layouts/site_runs.hpp"

#include <algorithm>

#include "layouts/site_places.hpp"

namespace lq::layouts {

SiteRun* SiteRuns::run_for(std::size_t site, std::int64_t place, std::int64_t dense, std::size_t turns) noexcept {
  const auto open = std::span(runs_).last(std::min<std::size_t>(runs_.size(), 2));
  for (SiteRun& run : open) {
    if (run.sites > 1 ? place == run.end() : place == run.place + dense) return &run;
  }
  for (SiteRun& run : open) {
    if (run.sites == 1 && run.last + turns == site) return &run;
  }
  return nullptr;
}

void SiteRuns::find(std::span<const std::int64_t> places, std::int64_t dense, std::size_t turns) {
  runs_.clear();
  behind_.resize(places.size());
  for (std::size_t site = 0; site < places.size(); ++site) {
    if (places[site] == SitePlaces::absent) continue;
    SiteRun* const run = run_for(site, places[site], dense, turns);
    if (run == nullptr) {
      runs_.push_back({.place = places[site], .step = dense, .first = site, .last = site, .sites = 1});
      continue;
    }
    if (run->sites == 1) run->step = places[site] - run->place;
    behind_[run->last] = site;
    run->last = site;
    ++run->sites;
  }
}

}  // namespace lq::layouts
