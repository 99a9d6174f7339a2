// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lq plan: who would move which bytes, how, and how long it should take, on this machine or a described one.
#include <memory>

#include <fmt/format.h>
#include <limequat/file_system.hpp>
#include <limequat/multifile_plan.hpp>
#include <limequat/plan.hpp>

#include "base/json_writer.hpp"
#include "cli/command.hpp"
#include "cli/exit_code.hpp"
#include "cli/option_arguments.hpp"
#include "cli/plan_text.hpp"

namespace lq::cli {
namespace {

// What the command line says of a machine; zeros: nothing.
struct MachineArguments {
  std::string path;
  std::uint64_t nodes = 0, ranks_per_node = 0, cores_per_node = 0, servers = 0, stripe = 0;
  double server_rate = 0, write_rate = 0, read_rate = 0, link_rate = 0, message_rate = 0, latency = 0;

  void declare(Arguments& arguments) {
    arguments.text("--path", "DIR", path, "folder whose file system is taken: its kind, block or stripe");
    arguments.number("--nodes", nodes, "nodes of the machine");
    arguments.number("--ranks-per-node", ranks_per_node, "consecutive ranks on each node");
    arguments.number("--cores-per-node", cores_per_node, "cores of each node (default: one for each rank)");
    arguments.number("--servers", servers, "servers of the file system");
    arguments.number("--server-rate", server_rate, "bytes per second that one server takes or gives");
    arguments.number("--stripe", stripe, "bytes that two writers must not share: block or stripe");
    arguments.number("--write-rate", write_rate, "bytes per second that one rank writes");
    arguments.number("--read-rate", read_rate, "bytes per second that one rank reads");
    arguments.number("--link-rate", link_rate, "bytes per second between one node and the rest");
    arguments.number("--message-rate", message_rate, "bytes per second between two ranks on different nodes");
    arguments.number("--latency", latency, "seconds of a small message between nodes");
  }

  bool describes_something() const {
    return nodes + ranks_per_node + cores_per_node + servers + stripe > 0 ||
           server_rate + write_rate + read_rate + link_rate + message_rate + latency > 0;
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
    if (servers > 0) machine.servers = servers;
    if (server_rate > 0) {
      machine.write_rate_total = machine.read_rate_total = server_rate * static_cast<double>(machine.servers);
    }
  }

  Machine machine(std::uint64_t ranks, const std::string& profile) const {
    for (const double rate : {server_rate, write_rate, read_rate, link_rate, message_rate, latency}) {
      if (rate < 0) throw UsageError("rates and latency: positive numbers are expected");
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
    if (describes_something()) text += ", with what the command line says";
    return text + fmt::format("; {}, blocks of {} bytes", machine.file_system, machine.block_bytes);
  }
};

struct Plan {
  PlanRequest request;
  MachineArguments on;
  std::string kind = "gauge", precision = "double";
  bool reading = false;
  std::uint64_t extents = 8;
  MultifilePlanRequest multifile = {0, 1, 0, 0};  // where tasks are given

  // Of a multifile instead of a lattice.
  int run_multifile(Session& session) const {
    if (request.lattice.size() > 0 || request.processes.size() > 0) {
      throw UsageError("--tasks is for a multifile, --lattice and --processes are for a field; give one or the other");
    }
    return at_root(session, [&] {
      MultifilePlanRequest asked = multifile;
      asked.unit_bytes = on.machine(asked.tasks, request.route.profile).block_bytes;
      const MultifilePlan plan = plan_multifile(asked);
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
      json.begin_object()
          .member("offset", extent.offset)
          .member("bytes", extent.bytes)
          .member("rank", extent.rank)
          .end_object();
    }
    return json.end_array().end_object().take();
  }
};

}  // namespace

Run declare_plan(Arguments& arguments) {
  const auto plan = std::make_shared<Plan>();
  arguments.extents("--lattice", "LATTICE", plan->request.lattice, "extents x, y, z, t, such as 48x48x48x96");
  arguments.extents("--processes,--grid", "GRID", plan->request.processes, "process grid such as 2x2x2x4");
  arguments.text("--kind", "KIND", plan->kind, "what a site holds (default gauge)", {"gauge", "spinor", "propagator"});
  arguments.text("--precision", "P", plan->precision, "precision in the file (default double)", {"single", "double"});
  arguments.flag("--read", plan->reading, "plan reading instead of writing");
  declare_options(arguments, "plan", "PlanRequest", plan->request);
  arguments.number("--extents", plan->extents, "how many pieces of the file are listed with their ranks (default 8)");
  arguments.number("--tasks", plan->multifile.tasks, "of a multifile, whose metadata are planned instead of a field");
  arguments.number("--files", plan->multifile.files, "its physical files (default 1)");
  arguments.number("--expected-bytes", plan->multifile.expected_bytes, "of each task (default: not known)");
  plan->on.declare(arguments);
  return [plan](Session& session) { return plan->run(session); };
}

}  // namespace lq::cli
