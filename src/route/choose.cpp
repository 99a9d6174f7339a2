// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// See choose.hpp.
#include "route/choose.hpp"

#include <limequat/error.hpp>

#include <fmt/format.h>

#include "base/text.hpp"
#include "route/geometry.hpp"
#include "route/sizes.hpp"

namespace lq::route {
namespace {

constexpr std::uint64_t long_row = 64 * 1024;       // worth a call of its own
constexpr std::uint64_t small_field = 1024 * 1024;  // not worth an exchange

class Choosing {
 public:
  Choosing(const Transfer& transfer, const Situation& situation, const RouteOptions& options, const Machine& machine)
      : transfer_(transfer),
        situation_(situation),
        options_(options),
        machine_(machine),
        geometry_(transfer),
        block_(situation.block_bytes),
        sizes_(chunk_sizes(transfer.site_bytes(), options, block_)) {}

  Choice choose() const {
    if (options_.strategy != Strategy::automatic) return forced(options_.strategy);
    if (obstacle(Strategy::messages)) return {Strategy::direct, {}, 0, *obstacle(Strategy::messages)};
    if (!obstacle(Strategy::direct)) {
      if (const std::string reason = reason_for_direct(); !reason.empty()) return {Strategy::direct, {}, 0, reason};
    }
    const int shared = shared_dimensions(geometry_, options_);
    const bool meets_on_nodes =
        situation_.is_one_node || geometry_.groups_stay_on_nodes(shared, situation_.ranks_per_node);
    if (transfer_.writing && meets_on_nodes && !obstacle(Strategy::pull)) {
      return exchange(Strategy::pull, "ranks of a node may read each other's memory");
    }
    if (!obstacle(Strategy::shared)) return exchange(Strategy::shared, "ranks of a node share memory");
    return exchange(Strategy::messages, "ranks share no memory");
  }

 private:
  Choice forced(Strategy strategy) const {
    if (const std::optional<std::string> why = obstacle(strategy)) {
      throw Error(Code::unsupported, fmt::format("strategy \"{}\" is not possible: {}", name(strategy), *why));
    }
    if (strategy == Strategy::direct) return {strategy, {}, 0, "asked for"};
    return exchange(strategy, "asked for");
  }

  // Why a strategy cannot be, with the remedy.
  std::optional<std::string> obstacle(Strategy strategy) const {
    if (strategy == Strategy::direct) {
      if (!transfer_.writing || !situation_.needs_single_owner || situation_.is_one_node) return std::nullopt;
      return fmt::format("on this file system two nodes must not write into one block of {} bytes (take \"messages\")",
                         block_);
    }
    if (!sizes_) {
      return fmt::format(
          "an exchange of sites of {} bytes in aligned chunks needs more than the {} bytes of memory that "
          "the options grant (grant more, or take \"direct\")",
          transfer_.site_bytes(), options_.memory_bytes);
    }
    if (strategy == Strategy::messages) return std::nullopt;
    if (!situation_.can_share) return "the ranks of a node share no memory (take \"messages\")";
    if (strategy == Strategy::shared || !transfer_.writing) return std::nullopt;
    if (!situation_.can_pull) {
      return "ranks may not read their neighbours' memory (take \"shared\"; `lq doctor` says why)";
    }
    if (!situation_.is_in_memory) return "the sites come from a function, not from memory (take \"shared\")";
    return std::nullopt;
  }

  std::string reason_for_direct() const {
    if (options_.aggregators > 0 && options_.aggregators < geometry_.ranks()) return "";
    if (geometry_.ranks() == 1) return "one rank holds all sites";
    if (geometry_.bytes() < small_field) return fmt::format("{} are too little to exchange", human(geometry_.bytes()));
    if (geometry_.row_bytes() >= long_row) {
      return fmt::format("rows of {} are long enough to be moved one by one", human(geometry_.row_bytes()));
    }
    return "";
  }

  Choice exchange(Strategy strategy, const std::string& why) const {
    Choice choice;
    choice.strategy = strategy;
    choice.shares.shared_dimensions = shared_dimensions(geometry_, options_);
    choice.shares.owners = owners_of_group(geometry_, choice.shares.shared_dimensions, options_);
    choice.shares.chunk_bytes = sizes_->chunk_bytes;
    choice.shares.domain_bytes = sizes_->domain_bytes;
    choice.memory_bytes = chunks_in_memory * sizes_->chunk_bytes;
    choice.reason =
        fmt::format("rows of {} are too short to be moved one by one; {}", human(geometry_.row_bytes()), why);
    return choice;
  }

  static std::string human(std::uint64_t bytes) { return base::human_bytes(bytes); }

  const Transfer& transfer_;
  const Situation& situation_;
  const RouteOptions& options_;
  const Machine& machine_;
  Geometry geometry_;
  std::uint64_t block_;
  std::optional<ChunkSizes> sizes_;
};

}  // namespace

Choice choose(const Transfer& transfer, const Situation& situation, const RouteOptions& options,
              const Machine& machine) {
  return Choosing(transfer, situation, options, machine).choose();
}

}  // namespace lq::route
