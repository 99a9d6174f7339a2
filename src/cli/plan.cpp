// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lq plan: who would move which bytes, how, and how long it should take, on this machine or a described one.
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <limequat/file_system.hpp>
#include <limequat/multifile_plan.hpp>
#include <limequat/plan.hpp>

#include "base/json_writer.hpp"
#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/exit_code.hpp"
#include "cli/text.hpp"

namespace lq::cli {

// A plan for people.

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
  if (!chosen.chunk_reason.empty()) facts.add("chunks", chosen.chunk_reason);
  facts.add("exchange", fmt::format("{}{} of the busiest rank, {}", chosen.counts_are_exact ? "" : "about ",
                                    count(chosen.messages, "message"), base::human_bytes(chosen.bytes_exchanged)));
}

double rate_of(const TransferPlan& plan, const Prediction& seconds) {
  return static_cast<double>(plan.bytes) * 1e-9 / seconds.total;
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
  facts.add("time", fmt::format("{}: packing {}, exchange {}, storage {}, opening {}, sync {}; {:.2f} GB/s",
                                human_seconds(seconds.total), human_seconds(seconds.pack),
                                human_seconds(seconds.exchange), human_seconds(seconds.storage),
                                human_seconds(seconds.opening), human_seconds(seconds.sync), rate_of(plan, seconds)));
  facts.add("one rank", fmt::format("{} if it did all, {:.2f} GB/s", human_seconds(plan.one_rank.total),
                                    rate_of(plan, plan.one_rank)));
  return facts.text;
}

std::string strategies_of(const TransferPlan& plan) {
  Table table(
      {"  STRATEGY", ">TIME", ">PACKING", ">EXCHANGE", ">STORAGE", ">RANKS AT FILE", ">CALLS", ">MESSAGES", ">MEMORY"});
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
  Table table({">  OFFSET", ">BYTES", ">RANK"});
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
  Table table({"  STEP", ">COLLECTIVES", ">STEPS", ">MESSAGES", ">BYTES", ">WRITES", ">WRITTEN", ">MEMORY OF WRITER",
               ">OF OTHERS", ">TIME"});
  for (const MetadataCost& cost : plan.costs) {
    table.row({fmt::format("  {}", cost.what), std::to_string(cost.collectives), std::to_string(cost.steps),
               std::to_string(cost.messages), base::human_bytes(cost.bytes), std::to_string(cost.writes),
               base::human_bytes(cost.write_bytes), base::human_bytes(cost.writer_memory),
               base::human_bytes(cost.other_memory), human_seconds(cost.seconds)});
  }
  if (plan.request.expected_bytes > 0) {
    const double bytes = static_cast<double>(plan.request.tasks) * static_cast<double>(plan.request.expected_bytes);
    facts.add(plan.request.writing ? "written" : "read",
              fmt::format("{} in {}, {:.2f} GB/s", base::human_bytes(static_cast<std::uint64_t>(bytes)),
                          human_seconds(plan.transfer_seconds), bytes * 1e-9 / plan.transfer_seconds));
  }
  facts.add("files", fmt::format("one for each task would take {} to create", human_seconds(plan.task_local_seconds)));
  return facts.text + table.text();
}

namespace {

// Properties of a machine given on the command line; zeros: none.
struct MachineArguments {
  std::string path;
  std::uint64_t nodes = 0, ranks_per_node = 0, cores_per_node = 0, servers = 0, stripe = 0;
  double server_rate = 0, write_rate = 0, read_rate = 0, link_rate = 0, message_rate = 0, latency = 0, open_time = 0;

  void declare(Arguments& arguments) {
    arguments.text("--path", "DIR", path, "folder whose file system to plan for: its kind, block or stripe");
    arguments.number("--nodes", nodes, "number of nodes");
    arguments.number("--ranks-per-node", ranks_per_node, "number of consecutive ranks on each node");
    arguments.number("--cores-per-node", cores_per_node, "number of cores of each node (default: one for each rank)");
    arguments.number("--servers", servers, "number of servers of the file system");
    arguments.number("--server-rate", server_rate, "bytes per second that one server writes or reads");
    arguments.number("--stripe", stripe, "bytes that two writers must not share: block or stripe");
    arguments.number("--write-rate", write_rate, "bytes per second that one rank writes");
    arguments.number("--read-rate", read_rate, "bytes per second that one rank reads");
    arguments.number("--link-rate", link_rate, "bytes per second between one node and the rest");
    arguments.number("--message-rate", message_rate, "bytes per second between two ranks on different nodes");
    arguments.number("--latency", latency, "latency of a small message between nodes in seconds");
    arguments.number("--open-time", open_time, "time to create, close and rename a file in seconds");
  }

  bool describes_something() const {
    return nodes + ranks_per_node + cores_per_node + servers + stripe > 0 ||
           server_rate + write_rate + read_rate + link_rate + message_rate + latency + open_time > 0;
  }

  void apply(Machine& machine, std::uint64_t ranks) const {
    if (ranks_per_node > 0) {
      machine.ranks_per_node = ranks_per_node;
      machine.nodes = (ranks + ranks_per_node - 1) / ranks_per_node;
    }
    if (nodes > 0) machine.nodes = nodes;
    if (const std::uint64_t cores = cores_per_node > 0 ? cores_per_node : ranks_per_node; cores > 0) {
      // Larger nodes have more memory channels.
      machine.copy_rate_node *= static_cast<double>(cores) / static_cast<double>(machine.cores_per_node);
      machine.cores_per_node = cores;
    }
    if (stripe > 0) machine.block_bytes = stripe;
    if (write_rate > 0) machine.write_rate = write_rate;
    if (read_rate > 0) machine.read_rate = read_rate;
    if (link_rate > 0) machine.link_rate = link_rate;
    if (message_rate > 0) machine.message_rate = message_rate;
    if (latency > 0) machine.latency = latency;
    if (open_time > 0) machine.open_time = open_time;
    if (servers > 0) machine.servers = servers;
    if (server_rate > 0) {
      machine.write_rate_total = machine.read_rate_total = server_rate * static_cast<double>(machine.servers);
    }
  }

