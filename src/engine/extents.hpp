// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The transfer that a plan is about.
#pragma once

#include <limequat/plan.hpp>

#include "engine/shares.hpp"
#include "lattice/decomposition.hpp"

namespace lq::engine {

class PlannedTransfer {
 public:
  // A request that was found possible, its spec complete.
  explicit PlannedTransfer(const PlanRequest& request);
  PlannedTransfer(const PlannedTransfer&) = delete;
  PlannedTransfer& operator=(const PlannedTransfer&) = delete;

  const Transfer& transfer() const noexcept { return transfer_; }

 private:
  lattice::Decomposition dealt_;
  Transfer transfer_;
};

}  // namespace lq::engine
