// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sizes come from the functions that lay out sets, messages from those that count trees; the sequence of trees and
// collective operations is written down here, and tests/scale compares it with the messages actually sent.
#include <limequat/multifile_plan.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/json_writer.hpp"
#include "comm/agree.hpp"
#include "comm/tree.hpp"
#include "format/sion/head.hpp"
#include "format/sion/tail.hpp"
#include "sets/checkpoint/found_set.hpp"
#include "sets/checkpoint/new_set.hpp"
#include "sets/checkpoint/record.hpp"
#include "sets/checkpoint/set_tables.hpp"

namespace lq {
namespace {

namespace sion = format::sion;

constexpr std::uint64_t write_bytes = 4 << 20;  // of a table at a time
constexpr std::uint64_t other_memory = 2 * comm::tree_piece_bytes;

// A sequence of trees and collective operations.
class CostSum {
 public:
  CostSum(std::string what, std::uint64_t ranks, std::uint64_t collectives) {
    cost_.what = std::move(what);
    cost_.collectives = collectives;
    cost_.steps = collectives * static_cast<std::uint64_t>(std::bit_width(ranks - 1));
    cost_.other_memory = other_memory;
  }
  CostSum& add(const comm::TreeCost& tree) {
    cost_.steps += tree.steps;
    cost_.messages += tree.messages;
    cost_.bytes += tree.bytes;
    return *this;
  }
  MetadataCost& cost() noexcept { return cost_; }

