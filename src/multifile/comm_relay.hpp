// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Data for copies over messages: sent to the keeper, accepted of those whose data are kept here.
#pragma once

#include "multifile/comm_courier.hpp"
#include "multifile/team.hpp"

namespace lq::multifile {

class CommRelay final : public Relay {
 public:
  // Collective. Ranks of the vicinity are those of `comm`.
  CommRelay(std::shared_ptr<comm::Comm> comm, const Vicinity& vicinity);

  void pass(const Parcel& mine, base::Bytes data, const Courier::Write& write, std::exception_ptr& failure) override;

  // The steps, for tasks that share a rank: started for each of them; parcel and data stay where they are to the end.
  void start(const Parcel& mine, base::Bytes data);
  void accept(const Courier::Write& write, std::exception_ptr& failure);
  void finish();

 private:
  std::shared_ptr<comm::Comm> comm_;
  CommCourier courier_;
  int keeper_;
  std::vector<int> wards_;
  std::vector<comm::Flight> flights_;
};

}  // namespace lq::multifile
