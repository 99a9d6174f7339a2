// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The threads of a rank in an exchange: one for storage, which goes on beside the others, and those that share the
// sites of each chunk among them. All of it is had before the first step.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "comm/background_task.hpp"
#include "comm/team.hpp"
#include "engine/peers.hpp"
#include "engine/transfer_stats.hpp"
#include "lattice/tiles.hpp"

namespace lq::engine {

// What a thread has to itself; `Local` is LocalSource or LocalSink.
template <class Local>
struct WorkerState {
  TransferStats& stats;
  Peers& peers;
  Local local;
};

template <class Local>
class WorkerPool {
 public:
  // `threads` in all, of which the storage has one if there are several. `first` is the worker of the thread that takes
  // the steps; make_local(stats) makes what others have like it.
  template <class MakeLocal>
  WorkerPool(int threads, const engine::Shares& shares, const Paths& paths, WorkerState<Local> first,
             const MakeLocal& make_local)
      : first_(std::move(first)), storage_(threads > 1), team_(threads - 1) {
    for (int i = 1; i < team_.size(); ++i) {
      helpers_.push_back(std::make_unique<Helper>(first_.stats.empty(shares.transfer().payload), shares, paths));
      helpers_.back()->local.emplace(
          WorkerState<Local>{helpers_.back()->stats, helpers_.back()->peers, make_local(helpers_.back()->stats)});
    }
  }

  int size() const noexcept { return team_.size(); }
  WorkerState<Local>& first() noexcept { return first_; }
  comm::BackgroundTask& storage() noexcept { return storage_; }

  // Calls work(thread, worker, first site, end) for parts of the sites of a chunk, side by side.
  template <class Work>
  void share(const engine::Chunk& chunk, std::uint64_t site_bytes, const Work& work) {
    const std::uint64_t sites = chunk.end_site - chunk.first_site;
    const std::uint64_t parts =
        std::clamp<std::uint64_t>(sites * site_bytes / least_bytes, 1, static_cast<std::uint64_t>(team_.size()));
    if (parts == 1) return work(0, first_, chunk.first_site, chunk.end_site);
    team_.run([&](int thread) {
      const auto part = static_cast<std::uint64_t>(thread);
      if (part >= parts) return;
      const lattice::Share mine = lattice::share_of(sites, parts, part);
      work(thread, worker(thread), chunk.first_site + mine.begin, chunk.first_site + mine.end);
    });
  }

  // What all of them saw; once, at the end.
  void merge_workers() noexcept {
    for (const auto& helper : helpers_) first_.stats.add(helper->stats);
  }

 private:
  struct Helper {
    Helper(TransferStats empty, const engine::Shares& shares, const Paths& paths)
        : stats(std::move(empty)), peers(shares, paths) {}
    TransferStats stats;
    Peers peers;
    std::optional<WorkerState<Local>> local;
  };
  // Waking a thread takes as long as packing so much.
  static constexpr std::uint64_t least_bytes = 32 * 1024;

  WorkerState<Local>& worker(int thread) noexcept {
    return thread == 0 ? first_ : *helpers_[static_cast<std::size_t>(thread) - 1]->local;
  }

  WorkerState<Local> first_;
  std::vector<std::unique_ptr<Helper>> helpers_;
  comm::BackgroundTask storage_;  // these use the others
  comm::Team team_;
};

}  // namespace lq::engine