 private:
  MetadataCost cost_;
};

void require(const MultifilePlanRequest& request) {
  const bool is_possible =
      request.files >= 1 && request.files <= request.tasks && request.tasks <= std::numeric_limits<std::int32_t>::max();
  if (is_possible) return;
  throw Error(Code::invalid_argument,
              fmt::format("{} tasks in {} files: there must be at least 1 task and less than 2^31, and a task for each "
                          "file",
                          request.tasks, request.files));
}

MetadataCost creating(const MultifilePlan& plan) {
  const std::uint64_t ranks = plan.request.tasks, group = plan.tasks_per_file, files = plan.request.files;
  CostSum sum("create", ranks, files > 1 ? 7 : 5);
  sum.add(comm::summing_cost(ranks, 1));
  if (files > 1) sum.add(comm::summing_cost(group, 1));
  sum.add(comm::summing_cost(group, 2));  // widths of chunks, and expected bytes
  // Only the first rank of each file sends its number of tasks.
  sum.add(comm::gathering_cost(ranks, 0)).add(comm::gathering_cost(files, 8));
  sum.add(comm::gathering_cost(group, sizeof(sets::TaskShape)));
  sum.cost().writes = 1;
  sum.cost().write_bytes = plan.head_bytes;
  sum.cost().writer_memory = plan.head_bytes + other_memory;
  return sum.cost();
}

MetadataCost closing(const MultifilePlan& plan) {
  CostSum sum("close", plan.request.tasks, plan.request.files > 1 ? 5 : 4);
  sum.add(comm::gathering_cost(plan.tasks_per_file, 8 + 8 * plan.chunks));
  sum.cost().writes = (plan.table_bytes + write_bytes - 1) / write_bytes + 1;
  sum.cost().write_bytes = plan.table_bytes + sion::closing_bytes;
  // The table, and twice the part that is in transit to the file.
  sum.cost().writer_memory = plan.table_bytes + 2 * std::min(plan.table_bytes, write_bytes) + other_memory;
  return sum.cost();
}

// Each rank reads a task and a window, which is also one task. Both are distributed among the ranks of a file.
MetadataCost opening(const MultifilePlan& plan) {
  const std::uint64_t group = plan.tasks_per_file, files = plan.request.files;
  // Long messages of rank 0 take two more.
  const bool is_told_at_once = sets::message_bytes(files) <= comm::short_broadcast_bytes;
  CostSum sum("open", plan.request.tasks, (files > 1 ? 7 : 6) + (is_told_at_once ? 0 : 2));
  for (int deal = 0; deal < 2; ++deal) sum.add(comm::scattering_cost(group, 8 * (13 + plan.chunks)));
  // Ranks, widths, starts, ends; counts and chunks; the part of the table compared with its checksum at a time. The
  // beginning of each file, in tasks and bytes, and the sums.
  sum.cost().writer_memory = 40 * group + 8 * group * (1 + plan.chunks) +
                             std::min(plan.table_bytes, sets::checksum_piece_bytes) + 40 * files + other_memory;
  return sum.cost();
}

double real(std::uint64_t count) { return static_cast<double>(count); }

// The metadata server creates and opens the files one at a time; written data are synced when the
// multifile is closed.
double seconds_of(const MetadataCost& cost, const MultifilePlan& plan, const Machine& machine) {
  const bool is_close = cost.what == "close";
  const std::uint64_t read = cost.what == "open" ? plan.head_bytes + plan.table_bytes : 0;
  return (is_close ? machine.sync_time : real(plan.request.files) * machine.open_time) +
         real(cost.steps + cost.messages) * machine.latency + real(cost.bytes) / machine.message_rate +
         real(cost.writes) * machine.write_call + real(cost.write_bytes) / machine.write_rate +
         real(read) / machine.read_rate;
}

// The slowest of: a rank, a node's link, the servers that the files reach. A block shared by two tasks moves once
// more, to the second of them (src/engine/cost.cpp).
double transfer_seconds(const MultifilePlan& plan, const Machine& machine) {
  const MultifilePlanRequest& request = plan.request;
  const bool writing = request.writing;
  const double rate = writing ? machine.write_rate : machine.read_rate;
  const double call = writing ? machine.write_call : machine.read_call;
  double each = real(request.expected_bytes);
  if (writing && plan.block_bytes % machine.block_bytes != 0) each += real(machine.block_bytes);
  const double on_node = real(std::min(machine.ranks_per_node, request.tasks));
  const double calls = std::max(each / real(write_bytes), real(plan.chunks));
  const double servers = real(machine.servers);
  const double reached =
      request.stripe_count == 0 ? servers : std::min(servers, real(request.files) * real(request.stripe_count));
  const double total = (writing ? machine.write_rate_total : machine.read_rate_total) * reached / servers;
  return std::max({each / rate + calls * call, on_node * each / machine.link_rate, real(request.tasks) * each / total});
}

}  // namespace

MultifilePlan plan_multifile(const MultifilePlanRequest& asked, const Machine& machine) {
  MultifilePlanRequest request = asked;
  if (request.unit_bytes == 0) request.unit_bytes = machine.block_bytes;
  require(request);
  MultifilePlan plan;
  plan.request = request;
  // The last file takes the remainder.
  const std::uint64_t each = request.tasks / request.files;
  plan.tasks_per_file = request.tasks - (request.files - 1) * each;
  const std::array<std::uint64_t, 2> tasks{each, plan.tasks_per_file};
  plan.block_bytes = static_cast<std::uint64_t>(sets::choose_block(request.unit_bytes, tasks));
  plan.chunk_bytes = sets::choose_width(request.expected_bytes, plan.block_bytes, Compression::none, 0);
  const std::uint64_t room = plan.chunk_bytes - sets::reserved_bytes;
  plan.chunks = std::max<std::uint64_t>((request.expected_bytes + room - 1) / room, 1);
  const auto most = static_cast<std::int32_t>(plan.tasks_per_file);
  plan.head_bytes = sion::head_bytes(most) + sets::record_bytes;
  plan.table_bytes = sion::table_bytes(most, plan.chunks) + sets::record_bytes;
  if (request.files > 1) plan.table_bytes += 4 + 8 * request.tasks;
  plan.costs = {creating(plan), closing(plan), opening(plan)};
  for (MetadataCost& cost : plan.costs) cost.seconds = seconds_of(cost, plan, machine);
  plan.transfer_seconds = transfer_seconds(plan, machine);
  plan.task_local_seconds = real(request.tasks) * machine.open_time;
  return plan;
}

void put(base::JsonWriter& json, const MetadataCost& cost) {
  json.begin_object().member("what", cost.what).member("collectives", cost.collectives).member("steps", cost.steps);
  json.member("messages", cost.messages).member("bytes", cost.bytes).member("writes", cost.writes);
  json.member("write_bytes", cost.write_bytes).member("writer_memory", cost.writer_memory);
  json.member("other_memory", cost.other_memory).member("seconds", cost.seconds).end_object();
}

std::string to_json(const MultifilePlan& plan) {
  base::JsonWriter json;
  json.begin_object().member("tasks", plan.request.tasks).member("files", plan.request.files);
  json.member("expected_bytes", plan.request.expected_bytes).member("tasks_per_file", plan.tasks_per_file);
  json.member("block_bytes", plan.block_bytes).member("chunk_bytes", plan.chunk_bytes);
  json.member("chunks", plan.chunks).member("head_bytes", plan.head_bytes).member("table_bytes", plan.table_bytes);
  json.member("costs", plan.costs).member("transfer_seconds", plan.transfer_seconds);
  return json.member("task_local_seconds", plan.task_local_seconds).end_object().take();
}

}  // namespace lq
