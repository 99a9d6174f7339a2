// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Plans: hypothetical transfers on possibly hypothetical machines; as values and as JSON.
#include <algorithm>
#include <bit>
#include <limits>

#include <fmt/format.h>
#include <limequat/plan.hpp>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/json_writer.hpp"
#include "engine/choose.hpp"
#include "engine/cost.hpp"
#include "engine/shares.hpp"
#include "lattice/decomposition.hpp"
#include "lattice/rows.hpp"
#include "lattice/site_order.hpp"
#include "storage/file_system.hpp"

namespace lq::engine {

// The transfer that a plan is about.
class PlannedTransfer {
 public:
  // A request that was found possible, with its spec completed.
  explicit PlannedTransfer(const PlanRequest& request);
  PlannedTransfer(const PlannedTransfer&) = delete;
  PlannedTransfer& operator=(const PlannedTransfer&) = delete;

  const Transfer& transfer() const noexcept { return transfer_; }

 private:
  lattice::Decomposition dealt_;
  Transfer transfer_;
};

}  // namespace lq::engine

namespace lq {

// The ranks that move each part of the file, in file order.

namespace engine {

PlannedTransfer::PlannedTransfer(const PlanRequest& request)
    : dealt_(request.lattice, request.processes, request.rank_order) {
  Payload payload;
  payload.offset = request.payload_offset;
  payload.spec = request.spec;
  payload.extents = request.lattice;
  payload.stored = whole(request.lattice);
  payload.length = volume(request.lattice) * request.spec.site_bytes();
  transfer_ = {payload, payload.stored, &dealt_, request.writing};
}

namespace {

// Row by row, each attributed to the rank that holds its first site.
std::vector<Extent> rows_in_order(const Transfer& transfer, std::uint64_t limit) {
  std::vector<Extent> extents;
  const Payload& payload = transfer.payload;
  const SiteOrder order = lattice::resolve_order(payload.order, payload.extents.size());
  const std::uint64_t site_bytes = transfer.site_bytes();
  for (std::uint64_t site = 0; site < payload.stored.volume() && extents.size() < limit;) {
    const int rank = transfer.dealt->owner(lattice::site_at(site, payload.stored, order));
    const Box mine = transfer.box_of(rank);
    lattice::Rows rows = transfer.rows_of(mine);
    rows.seek(site);
    lattice::Row row;
    rows.next(row);
    const std::uint64_t end = row.file_site + row.sites;
    extents.push_back({payload.origin() + site * site_bytes, (end - site) * site_bytes, rank});
    site = end;
  }
  return extents;
}

// Chunk by chunk; consecutive chunks of one owner form one extent.
std::vector<Extent> domains_in_order(const Shares& shares, std::uint64_t limit) {
  std::vector<Extent> extents;
  for (std::uint64_t number = shares.first_chunk(); number < shares.end_chunk(); ++number) {
    const Chunk chunk = shares.chunk(number);
    if (chunk.first_byte >= chunk.end_byte) continue;
    const std::uint64_t bytes = chunk.end_byte - chunk.first_byte;
    if (!extents.empty() && extents.back().rank == chunk.owner) {
      extents.back().bytes += bytes;
      continue;
    }
    if (extents.size() == limit) break;
    extents.push_back({chunk.first_byte, bytes, chunk.owner});
  }
  return extents;
}

}  // namespace
}  // namespace engine

std::vector<Extent> extents_of(const TransferPlan& plan, std::uint64_t limit) {
  if (limit == 0) return {};
  const engine::PlannedTransfer planned(plan.request);
  const StrategyPlan& chosen = plan.chosen;
  if (chosen.strategy == Strategy::direct) return engine::rows_in_order(planned.transfer(), limit);
  const engine::ShareOptions shares{
      chosen.shared_dimensions, chosen.owners, chosen.domain_bytes, chosen.chunk_bytes,
      engine::root_owns_edges(storage::needs_single_owner(plan.machine.file_system), plan.request.writing)};
  return engine::domains_in_order(engine::Shares(planned.transfer(), shares), limit);
}

namespace {

using engine::Candidate;

constexpr std::uint64_t most_chunks = 4096;  // limit for counting
constexpr std::uint64_t most_rows = 100'000;

[[noreturn]] void refuse(const std::string& sentence) { throw Error(Code::invalid_argument, "plan: " + sentence); }

std::uint64_t product(const Extents& extents, const char* what, std::uint64_t most) {
  std::uint64_t result = 1;
  for (const std::int64_t extent : extents) {
    if (extent < 1) refuse(fmt::format("{} {}: every extent must be at least 1", what, to_string(extents)));
    result = base::multiply_or_throw(result, static_cast<std::uint64_t>(extent), what);
  }
  if (result > most) base::fail(Code::too_large, {}, "plan: {} {}: more than {}", what, to_string(extents), most);
  return result;
}

engine::TransferContext context_on(const Machine& machine, const TransferPlan& plan) {
  engine::TransferContext context;
  context.is_known = true;
  context.ranks_per_node = plan.ranks_per_node;
  context.is_one_node = context.is_one_client = plan.nodes == 1;
  context.can_share = machine.shared_memory_permitted;
  context.can_pull = machine.pull_permitted && machine.pull_rate > 0;
  context.block_bytes = std::max(machine.block_bytes, plan.stripes.is_set() ? plan.stripes.bytes : 0);
  context.targets = storage::targets_of_file(machine.file_system, plan.stripes, machine.servers);
  context.needs_single_owner = storage::needs_single_owner(machine.file_system);
  context.lies_on_servers = storage::file_system_named(machine.file_system, machine.servers).is_shared;
  context.client_writes = storage::client_writes(machine.file_system);
  context.reads_in_order = storage::reads_in_order(machine.file_system);
  context.call_bytes = storage::call_bytes(machine.file_system, machine.block_bytes);
  context.checksum = plan.request.checksum;
  return context;
}

// The stripes that a file of this size will get; the default stripes of a machine are unknown.
Stripes planned_stripes(const TransferPlan& plan) {
  if (!plan.request.writing) return {};
  return stripes_for(storage::file_system_named(plan.machine.file_system, plan.machine.servers),
                     plan.request.payload_offset + plan.bytes,
                     {plan.request.stripe_count, plan.request.stripe_bytes, plan.request.stripes_by_size});
}

// The part of the file system that the stripes of one file use.
Machine within_stripes(Machine machine, const Stripes& stripes) {
  if (!stripes.is_set() || stripes.count == 0 || stripes.count >= machine.servers) return machine;
  const double share = static_cast<double>(stripes.count) / static_cast<double>(machine.servers);
  machine.write_rate_total *= share;
  machine.read_rate_total *= share;
  return machine;
}

void place_ranks(TransferPlan& plan) {
  const Machine& machine = plan.machine;
  const std::uint64_t nodes = std::max<std::uint64_t>(machine.nodes, 1);
  const std::uint64_t fit = std::max({machine.ranks_per_node, machine.cores_per_node, std::uint64_t{1}});
  plan.ranks_per_node = std::max({machine.ranks_per_node, (plan.ranks + nodes - 1) / nodes, std::uint64_t{1}});
  plan.nodes = (plan.ranks + plan.ranks_per_node - 1) / plan.ranks_per_node;
  if (nodes == 1 || plan.ranks_per_node <= fit) return;
  refuse(
      fmt::format("process grid {}: {} ranks, but {} has {} nodes of {} cores (take a smaller process grid, or state "
                  "more nodes)",
                  to_string(plan.request.processes), plan.ranks, machine.name, nodes, fit));
}

// The fixed cost, whichever ranks move the sites: at most this many agreements of all ranks (docs/design/0004).
void add_opening(Prediction& seconds, const TransferPlan& plan) {
  const Machine& machine = plan.machine;
  const double agreements = plan.request.writing ? 10 : 8;
  const double levels = static_cast<double>(std::bit_width(plan.ranks - 1));
  const double step = plan.nodes == 1 ? machine.handover_time : machine.latency;
  seconds.opening = machine.open_time + 2 * agreements * levels * step;
  seconds.sync = plan.request.writing ? machine.sync_time : 0;
  seconds.total += seconds.opening + seconds.sync;
}

// The sum of all steps, because nothing overlaps on one rank.
Prediction by_one_rank(const TransferPlan& plan, const engine::TransferContext& context) {
  const Machine& machine = plan.machine;
  const bool is_one_node = plan.nodes == 1;
  const double bytes = static_cast<double>(plan.bytes);
  const double others = 1 - 1 / static_cast<double>(plan.ranks);
  const double calls =
      bytes / static_cast<double>(engine::block_of_direct(context.lies_on_servers, context.call_bytes));
  Prediction seconds;
  seconds.pack = bytes / machine.pack_rate;
  seconds.exchange =
      others * bytes / (is_one_node ? machine.shared_rate : std::min(machine.message_rate, machine.link_rate));
  seconds.storage = plan.request.writing
                        ? bytes / std::min(machine.write_rate, machine.write_rate_total) + calls * machine.write_call
                        : bytes / std::min(machine.read_rate, machine.read_rate_total) + calls * machine.read_call;
  seconds.total = seconds.pack + seconds.exchange + seconds.storage;
  return seconds;
}

FieldSpec spec_of(const PlanRequest& request) {
  FieldSpec spec = request.spec;
  if (spec.kind == FieldKind::gauge && spec.links == 0) {
    spec = gauge_spec(spec.precision, spec.colors, request.lattice.size());
  }
  if (spec.numbers == 0) refuse("the field has no numbers; expected a spec such as gauge_spec(Precision::double_)");
  return spec;
}

StrategyPlan described(const Candidate& one, const engine::Geometry& geometry) {
  StrategyPlan plan;
  const engine::ShareOptions& shares = one.choice.shares;
  plan.strategy = one.choice.strategy;
  plan.possible = one.is_possible();
  plan.reason = one.obstacle;
  if (!plan.possible) return plan;
  plan.seconds = one.seconds;
  plan.writers = static_cast<std::uint64_t>(one.work.writers);
  plan.shared_dimensions = shares.shared_dimensions;
  plan.groups = geometry.groups(shares.shared_dimensions);
  plan.group_ranks = geometry.members(shares.shared_dimensions);
  plan.owners = shares.owners == 0 ? plan.group_ranks : shares.owners;
  plan.chunk_bytes = shares.chunk_bytes;
  plan.chunk_reason = one.choice.chunk_reason;
  plan.domain_bytes = shares.domain_bytes;
  plan.memory_bytes = one.choice.memory_bytes;
  if (plan.strategy == Strategy::direct) {
    plan.groups = plan.writers;
    plan.memory_bytes = one.choice.block_bytes;
  }
  return plan;
}

void add_counts(StrategyPlan& plan, const engine::Counts& counts) {
  plan.calls = counts.calls;
  plan.messages = counts.messages;
  plan.bytes_exchanged = counts.bytes_exchanged;
  plan.counts_are_exact = counts.is_exact;
}

// All exchange strategies have the same shares.
void consider(TransferPlan& plan, const engine::Transfer& transfer, const engine::Geometry& geometry,
              const std::vector<Candidate>& all) {
  std::optional<engine::Counts> exchanging;
  for (const Candidate& one : all) {
    StrategyPlan& described_plan = plan.considered.emplace_back(described(one, geometry));
    if (!one.is_possible()) continue;
    add_opening(described_plan.seconds, plan);
    const bool is_direct = one.choice.strategy == Strategy::direct;
    if (is_direct || !exchanging) {
      const engine::Counts counts =
          engine::count_busiest(transfer, geometry, one.choice, is_direct ? most_rows : most_chunks);
      if (!is_direct) exchanging = counts;
      add_counts(described_plan, counts);
    } else {
      add_counts(described_plan, *exchanging);
    }
  }
}

void choose(TransferPlan& plan, const engine::Transfer& transfer, const engine::Geometry& geometry,
            const engine::TransferContext& context, const Machine& machine, const std::vector<Candidate>& all) {
  const RouteOptions& options = plan.request.route;
  std::string reason = "requested";
  Strategy strategy = options.strategy;
  if (strategy == Strategy::automatic) {
    strategy = engine::best_of(all, transfer, geometry, context, options, machine, reason).choice.strategy;
  }
  StrategyPlan& taken = *std::ranges::find(plan.considered, strategy, &StrategyPlan::strategy);
  if (!taken.possible) {
    base::fail(Code::unsupported, {}, "strategy \"{}\" is not possible: {}", name(strategy), taken.reason);
  }
  taken.reason = reason;
  plan.chosen = taken;
}

}  // namespace

TransferPlan plan_transfer(const PlanRequest& request) {
  return plan_transfer(request, machine_of(request.route.profile));
}

TransferPlan plan_transfer(const PlanRequest& request, const Machine& machine) {
  if (request.lattice.size() == 0 || request.lattice.size() != request.processes.size()) {
    refuse(fmt::format("lattice {} and process grid {}: expected the same number of dimensions, at least 1",
                       to_string(request.lattice), to_string(request.processes)));
  }
  TransferPlan plan;
  plan.request = request;
  plan.request.spec = spec_of(request);
  plan.machine = machine;
  plan.ranks = product(request.processes, "process grid", std::numeric_limits<int>::max());
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  const std::uint64_t site_bytes = plan.request.spec.site_bytes();
  plan.bytes =
      product(request.lattice, "lattice", (most - std::min(request.payload_offset, most)) / site_bytes) * site_bytes;
  place_ranks(plan);
  plan.stripes = planned_stripes(plan);
  const engine::PlannedTransfer planned(plan.request);
  const engine::Geometry geometry(planned.transfer());
  const engine::TransferContext context = context_on(machine, plan);
  plan.row_bytes = geometry.row_bytes();
  if (const auto sizes = engine::chunk_sizes(planned.transfer(), request.route, context)) {
    plan.alignment = sizes->alignment;
  }
  const Machine reached = within_stripes(machine, plan.stripes);
  const std::vector<Candidate> all = engine::candidates(planned.transfer(), geometry, context, request.route, reached);
  consider(plan, planned.transfer(), geometry, all);
  choose(plan, planned.transfer(), geometry, context, reached, all);
  plan.one_rank = by_one_rank(plan, context);
  add_opening(plan.one_rank, plan);
  return plan;
}

// A plan as JSON.

namespace {

using base::JsonWriter;

void put(JsonWriter& json, const Prediction& seconds) {
  json.key("seconds")
      .begin_object()
      .member("pack", seconds.pack)
      .member("exchange", seconds.exchange)
      .member("storage", seconds.storage)
      .member("opening", seconds.opening)
      .member("sync", seconds.sync)
      .member("total", seconds.total)
      .end_object();
}

void put(JsonWriter& json, const StrategyPlan& plan) {
  json.begin_object().member("strategy", name(plan.strategy)).member("possible", plan.possible);
  json.member("reason", plan.reason);
  if (plan.possible) {
    put(json, plan.seconds);
    json.member("writers", plan.writers)
        .member("shared_dimensions", plan.shared_dimensions)
        .member("groups", plan.groups)
        .member("group_ranks", plan.group_ranks)
        .member("owners", plan.owners)
        .member("chunk_bytes", plan.chunk_bytes)
        .member("chunk_reason", plan.chunk_reason)
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
  json.end_array().key("one_rank").begin_object();
  put(json, plan.one_rank);
  json.end_object().key("machine").raw(to_json(plan.machine)).end_object();
  return json.take();
}

}  // namespace lq
