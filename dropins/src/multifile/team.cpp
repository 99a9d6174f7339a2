// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Teams over a Comm, and the locations of their tasks.
#include "multifile/team.hpp"

#include <algorithm>
#include <iterator>

#include <limequat/error.hpp>

#include "comm/agree.hpp"
#include "comm/tree.hpp"
#include "format/sion/geometry.hpp"
#include "multifile/comm_exchange.hpp"

namespace lq::multifile {
namespace {

constexpr std::int64_t least_piece_bytes = 1 << 20;

class CommTeam final : public Team {
 public:
  explicit CommTeam(std::shared_ptr<comm::Comm> all) : all_(std::move(all)) {}
  comm::Comm& all() override { return *all_; }

  FileGroup form(const TaskLocation& location, bool collects) override {
    if (location.is_rank && !collects) return {all_, nullptr};
    FileGroup group;
    const auto exchange = comm::agree(*all_, [&] {
      group.comm = location.is_rank ? all_ : all_->split(location.file, location.task);
      return collects ? std::make_shared<CommExchange>(group.comm) : nullptr;
    });
    if (exchange) exchange->open();
    group.exchange = exchange;
    return group;
  }

  std::unique_ptr<BuddyExchange> make_buddy_exchange(const BuddyNeighbours& neighbours) override {
    auto exchange = comm::agree(*all_, [&] { return std::make_unique<CommBuddyExchange>(all_, neighbours); });
    exchange->open();
    return exchange;
  }

 private:
  std::shared_ptr<comm::Comm> all_;
};

}  // namespace

std::shared_ptr<Team> make_team(std::shared_ptr<comm::Comm> all) { return std::make_shared<CommTeam>(std::move(all)); }

CollectorGroup group_of(const std::vector<std::int32_t>& groups, std::int32_t task, std::int32_t tasks,
                        std::int32_t block_size, bool merges) {
  CollectorGroup group;
  group.collector = task;
  group.piece_bytes = merges ? block_size : std::max<std::int64_t>(block_size, least_piece_bytes);
  const auto behind = std::ranges::upper_bound(groups, task);
  if (behind == groups.begin()) return group;
  group.collector = *std::prev(behind);
  group.tasks = (behind == groups.end() ? tasks : *behind) - group.collector;
  return group;
}

TaskLocation locate_evenly(std::int32_t task, std::int32_t tasks, std::int32_t files) {
  const format::sion::FileShare share = format::sion::share_of_task(task, tasks, files);
  return {share.file, files, share.local_task, share.tasks, files == 1};
}

TaskLocation locate_by_group(comm::Comm& all, std::int32_t leader, std::int32_t task, std::int32_t tasks) {
  const std::unique_ptr<comm::Comm> group = comm::agree(all, [&] { return all.split(leader, task); });
  const std::uint64_t leads = group->rank() == 0 ? 1 : 0;
  const comm::Sums leaders = comm::exclusive_sums(all, std::span(&leads, 1));
  std::uint64_t file = leaders.before[0];
  group->broadcast(std::as_writable_bytes(std::span(&file, 1)), 0);
  return {static_cast<std::int32_t>(file), static_cast<std::int32_t>(leaders.total[0]), task, tasks};
}

}  // namespace lq::multifile
