// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// All strategies side by side: whether each is possible, with which sizes, at which cost.
#pragma once

#include <string>
#include <vector>

#include "engine/choose.hpp"
#include "engine/cost.hpp"

namespace lq::engine {

struct Candidate {
  Choice choice;
  std::string obstacle;  // why it is not possible, with the remedy; empty: it is
  Work work;
  Prediction seconds;

  bool is_possible() const noexcept { return obstacle.empty(); }
};

// Direct, shared, pull, messages. Those that are not possible have no work and no seconds.
std::vector<Candidate> candidates(const Transfer& transfer, const Geometry& geometry, const TransferContext& context,
                                  const RouteOptions& options, const Machine& machine);

// The one that the rules of docs/design/0009 take; or, unless that is direct, another that is predicted to be clearly
// faster. It is possible. unsupported: none is.
const Candidate& best_of(const std::vector<Candidate>& all, const Transfer& transfer, const Geometry& geometry,
                         const TransferContext& context, const RouteOptions& options, const Machine& machine,
                         std::string& reason);

}  // namespace lq::engine
