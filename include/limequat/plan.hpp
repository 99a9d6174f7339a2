// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The plan of a transfer: which rank moves which bytes of the file, by which strategy, and the predicted time. Plans
// are arithmetic: they cost the same for two ranks and for a hundred thousand.
#pragma once

#include <limequat/language.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <limequat/field.hpp>
#include <limequat/file_system.hpp>
#include <limequat/lattice.hpp>
#include <limequat/machine.hpp>
#include <limequat/options.hpp>

namespace lq {

struct PlanRequest {
  Extents lattice;
  Extents processes;                 // the process grid
  SiteOrder rank_order = {};         // dimensions in which consecutive ranks advance; empty: x first
  FieldSpec spec = {};               // as in the file
  std::uint64_t payload_offset = 0;  // byte in the file at which the sites begin
  bool writing = true;
  bool checksum = true;
  std::uint64_t stripe_count = 0;  // of a new file, as in WriteOptions, and the next two
  std::uint64_t stripe_bytes = 0;
  bool stripes_by_size = true;
  RouteOptions route = {};
};

// Seconds of the slowest rank. Steps overlap, so total may be less than their sum.
struct Prediction {
  double pack = 0;
  double exchange = 0;
  double storage = 0;
  double opening = 0;  // creating or opening the file, agreeing, closing and naming it
  double sync = 0;     // of the written data
  double total = 0;
};

// The plan of one strategy. Counts are those of the busiest rank.
struct StrategyPlan {
  Strategy strategy = Strategy::direct;
  bool possible = true;
  std::string reason;  // why it is not possible; why it was chosen
  Prediction seconds;
  std::uint64_t writers = 0;  // ranks that access the file
  int shared_dimensions = 0;  // ranks that differ only in this number of the fastest file dimensions form a group
  std::uint64_t groups = 1;
  std::uint64_t group_ranks = 1;      // ranks among which sites are exchanged
  std::uint64_t owners = 1;           // ranks of a group that access the file
  std::uint64_t chunk_bytes = 0;      // assembled and moved at a time
  std::string chunk_reason = {};      // why this size; empty for the usual one
  std::uint64_t domain_bytes = 0;     // contiguous piece with one owner; begins at multiples of it
  std::uint64_t calls = 0;            // to the file system
  std::uint64_t messages = 0;         // sent to ranks of other nodes, or passed within the node
  std::uint64_t bytes_exchanged = 0;  // sent to other ranks
  std::uint64_t memory_bytes = 0;     // maximum, in addition to the field
  bool counts_are_exact = true;       // false: extrapolated from a part of the file
};

struct TransferPlan {
  PlanRequest request;
  Machine machine;
  std::uint64_t ranks = 1;
  std::uint64_t nodes = 1;           // that they fill
  std::uint64_t ranks_per_node = 1;  // consecutive ranks
  std::uint64_t bytes = 0;           // of the payload
  std::uint64_t row_bytes = 0;       // contiguous in the file and in one rank
  Stripes stripes;                   // of the file, if it is written
  std::uint64_t alignment = 0;       // of domains
  StrategyPlan chosen;
  std::vector<StrategyPlan> considered;  // all strategies, including the chosen one
  Prediction one_rank;                   // if one rank did everything, one step at a time, as C-LIME does
};

// Local. A machine of one node accepts any number of ranks, as a laptop does. invalid_argument: impossible lattice,
// process grid or options, more ranks than a machine of several nodes has cores for; too_large: more than 2^63 bytes;
// unsupported: the requested strategy is not possible, or none is.
LQ_API TransferPlan plan_transfer(const PlanRequest& request, const Machine& machine);
// Local. The same for the machine of the profile that request.route names, or of this site.
LQ_API TransferPlan plan_transfer(const PlanRequest& request);
// Local. docs/reference/json.md.
LQ_API std::string to_json(const TransferPlan& plan);
// Local. Replaces the file system of a machine by the one of a folder: its kind and block or stripe. If it is shared
// and of another kind than the machine's, the cost of a write call is measured as lq::write() does, with a separate
// file for 50 ms; other rates stay. not_found, no_permission, io.
LQ_API Machine with_file_system_of(const std::string& folder, Machine machine);

// A contiguous piece of the file and the rank that moves it.
struct Extent {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  int rank = 0;
};
// Local. The first `limit` extents of a plan in file order.
LQ_API std::vector<Extent> extents_of(const TransferPlan& plan, std::uint64_t limit);

}  // namespace lq
