// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/choose.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "engine/candidates.hpp"
#include "engine/geometry.hpp"

namespace lq::engine {

Choice choose(const Transfer& transfer, const TransferContext& context, const RouteOptions& options,
              const Machine& machine) {
  const Geometry geometry(transfer);
  const std::vector<Candidate> all = candidates(transfer, geometry, context, options, machine);
  std::string reason = "asked for";
  if (options.strategy == Strategy::automatic) {
    Choice choice = best_of(all, transfer, geometry, context, options, machine, reason).choice;
    choice.reason = std::move(reason);
    return choice;
  }
  const auto asked =
      std::ranges::find_if(all, [&](const Candidate& one) { return one.choice.strategy == options.strategy; });
  if (!asked->is_possible()) {
    throw Error(Code::unsupported,
                fmt::format("strategy \"{}\" is not possible: {}", name(options.strategy), asked->obstacle));
  }
  Choice choice = asked->choice;
  choice.reason = std::move(reason);
  return choice;
}

}  // namespace lq::engine
