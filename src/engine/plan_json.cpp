// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A plan as JSON.
#include <limequat/plan.hpp>

#include "base/json_writer.hpp"

namespace lq {
namespace {

using base::JsonWriter;

void put(JsonWriter& json, const StrategyPlan& plan) {
  json.begin_object().member("strategy", name(plan.strategy)).member("possible", plan.possible);
  json.member("reason", plan.reason);
  if (plan.possible) {
    json.key("seconds")
        .begin_object()
        .member("pack", plan.seconds.pack)
        .member("exchange", plan.seconds.exchange)
        .member("storage", plan.seconds.storage)
        .member("total", plan.seconds.total)
        .end_object();
    json.member("writers", plan.writers)
        .member("shared_dimensions", plan.shared_dimensions)
        .member("groups", plan.groups)
        .member("group_ranks", plan.group_ranks)
        .member("owners", plan.owners)
        .member("chunk_bytes", plan.chunk_bytes)
        .member("domain_bytes", plan.domain_bytes)
        .member("calls", plan.calls)
        .member("messages", plan.messages)
        .member("bytes_exchanged", plan.bytes_exchanged)
        .member("memory_bytes", plan.memory_bytes)
        .member("counts_are_exact", plan.counts_are_exact);
  }
  json.end_object();
}

}  // namespace

std::string to_json(const TransferPlan& plan) {
  const PlanRequest& request = plan.request;
  JsonWriter json;
  json.begin_object().member("direction", request.writing ? "write" : "read");
  json.key("lattice").array(request.lattice).key("grid").array(request.processes);
  json.member("kind", name(request.spec.kind)).member("precision", name(request.spec.precision));
  json.member("site_bytes", request.spec.site_bytes())
      .member("payload_offset", request.payload_offset)
      .member("ranks", plan.ranks)
      .member("nodes", plan.nodes)
      .member("ranks_per_node", plan.ranks_per_node)
      .member("bytes", plan.bytes)
      .member("row_bytes", plan.row_bytes)
      .member("alignment", plan.alignment)
      .key("stripes")
      .raw(to_json(plan.stripes))
      .key("chosen");
  put(json, plan.chosen);
  json.key("considered").begin_array();
  for (const StrategyPlan& one : plan.considered) put(json, one);
  json.end_array().key("machine").raw(to_json(plan.machine)).end_object();
  return json.take();
}

}  // namespace lq
