// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/plan_text.hpp"

#include <fmt/format.h>

#include "cli/text.hpp"

namespace lq::cli {
namespace {

std::string heading(const TransferPlan& plan) {
  const PlanRequest& request = plan.request;
  return fmt::format("{} {} {}, {} precision, {}\n", request.writing ? "write" : "read", to_string(request.lattice),
                     describe(request.spec), name(request.spec.precision), base::human_bytes(plan.bytes));
}

// One fact a line.
struct FactLines {
  std::string text;
  void add(std::string_view what, const std::string& fact) { text += fmt::format("  {:<12}{}\n", what, fact); }
};

void add_exchange(FactLines& facts, const TransferPlan& plan) {
  const StrategyPlan& chosen = plan.chosen;
  facts.add("groups", fmt::format("{} of {}, {} of each {} the file", chosen.groups, count(chosen.group_ranks, "rank"),
                                  chosen.owners, plan.request.writing ? "write" : "read"));
  facts.add("domains", fmt::format("{}, aligned to {}, moved in chunks of {}", base::binary_bytes(chosen.domain_bytes),
                                   base::binary_bytes(plan.alignment), base::binary_bytes(chosen.chunk_bytes)));
  facts.add("exchange", fmt::format("{}{} of the busiest rank, {}", chosen.counts_are_exact ? "" : "about ",
                                    count(chosen.messages, "message"), base::human_bytes(chosen.bytes_exchanged)));
}

std::string facts_of(const TransferPlan& plan, const std::string& about_machine) {
  const StrategyPlan& chosen = plan.chosen;
  FactLines facts;
  facts.add("grid", fmt::format("{}, {} on {}, up to {} on each", to_string(plan.request.processes),
                                count(plan.ranks, "rank"), count(plan.nodes, "node"), plan.ranks_per_node));
  facts.add("machine", about_machine);
  facts.add("rows", fmt::format("{} contiguous in the file and in one rank", base::human_bytes(plan.row_bytes)));
  facts.add("strategy", fmt::format("{}: {}", name(chosen.strategy), chosen.reason));
  if (chosen.strategy != Strategy::direct) add_exchange(facts, plan);
  facts.add("file", fmt::format("{} {} it; the busiest in {}{}", count(chosen.writers, "rank"),
                                plan.request.writing ? "write" : "read", chosen.counts_are_exact ? "" : "about ",
                                count(chosen.calls, "call")));
  if (plan.stripes.reason != StripeReason::no_stripes) facts.add("stripes", to_string(plan.stripes));
  facts.add("memory", fmt::format("{} per rank at most, beyond the field", base::human_bytes(chosen.memory_bytes)));
  const Prediction& seconds = chosen.seconds;
  facts.add("time",
            fmt::format("{}: packing {}, exchange {}, storage {} (opening {} and sync {} apart), {:.2f} GB/s",
                        human_seconds(seconds.total), human_seconds(seconds.pack), human_seconds(seconds.exchange),
                        human_seconds(seconds.storage), human_seconds(plan.machine.open_time),
                        human_seconds(plan.machine.sync_time), static_cast<double>(plan.bytes) * 1e-9 / seconds.total));
  return facts.text;
}

std::string strategies_of(const TransferPlan& plan) {
  Table table({{"  STRATEGY"},
               {"TIME", true},
               {"PACKING", true},
               {"EXCHANGE", true},
               {"STORAGE", true},
               {"RANKS AT FILE", true},
               {"CALLS", true},
               {"MESSAGES", true},
               {"MEMORY", true}});
  std::string impossible;
  for (const StrategyPlan& one : plan.considered) {
    if (!one.possible) {
      impossible += fmt::format("  {}: {}\n", name(one.strategy), one.reason);
      continue;
    }
    const bool is_chosen = one.strategy == plan.chosen.strategy;
    table.row({fmt::format("{} {}", is_chosen ? "*" : " ", name(one.strategy)), human_seconds(one.seconds.total),
               human_seconds(one.seconds.pack), human_seconds(one.seconds.exchange), human_seconds(one.seconds.storage),
               std::to_string(one.writers), std::to_string(one.calls), std::to_string(one.messages),
               base::human_bytes(one.memory_bytes)});
  }
  return table.text() + impossible;
}

std::string extents_of_file(const std::vector<Extent>& extents) {
  if (extents.empty()) return "";
  Table table({{"  OFFSET", true}, {"BYTES", true}, {"RANK", true}});
  for (const Extent& extent : extents) {
    table.row({fmt::format("  {}", extent.offset), std::to_string(extent.bytes), std::to_string(extent.rank)});
  }
  return table.text();
}

}  // namespace

std::string plan_text(const TransferPlan& plan, const std::vector<Extent>& extents, const std::string& about_machine) {
  return heading(plan) + facts_of(plan, about_machine) + strategies_of(plan) + extents_of_file(extents);
}

std::string plan_text(const MultifilePlan& plan) {
  FactLines facts;
  facts.text =
      fmt::format("multifile of {} in {}\n", count(plan.request.tasks, "task"), count(plan.request.files, "file"));
  facts.add("tasks", fmt::format("{} in a file at most", plan.tasks_per_file));
  facts.add("chunks", fmt::format("{} of {} for each task, blocks of {}", plan.chunks,
                                  base::binary_bytes(plan.chunk_bytes), base::binary_bytes(plan.block_bytes)));
  facts.add("metadata", fmt::format("header {}, table {} of the largest file", base::human_bytes(plan.head_bytes),
                                    base::human_bytes(plan.table_bytes)));
  Table table({{"  STEP"},
               {"COLLECTIVES", true},
               {"STEPS", true},
               {"MESSAGES", true},
               {"BYTES", true},
               {"WRITES", true},
               {"WRITTEN", true},
               {"MEMORY OF WRITER", true},
               {"OF OTHERS", true}});
  for (const MetadataCost& cost : plan.costs) {
    table.row({fmt::format("  {}", cost.what), std::to_string(cost.collectives), std::to_string(cost.steps),
               std::to_string(cost.messages), base::human_bytes(cost.bytes), std::to_string(cost.writes),
               base::human_bytes(cost.write_bytes), base::human_bytes(cost.writer_memory),
               base::human_bytes(cost.other_memory)});
  }
  return facts.text + table.text();
}

}  // namespace lq::cli
