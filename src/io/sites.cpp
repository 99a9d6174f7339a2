// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/sites.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <tuple>

#include <fmt/format.h>
#include <limequat/error.hpp>
#include <limequat/file_system.hpp>
#include <limequat/plan.hpp>

#include "base/bytes.hpp"
#include "base/path.hpp"
#include "base/random_number.hpp"
#include "base/text.hpp"
#include "comm/agree.hpp"
#include "comm/node.hpp"
#include "comm/tree.hpp"
#include "device/driver.hpp"
#include "lattice/layout_rows.hpp"
#include "lattice/tile_map.hpp"

namespace lq {

namespace io {
namespace {

using base::kibi;
using base::mebi;

constexpr double seconds_of_small = 0.02, seconds_of_large = 0.03;
constexpr std::size_t most_calls = 64;  // of each size: local disks need no more

// Seconds of a call with the given number of bytes, the minimum of several: other load only makes it slower.
double time_of(storage::File& file, const std::vector<std::byte>& bytes, std::uint64_t& end, double seconds) {
  double least = 0;
  const base::Stopwatch all;
  for (std::size_t calls = 0; calls < most_calls && (calls == 0 || all.seconds() < seconds); ++calls) {
    const base::Stopwatch one;
    file.write_at(end, bytes);
    const double taken = one.seconds();
    least = calls == 0 ? taken : std::min(least, taken);
    end += bytes.size();
  }
  return least;
}

// A file that is removed in any case.
class TrialFile {
 public:
  TrialFile(storage::Transport& transport, std::string path)
      : transport_(transport), path_(std::move(path)), file_(transport.create(path_)) {}
  ~TrialFile() {
    file_.reset();
    try {
      transport_.remove(path_);
    } catch (...) {
      // Its name tells what it is.
    }
  }
  TrialFile(const TrialFile&) = delete;
  TrialFile& operator=(const TrialFile&) = delete;
  storage::File& file() const noexcept { return *file_; }

 private:
  storage::Transport& transport_;
  std::string path_;
  std::unique_ptr<storage::File> file_;
};

}  // namespace

std::optional<CallCost> measure_calls(storage::Transport& transport, const std::string& path) {
  try {
    const TrialFile trial(transport, base::temporary_name(path + ".trial", base::random_number()));
    const std::vector<std::byte> small(4 * kibi, std::byte{0x5a}), large(mebi, std::byte{0x5a});
    std::uint64_t end = 0;
    const double of_small = time_of(trial.file(), small, end, seconds_of_small);
    const double of_large = time_of(trial.file(), large, end, seconds_of_large);
    if (of_small <= 0 || of_large <= of_small) return std::nullopt;
    // A line through two points.
    const double rate = static_cast<double>(large.size() - small.size()) / (of_large - of_small);
    return CallCost{std::max(of_small - static_cast<double>(small.size()) / rate, 0.0), rate};
  } catch (const Error&) {
    return std::nullopt;  // the operations that follow report the error better
  }
}

void take_measured_calls(Machine& machine, storage::Transport& transport, const std::string& path,
                         const MountFacts& mount) {
  if (!mount.is_shared || mount.file_system.empty() || machine.file_system == mount.file_system) return;
  static std::mutex mutex;
  static std::map<std::uint64_t, std::optional<CallCost>> known;
  const std::lock_guard lock(mutex);
  const auto [found, is_new] = known.try_emplace(mount.device);
  if (is_new) found->second = measure_calls(transport, path);
  const std::optional<CallCost>& cost = found->second;
  if (!cost) return;
  machine.write_call = cost->seconds;
  machine.write_rate = cost->rate;
  machine.write_rate_total = std::max(cost->rate, std::min(machine.write_rate_total, 2 * cost->rate));
}

}  // namespace io

// Facts about a place that lq::write() also determines.
Machine with_file_system_of(const std::string& folder, Machine machine) {
  const FileSystem found = file_system_of(folder);
  io::take_measured_calls(machine, storage::resolve(folder), folder + "/plan",
                          {found.name, found.is_shared, found.device});
  machine.file_system = found.name;
  machine.block_bytes = found.block_bytes;
  if (const std::uint64_t servers = std::max(found.targets, found.stripe_count); servers > 0) machine.servers = servers;
  return machine;
}

}  // namespace lq

