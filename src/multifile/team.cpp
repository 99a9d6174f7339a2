// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Teams over a Comm, and who sits where.
#include "multifile/team.hpp"

#include <set>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "comm/agree.hpp"
#include "format/sion/widths.hpp"
#include "multifile/comm_courier.hpp"
#include "multifile/wire.hpp"

namespace lq::multifile {
namespace {

class CommTeam final : public Team {
 public:
  explicit CommTeam(std::shared_ptr<comm::Comm> all) : all_(std::move(all)) {}
  comm::Comm& all() override { return *all_; }

  FileGroup form(const Seat& seat) override {
    FileGroup group;
    group.comm = seat.is_rank ? all_ : all_->split(seat.file, seat.task);
    group.courier = std::make_shared<CommCourier>(group.comm);
    return group;
  }

 private:
  std::shared_ptr<comm::Comm> all_;
};

struct FileOfLeader {
  std::int32_t file = 0;
  std::int32_t files = 0;
};

// On the root: leaders as they were gathered, and what each task is told.
std::vector<std::vector<std::byte>> number_leaders(const std::vector<std::vector<std::byte>>& gathered) {
  std::set<std::int32_t> leaders;
  for (const auto& leader : gathered) leaders.insert(from_bytes<std::int32_t>(leader));
  std::vector<std::vector<std::byte>> answers;
  for (const auto& leader : gathered) {
    const auto before = std::distance(leaders.begin(), leaders.find(from_bytes<std::int32_t>(leader)));
    answers.push_back(
        to_bytes(FileOfLeader{static_cast<std::int32_t>(before), static_cast<std::int32_t>(leaders.size())}));
  }
  return answers;
}

}  // namespace

std::shared_ptr<Team> make_team(std::shared_ptr<comm::Comm> all) { return std::make_shared<CommTeam>(std::move(all)); }

Seat dealt_seat(std::int32_t task, std::int32_t tasks, std::int32_t files) {
  const format::sion::FileShare share = format::sion::share_of_task(task, tasks, files);
  return {share.file, files, share.local_task, share.tasks, files == 1};
}

Seat grouped_seat(comm::Comm& all, std::int32_t leader, std::int32_t task, std::int32_t tasks) {
  const auto gathered = all.gather(std::as_bytes(std::span(&leader, 1)), 0);
  const auto answer = from_bytes<FileOfLeader>(all.scatter(number_leaders(gathered), 0));
  return {answer.file, answer.files, task, tasks, false};
}

}  // namespace lq::multifile