  Machine machine(std::uint64_t ranks, const std::string& profile) const {
    for (const double rate : {server_rate, write_rate, read_rate, link_rate, message_rate, latency, open_time}) {
      if (rate < 0) throw UsageError("rates and times: positive numbers are expected");
    }
    Machine machine = machine_of(profile);
    if (!path.empty()) machine = with_file_system_of(path, machine);
    apply(machine, ranks);
    return machine;
  }

  std::string about(const Machine& machine, const std::string& profile) const {
    std::string text = profile.empty() ? machine.name : fmt::format("{} ({})", machine.name, profile);
    if (profile.empty() && to_json(site_machine()) == to_json(Machine{})) {
      text = "numbers of a small workstation, because no site profile was found";
    }
    if (describes_something()) text += ", with the values of the command line";
    return text + fmt::format("; {}, blocks of {} bytes", machine.file_system, machine.block_bytes);
  }
};

struct Plan {
  PlanRequest request;
  MachineArguments on;
  std::string kind = "gauge", precision = "double";
  bool reading = false;
  std::uint64_t extents = 8;
  MultifilePlanRequest multifile = {.tasks = 0};  // used if tasks are given

  // A plan for a multifile instead of a lattice.
  int run_multifile(Session& session) const {
    if (request.lattice.size() > 0 || request.processes.size() > 0) {
      throw UsageError("--tasks plans a multifile, --lattice and --processes plan a field; give one or the other");
    }
    return at_root(session, [&] {
      MultifilePlanRequest asked = multifile;
      asked.unit_bytes = request.route.alignment;
      asked.stripe_count = request.stripe_count;
      asked.writing = !reading;
      const MultifilePlan plan = plan_multifile(asked, on.machine(asked.tasks, request.route.profile));
      session.out.write(session.json ? to_json(plan) + "\n" : plan_text(plan));
      return fine;
    });
  }

  FieldSpec spec() const {
    const Precision in_file = precision == "single" ? Precision::single : Precision::double_;
    if (kind == "spinor") return spinor_spec(in_file);
    if (kind == "propagator") return propagator_spec(in_file);
    return gauge_spec(in_file);
  }

  int run(Session& session) const {
    if (multifile.tasks > 0) return run_multifile(session);
    if (request.lattice.size() == 0) {
      throw UsageError("--lattice is missing: which lattice? For example --lattice 48x48x48x96");
    }
    if (request.processes.size() == 0) {
      throw UsageError("--processes is missing: which process grid? For example --processes 2x2x2x4");
    }
    return at_root(session, [&] {
      PlanRequest asked = request;
      asked.spec = spec();
      asked.writing = !reading;
      const Machine machine = on.machine(volume(request.processes), request.route.profile);
      const TransferPlan plan = plan_transfer(asked, machine);
      const std::vector<Extent> first = extents_of(plan, extents);
      if (session.json) {
        session.out.line(as_json(plan, first));
      } else {
        session.out.write(plan_text(plan, first, on.about(machine, request.route.profile)));
        if (!on.path.empty()) session.out.write(on.path + "\n" + describe(file_system_of(on.path)));
      }
      return fine;
    });
  }

  std::string as_json(const TransferPlan& plan, const std::vector<Extent>& first) const {
    base::JsonWriter json;
    json.begin_object().raw_members(to_json(plan));
    if (!on.path.empty()) json.key("storage").raw(to_json(file_system_of(on.path)));
    json.key("extents").begin_array();
    for (const Extent& extent : first) {
      json.begin_object().member("offset", extent.offset).member("bytes", extent.bytes);
      json.member("rank", extent.rank).end_object();
    }
    return json.end_array().end_object().take();
  }
};

}  // namespace

Run declare_plan(Arguments& arguments) {
  const auto plan = std::make_shared<Plan>();
  arguments.extents("--lattice", "LATTICE", plan->request.lattice, "extents x, y, z, t, such as 48x48x48x96");
  arguments.extents("--processes,--grid", "GRID", plan->request.processes, "process grid such as 2x2x2x4");
  arguments.text("--kind", "KIND", plan->kind, "kind of field (default gauge)", {"gauge", "spinor", "propagator"});
  arguments.text("--precision", "P", plan->precision, "precision in the file (default double)", {"single", "double"});
  arguments.flag("--read", plan->reading, "plan reading instead of writing");
  declare_options(arguments, "plan", "PlanRequest", plan->request);
  arguments.number("--extents", plan->extents, "number of pieces of the file to list with their ranks (default 8)");
  arguments.number("--tasks", plan->multifile.tasks, "number of tasks of a multifile to plan instead of a field");
  arguments.number("--files", plan->multifile.files, "multifile: number of physical files (default 1)");
  arguments.number("--expected-bytes", plan->multifile.expected_bytes, "multifile: bytes per task (default: unknown)");
  plan->on.declare(arguments);
  return [plan](Session& session) { return plan->run(session); };
}

}  // namespace lq::cli
