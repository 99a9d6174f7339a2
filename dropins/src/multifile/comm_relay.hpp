// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Data for copies over messages: sent to the keeper, accepted of those whose data are kept here.
#pragma once

#include "multifile/comm_exchange.hpp"
#include "multifile/team.hpp"

namespace lq::multifile {

class CommRelay final : public Relay {
 public:
  // Local. Ranks of the neighbours are those of `comm`, each of which has the given number of tasks.
  CommRelay(std::shared_ptr<comm::Comm> comm, const BuddyNeighbours& neighbours, int tasks = 1);
  // Collective, before anything is passed. Asks for no memory.
  void open() { exchange_.open(); }

  void pass(const Parcel& mine, base::Bytes data, const CollectorExchange::Write& write,
            std::exception_ptr& failure) override;

  // The steps, for tasks that share a rank: started for each of them; parcel and data stay where they are to the end.
  // Data for which there is no memory to send them are a failure, here and where they are awaited.
  void start(const Parcel& mine, base::Bytes data, std::exception_ptr& failure);
  void accept(const CollectorExchange::Write& write, std::exception_ptr& failure);
  void finish();

 private:
  std::shared_ptr<comm::Comm> comm_;
  CommExchange exchange_;
  int keeper_;
  std::vector<int> clients_;
  std::vector<comm::Flight> parcels_, pieces_;  // under way
};

}  // namespace lq::multifile
