// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A site continues one of the last two runs, which are those of two parities, or begins a new one.
#include "lattice/site_runs.hpp"

#include <algorithm>
#include <utility>

#include "lattice/site_places.hpp"

namespace lq::lattice {

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
  run_of_.resize(places.size());
  for (std::size_t site = 0; site < places.size(); ++site) {
    if (places[site] == SitePlaces::absent) continue;
    SiteRun* run = run_for(site, places[site], dense, turns);
    if (run == nullptr) {
      run = &runs_.emplace_back(SiteRun{.place = places[site], .step = dense});
    } else if (run->sites == 1) {
      run->step = places[site] - run->place;
    }
    run->last = site;
    ++run->sites;
    run_of_[site] = static_cast<std::size_t>(run - runs_.data());
  }
  list_sites(places);
}

void SiteRuns::list_sites(std::span<const std::int64_t> places) {
  std::size_t all = 0;
  for (SiteRun& run : runs_) run.first = std::exchange(all, all + run.sites);
  sites_.resize(all);
  for (SiteRun& run : runs_) run.sites = 0;
  for (std::size_t site = 0; site < places.size(); ++site) {
    if (places[site] == SitePlaces::absent) continue;
    SiteRun& run = runs_[run_of_[site]];
    sites_[run.first + run.sites++] = site;
  }
}

}  // namespace lq::lattice
