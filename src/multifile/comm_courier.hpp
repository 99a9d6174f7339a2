// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Data of a group over messages: the parcel, the data in pieces, and the collector's verdict.
#pragma once

#include "multifile/team.hpp"

namespace lq::multifile {

class CommCourier final : public Courier {
 public:
  explicit CommCourier(std::shared_ptr<comm::Comm> comm);

  void collect(const CollectorGroup& group, const Parcel& mine, base::Bytes data, const Write& write) override;
  void deal_out(const CollectorGroup& group, const Parcel& mine, base::MutableBytes data, const Read& read) override;

 private:
  void send(base::Bytes bytes, int to);
  void receive(base::MutableBytes bytes, int from);
  void give_verdict(const CollectorGroup& group, std::exception_ptr failure);
  void await_verdict(int collector);

  std::shared_ptr<comm::Comm> comm_;
  int channel_;
};

}  // namespace lq::multifile
