// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/cost.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "engine/choose.hpp"
#include "lattice/tile_map.hpp"

namespace lq::engine {
namespace {

constexpr std::uint64_t long_row = 64 * 1024;       // worth a separate call
constexpr std::uint64_t small_field = 1024 * 1024;  // not worth an exchange
constexpr double clear_gain = 0.75;                 // as a ratio of times: predictions err by less

std::string obstacle_to(Strategy strategy, const Transfer& transfer, const TransferContext& context,
                        const RouteOptions& options, const std::optional<ChunkSizes>& sizes) {
  const bool is_direct_safe = !transfer.writing || !context.needs_single_owner || context.is_one_client;
  if (strategy == Strategy::direct) {
    if (transfer.writing && !transfer.payload.encoding.empty() && !context.has_whole_tiles) {
      return "the sites of a tile are on several ranks, and one has to encode it";
    }
    if (is_direct_safe) return "";
    return fmt::format("on this file system two clients must not write into one block of {} bytes ({}use \"messages\")",
                       context.block_bytes, sizes ? "" : "grant more memory and ");
  }
  if (!sizes && transfer.writing && !transfer.payload.encoding.empty()) {
    const std::uint64_t bytes = lattice::TileMap(transfer.payload).layer_sites() * transfer.site_bytes();
    return fmt::format(
        "a layer of tiles, {} bytes, needs {} bytes of memory, and the options grant {} (options.memory_bytes; "
        "thinner tiles need less, and tiles that are each on one rank need none)",
        bytes, memory_of_exchange(bytes, transfer.site_bytes()),
        granted_memory(options.memory_bytes, context.call_bytes));
  }
  if (!sizes) {
    return fmt::format(
        "aligned chunks of sites of {} bytes need more than the {} bytes of memory that the options grant (grant "
        "more{})",
        transfer.site_bytes(), granted_memory(options.memory_bytes, context.call_bytes),
        is_direct_safe ? ", or use \"direct\"" : "");
  }
  if (strategy == Strategy::messages) return "";
  if (!context.can_share) return "the ranks of a node share no memory (use \"messages\")";
  if (strategy == Strategy::shared || !transfer.writing) return "";
  if (!context.can_pull) return "ranks cannot read their neighbours' memory (use \"shared\"; `lq doctor` shows why)";
  if (!context.is_in_memory) {
    return "not all sites are in memory in long pieces as in the file (use \"shared\")";
  }
  return "";
}

const Candidate& named(const std::vector<Candidate>& all, Strategy strategy) {
  return *std::ranges::find_if(all, [&](const Candidate& one) { return one.choice.strategy == strategy; });
}

// Seconds that the calls of the busiest rank take in addition to their bytes, one call per row: on a network a call
// costs a thousand times as much as on a local disk.
double seconds_of_calls(const Transfer& transfer, const Geometry& geometry, const Machine& machine) {
  const double call = transfer.writing ? machine.write_call : machine.read_call;
  return call * real(geometry.rank_bytes()) / real(std::max<std::uint64_t>(geometry.row_bytes(), 1));
}

bool are_calls_dear(const Transfer& transfer, const Geometry& geometry, const Machine& machine) {
  constexpr double worth_an_exchange = 2e-3;  // seconds; more than discovering nodes and a few messages take
  return seconds_of_calls(transfer, geometry, machine) > worth_an_exchange;
}

// The length from which a row is worth a separate call: its bytes take longer than the call itself.
std::uint64_t length_worth_a_call(const Transfer& transfer, const Machine& machine) {
  const double call =
      transfer.writing ? machine.write_call * machine.write_rate : machine.read_call * machine.read_rate;
  return std::clamp(static_cast<std::uint64_t>(std::min(call, real(small_field))), long_row, small_field);
}

// True if ranks of one client could only write in turn, and slower than one rank for all.
bool one_should_write(const Transfer& transfer, const TransferContext& context, const RouteOptions& options) {
  return transfer.writing && options.aggregators == 0 && context.is_one_client &&
         context.client_writes == storage::ClientWrites::best_by_one;
}

// The reason why every rank should move its own rows; empty: it should not.
std::string reason_for_direct(const Transfer& transfer, const Geometry& geometry, const TransferContext& context,
                              const RouteOptions& options, const Machine& machine) {
  if (!transfer.writing && !transfer.payload.encoding.empty() && !has_whole_layers(transfer, options, context)) {
    return "each rank decodes the tiles in which it has sites";
  }
  if (options.aggregators > 0 && options.aggregators < geometry.ranks()) return "";
  if (geometry.ranks() == 1) return "one rank holds all sites";
  const std::uint64_t bytes = geometry.bytes();
  const bool is_dear = are_calls_dear(transfer, geometry, machine);
  if (bytes < small_field && !is_dear) {
    return fmt::format("{} are too little to exchange", base::human_bytes(bytes));
  }
  if (one_should_write(transfer, context, options)) return "";
  const std::uint64_t row = geometry.row_bytes();
  if (row < (is_dear ? length_worth_a_call(transfer, machine) : long_row)) return "";
  return fmt::format("rows of {} are long enough to be moved one by one", base::human_bytes(row));
}

const Candidate& by_rules(const std::vector<Candidate>& all, const Transfer& transfer, const Geometry& geometry,
                          const TransferContext& context, const RouteOptions& options, const Machine& machine,
                          std::string& reason) {
  const Candidate& direct = named(all, Strategy::direct);
  const Candidate& shared = named(all, Strategy::shared);
  const Candidate& pull = named(all, Strategy::pull);
  const Candidate& messages = named(all, Strategy::messages);
  reason = messages.obstacle;
  if (!messages.is_possible() && !direct.is_possible()) {
    base::fail(Code::unsupported, {}, "no strategy is possible: not \"direct\", because {}; no exchange, because {}",
               direct.obstacle, messages.obstacle);
  }
  if (!messages.is_possible()) return direct;
  reason = reason_for_direct(transfer, geometry, context, options, machine);
  if (direct.is_possible() && !reason.empty()) return direct;
  const int dimensions = messages.choice.shares.shared_dimensions;
  const bool on_nodes = context.is_one_node || geometry.groups_stay_on_nodes(dimensions, context.ranks_per_node);
  reason =
      one_should_write(transfer, context, options)
          ? "ranks of one client would write in turn, and one alone is faster; "
          : fmt::format("rows of {} are too short to be moved one by one; ", base::human_bytes(geometry.row_bytes()));
  // The rank that pulls packs and stores alternately. If storing waits for servers, the other ranks can pack in the
  // meantime, so pull is not used.
  if (transfer.writing && on_nodes && pull.is_possible() && !context.lies_on_servers) {
    reason += "ranks that exchange are on one node and may read each other's memory";
    return pull;
  }
  reason += shared.is_possible() ? "ranks of a node share memory" : "ranks share no memory";
  return shared.is_possible() ? shared : messages;
}

ShareOptions shares_with(const RouteOptions& grouping, const Transfer& transfer, const Geometry& geometry,
                         const TransferContext& context, const ChunkSizes& sizes) {
  const int shared = shared_dimensions(geometry, grouping);
  return {shared, owners_of_group(geometry, shared, grouping), sizes.domain_bytes, sizes.chunk_bytes,
          root_owns_edges(context.needs_single_owner, transfer.writing)};
}

// Options with the default number of writing ranks: few for each target, more if these are predicted to take longer,
// because the model does not include what many clients cost a target. One if the client serialises their writes: the
// others pack in the meantime (measured on GlusterFS: twice the rate of four).
RouteOptions grouping_for(const Transfer& transfer, const Geometry& geometry, const TransferContext& context,
                          const RouteOptions& options, const ChunkSizes& sizes, const Machine& machine) {
  constexpr double as_fast = 1.1;
  constexpr std::uint64_t more = 4;
  if (!transfer.writing || options.aggregators > 0 || geometry.bytes() == 0) return options;
  RouteOptions grouping = options;
  if (context.is_one_client && context.client_writes != storage::ClientWrites::at_once) {
    grouping.aggregators = 1;
    return grouping;
  }
  const auto seconds = [&] {
    Choice choice{.strategy = Strategy::messages,
                  .shares = shares_with(grouping, transfer, geometry, context, sizes),
                  .memory_bytes = 0,
                  .reason = {}};
    const Work work = expected_work(transfer, geometry, choice, context);
    return predict(work, transfer, geometry, Strategy::messages, context, machine).total;
  };
  std::uint64_t writers = writers_for_targets(context.targets, geometry.ranks(), machine);
  if (writers == 0) return options;
  const double of_all = seconds();
  for (; writers < geometry.ranks(); writers *= more) {
    grouping.aggregators = writers;
    if (seconds() <= as_fast * of_all) return grouping;
  }
  return options;
}

// Reading by pull is the same as reading by shared memory, and direct means all ranks.
bool is_choice_of_its_own(const Candidate& one, const Geometry& geometry, const RouteOptions& options, bool writing) {
  if (!one.is_possible()) return false;
  if (one.choice.strategy == Strategy::pull) return writing;
  return one.choice.strategy != Strategy::direct || options.aggregators == 0 || options.aggregators >= geometry.ranks();
}

}  // namespace

std::vector<Candidate> candidates(const Transfer& transfer, const Geometry& geometry, const TransferContext& context,
                                  const RouteOptions& options, const Machine& machine) {
  const std::optional<ChunkSizes> sizes = chunk_sizes(transfer, options, context);
  const RouteOptions grouping = sizes ? grouping_for(transfer, geometry, context, options, *sizes, machine) : options;
  std::vector<Candidate> all;
  for (const Strategy strategy : {Strategy::direct, Strategy::shared, Strategy::pull, Strategy::messages}) {
    Candidate& one = all.emplace_back();
    one.choice.strategy = strategy;
    one.choice.block_bytes = block_of_direct(transfer.writing && context.lies_on_servers, context.call_bytes);
    one.obstacle = obstacle_to(strategy, transfer, context, options, sizes);
    if (!one.is_possible()) continue;
    if (strategy != Strategy::direct) {
      one.choice.shares = shares_with(grouping, transfer, geometry, context, *sizes);
      one.choice.memory_bytes = memory_of_exchange(sizes->chunk_bytes, transfer.site_bytes());
      one.choice.chunk_reason = sizes->reason;
    }
    if (geometry.bytes() == 0) continue;
    one.work = expected_work(transfer, geometry, one.choice, context);
    one.seconds = predict(one.work, transfer, geometry, strategy, context, machine);
  }
  return all;
}

const Candidate& best_of(const std::vector<Candidate>& all, const Transfer& transfer, const Geometry& geometry,
                         const TransferContext& context, const RouteOptions& options, const Machine& machine,
                         std::string& reason) {
  const Candidate* best = &by_rules(all, transfer, geometry, context, options, machine, reason);
  // Long rows stay direct whatever the model predicts, so that no facts about nodes are needed before that is decided.
  if (!context.is_known || best->choice.strategy == Strategy::direct) return *best;
  if (one_should_write(transfer, context, options))
    return *best;  // measured; the model does not include serialised writes
  if (geometry.ranks() == 1 || (geometry.bytes() < small_field && !are_calls_dear(transfer, geometry, machine))) {
    return *best;
  }
  const double usual = best->seconds.total;
  const Strategy usual_strategy = best->choice.strategy;
  for (const Candidate& one : all) {
    if (!is_choice_of_its_own(one, geometry, options, transfer.writing)) continue;
    if (one.seconds.total < clear_gain * usual && one.seconds.total < best->seconds.total) best = &one;
  }
  if (best->choice.strategy != usual_strategy) {
    reason = fmt::format("predicted to take {:.3g} s instead of {:.3g} s with \"{}\"", best->seconds.total, usual,
                         name(usual_strategy));
  }
  return *best;
}

}  // namespace lq::engine
