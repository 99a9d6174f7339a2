// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/sites.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>
#include <limequat/machine.hpp>

#include "base/bytes.hpp"
#include "base/clock.hpp"
#include "comm/agree.hpp"
#include "comm/node.hpp"
#include "device/driver.hpp"
#include "io/call_cost.hpp"
#include "io/owners.hpp"
#include "lattice/tile_map.hpp"
#include "layouts/rows.hpp"
#include "route/choose.hpp"
#include "threads/how_many.hpp"

namespace lq::io {

namespace {

// Whether neighbours can take this rank's sites out of its memory in long pieces; out of a GPU's they cannot.
bool is_readable(const lattice::RowPlan& plan, const Field& memory) {
  lattice::Rows rows(plan);
  lattice::Row row;
  return !rows.next(row) ||
         (memory.data != nullptr && row.memory_stride == 1 && !device::is_device_memory(memory.data));
}

// Whether the tiles that this rank has sites of are all its own.
bool has_whole_tiles(const lattice::RowPlan& plan, const Payload& payload) {
  if (payload.encoding.empty()) return true;
  if (payload.block.size() > 0) return lattice::has_whole_blocks(payload, plan.wanted);
  const std::uint64_t tile = payload.tile_sites, all = payload.stored.volume();
  lattice::Rows rows(plan);
  std::uint64_t end = 0;  // of the sites so far
  for (lattice::Row row; rows.next(row); end = row.file_site + row.sites) {
    if (row.file_site == end) continue;
    if (end % tile != 0 || row.file_site % tile != 0) return false;
  }
  return end % tile == 0 || end == all;
}

// Facts of this rank that the choice depends on, and then those of all ranks: the strictest.
struct View {
  transport::Unit unit;
  std::uint64_t client = 0;
  bool is_readable = true;
  bool has_whole_tiles = true;
};

// A choice without its words.
struct Decision {
  Strategy strategy = Strategy::direct;
  route::ShareOptions shares;
  bool has_warning = false;
  bool has_strange_caches = false;
};

// Threads that take no core, for they wait for servers: as long as one piece is on its way, the next one is asked for.
// Measured on GlusterFS: two read at 1.8 times the rate of one, more than two gain nothing; writes are kept by its
// client.
int least_threads(const SitePlan& plan, bool writes, int ranks) {
  constexpr std::uint64_t worth_it = 4 * base::mebi;  // of a rank
  const bool is_asked_for = plan.route.threads != 0;
  if (writes || is_asked_for || !transport::lies_on_servers(plan.unit)) return 1;
  return plan.payload.length / static_cast<std::uint64_t>(ranks) < worth_it ? 1 : 2;
}

// Collective. Rank 0 decides for all: others may see another file system, or another profile.
Decision decide(comm::Comm& comm, const SitePlan& plan, const route::Transfer& transfer, const View& view,
                route::Situation situation, std::string& warning) {
  Decision decision;
  comm::agree_at_root(comm, [&] {
    try {
      situation.block_bytes = view.unit.bytes;
      situation.needs_single_owner = view.unit.single_owner;
      situation.targets = view.unit.targets;
      situation.lies_on_servers = transport::lies_on_servers(view.unit);
      situation.client_writes = view.unit.client_writes;
      situation.reads_in_order = view.unit.reads_in_order;
      situation.has_whole_tiles = view.has_whole_tiles;
      situation.checksum = !plan.sums.empty();
      const UsableMachine site = usable_machine_of(plan.route.profile);
      Machine machine = site.machine;
      if (plan.new_file_in == &transport::posix() && plan.route.strategy == Strategy::automatic && comm.size() > 1) {
        take_measured_calls(machine, *plan.new_file_in, plan.path,
                            {plan.unit.file_system.data(), !plan.unit.one_writer, plan.client});
      }
      warning = site.warning;
      situation.can_pull = situation.can_pull && machine.pull_permitted;
      situation.can_share = situation.can_share && machine.shared_memory_permitted;
      const route::Choice choice = route::choose(transfer, situation, plan.route, machine);
      decision = {choice.strategy, choice.shares, !warning.empty(),
                  transfer.writing && Owners{view.unit, situation.is_one_client}.have_strange_caches()};
    } catch (const Error& error) {
      ErrorFacts facts = error.facts();
      facts.path = plan.path;
      throw Error(error.code(), fmt::format("{}: {}", plan.path, error.what()), facts);
    }
  });
  comm.broadcast(std::as_writable_bytes(std::span(&decision, 1)), 0);
  if (decision.has_warning) warning = comm::broadcast_text(comm, warning);
  return decision;
}

// Collective.
route::Situation look_around(comm::Comm& comm, const View& view) {
  const comm::Node& node = comm.node();
  std::array<std::uint64_t, 1> all_readable{view.is_readable ? 1U : 0U};
  comm.all_reduce(all_readable, comm::Reduce::min);
  route::Situation situation;
  situation.is_known = true;
  situation.ranks_per_node = static_cast<std::uint64_t>(node.largest());
  situation.is_one_node = node.is_only();
  situation.is_one_client = are_one_client(comm, view.client);
  situation.can_share = true;  // where it turns out that there is no memory to share, messages take its place
  situation.can_pull = node.can_pull();
  situation.is_in_memory = all_readable[0] == 1;
  return situation;
}

// Collective.
Decision choose(comm::Comm& comm, const SitePlan& plan, const route::Transfer& transfer, View view,
                std::string& warning) {
  view.unit = strictest_of(comm, view.unit);
  if (!plan.payload.encoding.empty()) {
    std::array<std::uint64_t, 1> all_whole{view.has_whole_tiles ? 1U : 0U};
    comm.all_reduce(all_whole, comm::Reduce::min);
    view.has_whole_tiles = all_whole[0] == 1;
  }
  // Rows that are long enough need to know nothing of the other ranks.
  if (plan.route.strategy == Strategy::automatic && !view.unit.single_owner) {
    const Decision early = decide(comm, plan, transfer, view, {}, warning);
    if (early.strategy == Strategy::direct) return early;
  }
  return decide(comm, plan, transfer, view, look_around(comm, view), warning);
}

}  // namespace

std::uint64_t block_to_write(std::uint64_t asked, const transport::Unit& unit, int threads,
                             std::uint64_t memory_bytes) {
  const std::uint64_t usual = route::block_of_direct(false), most = route::block_of_direct(lies_on_servers(unit));
  if (asked > 0) return asked;
  return std::clamp(memory_bytes / static_cast<std::uint64_t>(std::max(threads, 1)), usual, most);
}

SiteTransfer::SiteTransfer(const Grid& grid, SitePlan plan, const Field& from)
    : grid_(grid), plan_(std::move(plan)), field_(from), tally_(plan_.payload, plan_.sums, plan_.watches_numbers) {
  set_rows();
}

SiteTransfer::SiteTransfer(const Grid& grid, SitePlan plan, const MutableField& to)
    : grid_(grid), plan_(std::move(plan)), field_(to), tally_(plan_.payload, plan_.sums, plan_.watches_numbers) {
  set_rows();
}

// With functions or a description instead of plain memory, its data is nullptr.
Field SiteTransfer::memory() const {
  if (writes()) {
    const auto& from = std::get<Field>(field_);
    return {from.spec, layouts::is_plain(from) ? from.data : nullptr, from.available, from.order, {}};
  }
  const auto& to = std::get<MutableField>(field_);
  return {to.spec, layouts::is_plain(to) ? to.data : nullptr, to.available, to.order, {}};
}

// The sites of this rank, in coordinates of the file's lattice.
void SiteTransfer::set_rows() {
  Box mine = grid_.local_box();
  for (int d = 0; d < mine.lower.size(); ++d) mine.lower[d] += plan_.region.lower[d];
  const Payload& payload = plan_.payload;
  rows_ = {payload.extents, payload.stored, payload.order, mine, memory().order, mine};
}

void SiteTransfer::choose_route() {
  comm::Comm& comm = grid_.communicator().engine();
  View view{plan_.unit, plan_.client, true, true};
  route::Transfer all;
  comm::agree(comm, [&] {
    all = transfer();
    view.is_readable = is_readable(rows_, memory());
    view.has_whole_tiles = has_whole_tiles(rows_, plan_.payload);
  });
  const Decision decision = choose(comm, plan_, all, view, warning_);
  strategy_ = decision.strategy;
  has_strange_caches_ = decision.has_strange_caches;
  touches_file_ = grid_.local_volume() > 0;
  if (strategy_ != Strategy::direct) comm::agree(comm, [&] { share(decision.shares); });
}

void SiteTransfer::share(const route::ShareOptions& options) {
  shares_ = std::make_shared<route::Shares>(transfer(), options);
  touches_file_ = shares_->next_owned(grid_.rank(), 0).has_value();
}

void SiteTransfer::start(std::span<transport::File* const> files, double open_seconds) {
  tally_.open_seconds = open_seconds;
  comm::Comm& comm = grid_.communicator().engine();
  const int threads = std::max(threads::how_many(comm, plan_.route.threads, plan_.payload.length),
                               least_threads(plan_, writes(), comm.size()));
  std::unique_ptr<pump::Paths> paths;
  if (shares_) {
    const Field nothing;
    paths = pump::open_paths(comm, *shares_, strategy_, writes() ? std::get<Field>(field_) : nothing);
    // Where there is no memory to share, messages take its place.
    if (paths->node == nullptr) strategy_ = Strategy::messages;
  }
  comm::agree(comm, [&] {
    sequence_.emplace(plan_.path, plan_.payload, plan_.tile_codec,
                      std::vector<transport::File*>(files.begin(), files.end()));
    const std::uint64_t memory = plan_.route.memory_bytes;
    const std::uint64_t block =
        writes() ? block_to_write(plan_.block_bytes, plan_.unit, threads, memory) : plan_.block_bytes;
    const bool bears_threads = sequence_->bears_threads() && (writes() || !plan_.unit.reads_in_order);
    movement_ =
        make_movement(std::move(paths), pump::pump_options(plan_.payload, block, threads, memory, bears_threads));
    if (plan_.progress && comm.rank() == 0)
      movement_->tell_of_bytes(plan_.progress, plan_.region.volume() * plan_.payload.site_bytes());
  });
}

std::unique_ptr<pump::Movement> SiteTransfer::make_movement(std::unique_ptr<pump::Paths> paths,
                                                            const pump::PumpOptions& options) {
  if (!shares_ && !touches_file_) return pump::move_nothing();
  if (writes()) {
    const auto& from = std::get<Field>(field_);
    if (shares_)
      return pump::exchange_out(from, rows_, shares_, std::move(paths), sequence_->file(), options.threads, tally_);
    return pump::move_out(from, plan_.payload, rows_, *sequence_->file(), options, tally_);
  }
  const auto& to = std::get<MutableField>(field_);
  if (shares_)
    return pump::exchange_in(to, rows_, shares_, std::move(paths), sequence_->file(), options.threads, tally_);
  return pump::move_in(*sequence_->file(), plan_.payload, rows_, to, options, tally_);
}

void SiteTransfer::finish(const std::exception_ptr& failure) {
  comm::Comm& comm = grid_.communicator().engine();
  comm::agree_on_success(comm, failure);
  movement_.reset();
  if (writes()) tiles_ = sequence_->settle(comm);
  sequence_.reset();
  const base::Stopwatch reduction;
  tally_.ranks_at_file = touches_file_ ? 1 : 0;
  tally_.reduce(comm);
  reduction_seconds_ = comm::max_over_ranks(comm, reduction.seconds());
}

void SiteTransfer::move() {
  const std::unique_ptr<pump::Movement> movement = std::move(movement_);
  pump::run(*movement);
}

void SiteTransfer::describe(Report& report) const {
  report.spec = plan_.payload.spec;
  report.extents = plan_.region.extents;
  report.ranks = grid_.size();
  report.written = writes();
  report.strategy = strategy_;
  if (!warning_.empty()) report.warnings.push_back(warning_);
  report.bytes = tally_.bytes;
  report.checksum = tally_.sums.total();
  report.sums = tally_.sums.values();
  report.zeros = tally_.zeros;
  report.device = tally_.device.report();
  report.storage.ranks = tally_.ranks_at_file;
  if (!writes()) {
    report.storage.file_system = plan_.unit.file_system.data();
    report.storage.block_bytes = plan_.unit.bytes;
  }
  report.seconds.open = tally_.open_seconds;
  report.seconds.pack = tally_.pack_seconds;
  report.seconds.exchange = tally_.exchange_seconds + reduction_seconds_;
  report.seconds.storage = tally_.storage_seconds;
}

void SiteTransfer::repeat(std::uint64_t offset, const Field& from) {
  field_ = from;
  move_to(offset);
}

void SiteTransfer::repeat(std::uint64_t offset, const MutableField& to) {
  field_ = to;
  move_to(offset);
}

// Which bytes belong to whom depends on where the lattice lies; how they travel does not.
void SiteTransfer::move_to(std::uint64_t offset) {
  comm::agree(grid_.communicator().engine(), [&] {
    plan_.payload.offset = offset;
    tally_ = pump::Tally(plan_.payload, plan_.sums, plan_.watches_numbers);
    if (shares_) share(route::ShareOptions(shares_->options()));
  });
}

}  // namespace lq::io
