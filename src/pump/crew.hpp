// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The threads of a rank in an exchange: one for storage, which goes on beside the others, and those that share the
// sites of each chunk among them. All of it is had before the first step.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "lattice/tiles.hpp"
#include "pump/peers.hpp"
#include "pump/tally.hpp"
#include "threads/errand.hpp"
#include "threads/team.hpp"

namespace lq::pump {

// What a thread has to itself; `Local` is LocalSource or LocalSink.
template <class Local>
struct Hand {
  Tally& tally;
  Peers& peers;
  Local local;
};

template <class Local>
class Crew {
 public:
  // `threads` in all, of which the storage has one if there are several. `first` is the hand of the thread that takes
  // the steps; make_local(tally) makes what others have like it.
  template <class MakeLocal>
  Crew(int threads, const route::Shares& shares, const Paths& paths, Hand<Local> first, const MakeLocal& make_local)
      : first_(std::move(first)), storage_(threads > 1), team_(threads - 1) {
    for (int i = 1; i < team_.size(); ++i) {
      helpers_.push_back(std::make_unique<Helper>(first_.tally.empty(shares.transfer().payload), shares, paths));
      helpers_.back()->local.emplace(
          Hand<Local>{helpers_.back()->tally, helpers_.back()->peers, make_local(helpers_.back()->tally)});
    }
  }

  int size() const noexcept { return team_.size(); }
  Hand<Local>& first() noexcept { return first_; }
  threads::Errand& storage() noexcept { return storage_; }

  // Calls work(thread, hand, first site, end) for parts of the sites of a chunk, side by side.
  template <class Work>
  void share(const route::Chunk& chunk, std::uint64_t site_bytes, const Work& work) {
    const std::uint64_t sites = chunk.end_site - chunk.first_site;
    const std::uint64_t parts =
        std::clamp<std::uint64_t>(sites * site_bytes / least_bytes, 1, static_cast<std::uint64_t>(team_.size()));
    if (parts == 1) return work(0, first_, chunk.first_site, chunk.end_site);
    team_.run([&](int thread) {
      const auto part = static_cast<std::uint64_t>(thread);
      if (part >= parts) return;
      const lattice::Share mine = lattice::share_of(sites, parts, part);
      work(thread, hand(thread), chunk.first_site + mine.begin, chunk.first_site + mine.end);
    });
  }

  // What all of them saw; once, at the end.
  void add_up() noexcept {
    for (const auto& helper : helpers_) first_.tally.add(helper->tally);
  }

 private:
  struct Helper {
    Helper(Tally empty, const route::Shares& shares, const Paths& paths)
        : tally(std::move(empty)), peers(shares, paths) {}
    Tally tally;
    Peers peers;
    std::optional<Hand<Local>> local;
  };
  // Waking a thread takes as long as packing so much.
  static constexpr std::uint64_t least_bytes = 32 * 1024;

  Hand<Local>& hand(int thread) noexcept {
    return thread == 0 ? first_ : *helpers_[static_cast<std::size_t>(thread) - 1]->local;
  }

  Hand<Local> first_;
  std::vector<std::unique_ptr<Helper>> helpers_;
  threads::Errand storage_;  // these use the others
  threads::Team team_;
};

}  // namespace lq::pump
