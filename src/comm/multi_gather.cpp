// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "comm/multi_gather.hpp"

#include <exception>
#include <utility>

#include "base/error.hpp"
#include "comm/rank_tree.hpp"

namespace lq::comm {

MultiGather::MultiGather(Comm& comm, std::vector<GatherItem> gatherings, const MineOf& mine_of)
    : comm_(comm), gatherings_(std::move(gatherings)) {
  std::vector<int> ranks;
  for (const GatherItem& one : gatherings_) ranks.push_back(one.last - one.first);
  for (const std::size_t i : turns_of(ranks)) {
    if (gatherings_[i].has(comm.rank())) parts_.push_back({i, mine_of(i)});
  }
}

// All ranks take the gatherings in the same order: nobody waits indefinitely.
void MultiGather::gather(const Sink& sink) {
  std::exception_ptr failure;
  for (const Part& part : parts_) {
    const GatherItem& one = gatherings_[part.gathering];
    RankTree tree(comm_, one.first, one.last - one.first, Order::small_first, passing_channel);
    base::keep_failure(failure, [&] {
      gather_up(tree, part.mine, [&](std::span<const std::byte> piece) { sink(part.gathering, piece); });
    });
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace lq::comm