namespace lq::io {
namespace {

// True if neighbours can read this rank's sites from its memory in long pieces; from a GPU's they cannot.
bool is_readable(const lattice::RowPlan& plan, const Field& memory) {
  lattice::Rows rows(plan);
  lattice::Row row;
  return !rows.next(row) ||
         (memory.data != nullptr && row.memory_stride == 1 && !device::is_device_memory(memory.data));
}

// True if each tile with sites of this rank belongs to it alone.
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

// Threads that take no core because they wait for servers: while one piece is in flight, the next one is requested.
// Measured on GlusterFS: two read at 1.8 times the rate of one, more than two gain nothing; writes are buffered by its
// client.
int least_threads(const SitePlan& plan, bool writes, int ranks) {
  constexpr std::uint64_t worth_it = 4 * base::mebi;  // per rank
  const bool is_asked_for = plan.route.threads != 0;
  if (writes || is_asked_for || !storage::lies_on_servers(plan.unit)) return 1;
  return plan.payload.length / static_cast<std::uint64_t>(ranks) < worth_it ? 1 : 2;
}

}  // namespace

std::uint64_t block_to_write(std::uint64_t asked, const storage::StorageTraits& unit, int threads,
                             std::uint64_t memory_bytes) {
  const std::uint64_t usual = engine::block_of_direct(false);
  const std::uint64_t most = engine::block_of_direct(lies_on_servers(unit), unit.call_bytes);
  if (asked > 0) return asked;
  const std::uint64_t memory = engine::granted_memory(memory_bytes, unit.call_bytes);
  return std::clamp(memory / static_cast<std::uint64_t>(std::max(threads, 1)), usual, most);
}

SiteTransfer::SiteTransfer(const Grid& grid, SitePlan plan, const Field& from)
    : grid_(grid), plan_(std::move(plan)), field_(from), stats_(plan_.payload, plan_.sums, plan_.watches_numbers) {
  set_rows();
}

SiteTransfer::SiteTransfer(const Grid& grid, SitePlan plan, const MutableField& to)
    : grid_(grid), plan_(std::move(plan)), field_(to), stats_(plan_.payload, plan_.sums, plan_.watches_numbers) {
  set_rows();
}

// For functions or a description instead of plain memory, its data is nullptr.
Field SiteTransfer::memory() const {
  if (writes()) {
    const auto& from = std::get<Field>(field_);
    return {from.spec, lattice::is_plain(from) ? from.data : nullptr, from.available, from.order, {}};
  }
  const auto& to = std::get<MutableField>(field_);
  return {to.spec, lattice::is_plain(to) ? to.data : nullptr, to.available, to.order, {}};
}

// The sites of this rank, in coordinates of the file's lattice.
void SiteTransfer::set_rows() {
  Box mine = grid_.local_box();
  for (int d = 0; d < mine.lower.size(); ++d) mine.lower[d] += plan_.region.lower[d];
  const Payload& payload = plan_.payload;
  rows_ = {payload.extents, payload.stored, payload.order, mine, memory().order, mine};
}

// A choice without its explanation.
struct SiteTransfer::Decision {
  Strategy strategy = Strategy::direct;
  engine::ShareOptions shares;
  bool needs_node = false;  // undecided: it depends on which ranks share memory
  bool has_warning = false;
  bool has_incoherent_caches = false;
};

void SiteTransfer::tell(Facts& facts) const {
  storage::CombinedTraits::tell(facts.seen(), plan_.unit, plan_.client);
  facts.unreadable().value = is_readable(rows_, memory()) ? 0 : 1;
  facts.divided_tiles().value = has_whole_tiles(rows_, plan_.payload) ? 0 : 1;
}

// Local, after Comm::node().
engine::TransferContext SiteTransfer::detect_context(Facts& facts) const {
  const comm::Node& node = grid_.communicator().engine().node();
  engine::TransferContext context;
  context.is_known = true;
  context.ranks_per_node = static_cast<std::uint64_t>(node.largest());
  context.is_one_node = node.is_only();
  context.is_one_client = node.is_only() && storage::CombinedTraits::have_one_client(facts.seen());
  context.can_share = true;  // if no memory can be shared, messages are used instead
  context.can_pull = node.can_pull();
  context.is_in_memory = facts.unreadable().value == 0;
  return context;
}

// Decided by the root, because others may see another file system, or another profile.
SiteTransfer::Decision SiteTransfer::decide(Facts& facts, const engine::TransferContext* around) {
  const storage::StorageTraits unit = storage::CombinedTraits::strictest(facts.seen(), plan_.unit);
  const bool is_free = plan_.route.strategy == Strategy::automatic;
  const UsableMachine site = usable_machine_of(plan_.route.profile);
  Machine machine = site.machine;
  if (plan_.new_file_in == &storage::posix() && is_free && grid_.size() > 1) {
    take_measured_calls(machine, *plan_.new_file_in, plan_.path,
                        {plan_.unit.file_system.data(), !plan_.unit.one_writer, plan_.client});
  }
  const auto choose = [&](engine::TransferContext context) {
    warning_ = site.warning;
    context.block_bytes = unit.bytes;
    context.needs_single_owner = unit.single_owner;
    context.targets = unit.targets;
    context.lies_on_servers = storage::lies_on_servers(unit);
    context.client_writes = unit.client_writes;
    context.reads_in_order = unit.reads_in_order;
    context.call_bytes = unit.call_bytes;
    context.has_whole_tiles = facts.divided_tiles().value == 0;
    context.checksum = !plan_.sums.empty();
    context.can_pull = context.can_pull && machine.pull_permitted;
    context.can_share = context.can_share && machine.shared_memory_permitted;
    const engine::Choice choice = engine::choose(transfer(), context, plan_.route, machine);
    if (choice.strategy != Strategy::direct && choice.shares.chunk_bytes < plan_.route.chunk_bytes) {
      warning_ += fmt::format("{}chunks of {}, {}", warning_.empty() ? "" : "; ",
                              base::binary_bytes(choice.shares.chunk_bytes), choice.chunk_reason);
    }
    return Decision{choice.strategy, choice.shares, false, !warning_.empty(),
                    writes() && storage::Owners{unit, context.is_one_client}.have_incoherent_caches()};
  };
  // Long rows need no information about the other ranks.
  if (is_free && !unit.single_owner) {
    const Decision early = choose({});
    if (early.strategy == Strategy::direct) return early;
  }
  if (around != nullptr) return choose(*around);
  Decision later;
  later.needs_node = true;
  return later;
}

void SiteTransfer::choose_route(Facts& facts) {
  comm::Comm& comm = grid_.communicator().engine();
  const bool may_be_early = plan_.route.strategy == Strategy::automatic && facts.seen()[1].value == 0;
  if (!may_be_early) comm.node();
  const auto decide_for_all = [&] {
    std::optional<engine::TransferContext> around;
    if (comm.knows_node()) around = detect_context(facts);
    return comm::decide_at_root(comm, [&] {
      try {
        return decide(facts, around ? &*around : nullptr);
      } catch (const Error& error) {
        ErrorFacts about = error.facts();
        about.path = plan_.path;
        throw Error(error.code(), fmt::format("{}: {}", plan_.path, error.what()), about);
      }
    });
  };
  Decision decision = decide_for_all();
  if (decision.needs_node) {
    comm.node();
    decision = decide_for_all();
  }
  if (decision.has_warning) warning_ = comm::broadcast_text(comm, warning_);
  strategy_ = decision.strategy;
  has_incoherent_caches_ = decision.has_incoherent_caches;
  touches_file_ = grid_.local_volume() > 0;
  share_options_ = decision.shares;
}

void SiteTransfer::choose_route() {
  Facts facts;
  comm::agree(grid_.communicator().engine(), facts.terms(), [&] { tell(facts); });
  choose_route(facts);
  if (strategy_ != Strategy::direct) {
    comm::agree(grid_.communicator().engine(), [&] { share(share_options_); });
  }
}

void SiteTransfer::share(const engine::ShareOptions& options) {
  shares_ = std::make_shared<engine::Shares>(transfer(), options);
  touches_file_ = shares_->next_owned(grid_.rank(), 0).has_value();
}

void SiteTransfer::start(const Open& open, const base::Stopwatch& since) {
  comm::Comm& comm = grid_.communicator().engine();
  const int threads = std::max(comm::thread_count(comm, plan_.route.threads, plan_.payload.length),
                               least_threads(plan_, writes(), comm.size()));
  std::unique_ptr<engine::Paths> paths;
  if (strategy_ != Strategy::direct) {
    const Field nothing;
    const auto shares = [&]() -> const engine::Shares& {
      if (!shares_) share(share_options_);
      return *shares_;
    };
    paths = engine::open_paths(comm, shares, strategy_, writes() ? std::get<Field>(field_) : nothing);
    // If no memory can be shared, messages are used instead.
    if (paths->node == nullptr) strategy_ = Strategy::messages;
  }
  comm::agree(comm, [&] {
    if (shares_) engine::close_own_slots(*paths, *shares_);
    std::vector<storage::File*> files = open();
    stats_.open_seconds = since.seconds();
    sequence_.emplace(plan_.path, plan_.payload, plan_.tile_codec, std::move(files));
    const std::uint64_t memory = engine::granted_memory(plan_.route.memory_bytes, plan_.unit.call_bytes);
    const std::uint64_t read_bytes = std::max(plan_.unit.read_bytes, plan_.unit.call_bytes);
    const std::uint64_t block = writes() ? block_to_write(plan_.block_bytes, plan_.unit, threads, memory)
                                : plan_.block_bytes > 0
                                    ? plan_.block_bytes
                                    : std::min(read_bytes, rows_.wanted.volume() * plan_.payload.site_bytes());
    const bool is_thread_safe = sequence_->is_thread_safe() && (writes() || !plan_.unit.reads_in_order);
    const engine::BlockOptions how = engine::block_options(plan_.payload, block, threads, memory, is_thread_safe);
    call_bytes_ = shares_ ? share_options_.chunk_bytes : how.block_bytes;
    steps_ = make_steps(std::move(paths), how);
    if (plan_.progress && comm.rank() == 0)
      steps_->report_progress_in_bytes(plan_.progress, plan_.region.volume() * plan_.payload.site_bytes());
  });
}

std::unique_ptr<engine::StepwiseTransfer> SiteTransfer::make_steps(std::unique_ptr<engine::Paths> paths,
                                                                   const engine::BlockOptions& options) {
  if (!shares_ && !touches_file_) return engine::move_nothing();
  if (writes()) {
    const auto& from = std::get<Field>(field_);
    if (shares_)
      return engine::exchange_out(from, rows_, shares_, std::move(paths), sequence_->file(), options.threads, stats_);
    return engine::move_out(from, plan_.payload, rows_, *sequence_->file(), options, stats_);
  }
  const auto& to = std::get<MutableField>(field_);
  if (shares_)
    return engine::exchange_in(to, rows_, shares_, std::move(paths), sequence_->file(), options.threads, stats_);
  return engine::move_in(*sequence_->file(), plan_.payload, rows_, to, options, stats_);
}

void SiteTransfer::start(storage::File* file) {
  start([&] { return std::vector<storage::File*>{file}; }, base::Stopwatch());
}

void SiteTransfer::finish(const std::exception_ptr& failure) {
  comm::Comm& comm = grid_.communicator().engine();
  if (writes() && engine::Sequence::needs_settling(plan_.payload)) {
    comm::agree_on_success(comm, failure);
    tiles_ = sequence_->settle(comm);
  }
  stats_.ranks_at_file = touches_file_ ? 1 : 0;
  stats_.reduce(comm, failure);
  steps_.reset();
  sequence_.reset();
}

void SiteTransfer::move() {
  const std::unique_ptr<engine::StepwiseTransfer> steps = std::move(steps_);
  engine::run(*steps);
}

void SiteTransfer::describe(Report& report) const {
  report.spec = plan_.payload.spec;
  report.extents = plan_.region.extents;
  report.ranks = grid_.size();
  report.written = writes();
  report.strategy = strategy_;
  if (!warning_.empty()) report.warnings.push_back(warning_);
  report.bytes = stats_.bytes;
  report.checksum = stats_.sums.total();
  report.sums = stats_.sums.values();
  report.zeros = stats_.zeros;
  report.device = stats_.device.report();
  report.storage.ranks = stats_.ranks_at_file;
  report.storage.call_bytes = call_bytes_;
  if (!writes()) {
    report.storage.file_system = plan_.unit.file_system.data();
    report.storage.block_bytes = plan_.unit.bytes;
  }
  report.seconds.open = stats_.open_seconds;
  report.seconds.pack = stats_.pack_seconds;
  report.seconds.exchange = stats_.exchange_seconds;
  report.seconds.storage = stats_.storage_seconds;
}

void SiteTransfer::repeat(std::uint64_t offset, const Field& from) {
  field_ = from;
  move_to(offset);
}

void SiteTransfer::repeat(std::uint64_t offset, const MutableField& to) {
  field_ = to;
  move_to(offset);
}

// The owners of the bytes depend on the position of the lattice; the route does not.
void SiteTransfer::move_to(std::uint64_t offset) {
  comm::agree(grid_.communicator().engine(), [&] {
    plan_.payload.offset = offset;
    stats_ = engine::TransferStats(plan_.payload, plan_.sums, plan_.watches_numbers);
    if (shares_) share(engine::ShareOptions(shares_->options()));
  });
}

namespace {

struct Client {
  std::uint64_t node = 0;  // its first rank
  std::uint64_t mount = 0;
  bool operator==(const Client&) const = default;
};

// The number of ranks whose client differs from that of the rank `shift` after them.
std::size_t strangers_at(const std::vector<Client>& clients, std::size_t shift) {
  std::size_t strangers = 0;
  for (std::size_t rank = 0; rank < clients.size(); ++rank) {
    if (clients[rank] != clients[(rank + shift) % clients.size()]) ++strangers;
  }
  return strangers;
}

// Ranks are assigned to nodes in blocks or round-robin: a few distances from rank 0 to another client are enough.
std::uint64_t best_shift(const std::vector<Client>& clients) {
  constexpr std::size_t most_trials = 32;
  std::size_t best = 1, best_strangers = strangers_at(clients, 1), trials = 0;
  for (std::size_t shift = 2; shift < clients.size() && trials < most_trials; ++shift) {
    if (clients[shift] == clients[0]) continue;
    ++trials;
    const std::size_t strangers = strangers_at(clients, shift);
    if (strangers > best_strangers) std::tie(best, best_strangers) = std::pair(shift, strangers);
  }
  return best;
}

}  // namespace

std::uint64_t shift_to_other_clients(comm::Comm& comm, std::uint64_t client) {
  const Client mine{static_cast<std::uint64_t>(comm.node().ranks().front()), client};
  std::uint64_t shift = 1;
  comm::agree(comm, [&] {
    std::vector<Client> clients;
    comm::gather_records(comm, std::span(&mine, 1), 0, [&](const Client& one) { clients.push_back(one); });
    if (comm.rank() == 0) shift = best_shift(clients);
  });
  comm.broadcast(std::as_writable_bytes(std::span(&shift, 1)), 0);
  return shift;
}

}  // namespace lq::io
