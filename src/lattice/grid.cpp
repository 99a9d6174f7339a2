// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Grid and Communicator. After the arguments have been compared, every rank does the same computation, so errors are
// identical.
#include <algorithm>
#include <array>
#include <span>

#include <fmt/format.h>
#include <limequat/grid.hpp>

#include "base/error.hpp"
#include "comm/agree.hpp"
#include "comm/comm.hpp"
#include "comm/wire.hpp"
#include "lattice/decomposition.hpp"
#include "lattice/site_order.hpp"

namespace lq {
namespace {

[[noreturn]] void refuse(const std::string& sentence) { throw Error(Code::invalid_argument, sentence); }

// Arguments that must be the same on all ranks. A long table is compared in pieces, so that an error shows the
// difference.
std::vector<comm::StatedArgument> stated(const Extents& extents, const GridOptions& options) {
  std::vector<comm::StatedArgument> all{
      {"the grid", fmt::format("lattice {}, process grid {}, rank order {{{}}}, table of {} ranks, idle ranks {}",
                               to_string(extents), options.processes ? to_string(*options.processes) : "chosen",
                               fmt::join(options.rank_order, ","), options.ranks.size(),
                               options.idle_ranks ? "allowed" : "not allowed")}};
  const std::span<const int> ranks(options.ranks);
  const std::size_t piece = std::max<std::size_t>(16, ranks.size() / 64);
  for (std::size_t first = 0; first < ranks.size(); first += piece) {
    const auto some = ranks.subspan(first, std::min(piece, ranks.size() - first));
    all.push_back({fmt::format("ranks from number {} on", first), fmt::format("{}", fmt::join(some, ","))});
  }
  return all;
}

// Local. Checks what this rank states about its own place.
void require_possible_place(const GridOptions& options) {
  if (!options.coordinates) return;
  if (!options.ranks.empty() || !options.rank_order.empty()) {
    refuse(fmt::format("coordinates and {} are both given; leave one of them out",
                       options.ranks.empty() ? "rank_order" : "ranks"));
  }
  const std::string own = site_text(*options.coordinates);
  if (!options.holds_sites)
    refuse(fmt::format("coordinates are {}, but holds_sites is false; leave one of them out", own));
  if (!options.processes)
    refuse(fmt::format("coordinates are {}, but processes is missing; give the process grid", own));
  const Extents& processes = *options.processes;
  bool is_inside = processes.size() == options.coordinates->size();
  for (int d = 0; is_inside && d < processes.size(); ++d) {
    is_inside = 0 <= (*options.coordinates)[d] && (*options.coordinates)[d] < processes[d];
  }
  if (!is_inside) {
    const std::string expected = fmt::format("coordinates in process grid {}, counted from 0", to_string(processes));
    base::fail(Code::invalid_argument, {.expected = expected, .found = own}, "coordinates are {}; expected {}", own,
               expected);
  }
}

// Collective. The ranks that hold sites, ascending.
std::vector<int> find_holders(comm::Comm& comm, bool holds_sites) {
  const auto size = static_cast<std::size_t>(comm.size());
  const auto rank = static_cast<std::size_t>(comm.rank());
  auto idle = comm::agree(comm, [&] { return std::vector<std::uint64_t>((size + 63) / 64); });  // one bit per rank
  if (!holds_sites) idle[rank / 64] |= std::uint64_t{1} << (rank % 64);
  comm.all_reduce(idle, comm::Reduce::bit_or);
  return comm::agree_alike(comm, [&] {
    std::vector<int> holders;
    for (std::size_t r = 0; r < size; ++r) {
      if ((idle[r / 64] >> (r % 64) & 1) == 0) holders.push_back(static_cast<int>(r));
    }
    if (holders.empty()) {
      base::fail(Code::invalid_argument, {},
                 "none of the {} ranks holds sites; at least one must pass holds_sites = true", size);
    }
    return holders;
  });
}

[[noreturn]] void refuse_size(const Extents& processes, std::uint64_t needed, std::uint64_t present, bool all_hold) {
  const std::string remedy =
      needed > present ? fmt::format("start {} ranks, or leave the process grid to be chosen", needed)
                       : fmt::format(
                             "start {} ranks, leave the process grid to be chosen, or let the others hold no sites "
                             "(options.idle_ranks = true)",
                             needed);
  base::fail(Code::invalid_argument,
             {.expected = fmt::format("{} ranks", needed), .found = fmt::format("{} ranks", present)},
             "process grid {} needs {} ranks, {} {}; {}", to_string(processes), needed,
             all_hold ? "the communicator has" : "the ranks that hold sites are", present, remedy);
}

// Collective. The rank at each place of the process grid, x fastest, from the coordinates that ranks have given.
std::vector<int> gather_ranks(comm::Comm& comm, const GridOptions& options) {
  const std::uint64_t needed = comm::agree_alike(comm, [&] { return volume(options.processes.value_or(Extents())); });
  const auto size = static_cast<std::size_t>(comm.size());
  const auto rank = static_cast<std::size_t>(comm.rank());
  const auto half = [](std::size_t r) { return static_cast<int>(r % 2 * 32); };
  // Half a word per rank: the number of its place + 1. There are fewer places than 2^32, or too few ranks for them.
  auto places = comm::agree(comm, [&] { return std::vector<std::uint64_t>((size + 1) / 2); });
  if (options.coordinates && needed <= size) {
    places[rank / 2] = (lattice::site_rank(*options.coordinates, *options.processes) + 1) << half(rank);
  }
  comm.all_reduce(places, comm::Reduce::bit_or);
  return comm::agree_alike(comm, [&] {
    std::vector<int> ranks(needed <= size ? static_cast<std::size_t>(needed) : 0, -1);
    std::uint64_t given = 0;
    for (std::size_t r = 0; r < size; ++r) {
      const auto place = static_cast<std::uint32_t>(places[r / 2] >> half(r));
      if (place == 0) continue;
      ++given;
      int& there = ranks[place - 1];
      if (there >= 0) {
        refuse(fmt::format("ranks {} and {} have the same coordinates, {}; give each rank a different place", there, r,
                           site_text(lattice::site_of_rank(place - 1, *options.processes))));
      }
      there = static_cast<int>(r);
    }
    if (given < ranks.size()) {
      const auto free = static_cast<std::uint64_t>(std::ranges::find(ranks, -1) - ranks.begin());
      refuse(fmt::format("no rank has the coordinates {} of process grid {}; give one rank for each place",
                         site_text(lattice::site_of_rank(free, *options.processes)), to_string(*options.processes)));
    }
    return ranks;
  });
}

// `ranks` has one entry for each place of the process grid.
void require_usable(const std::vector<int>& ranks, const Extents& processes, int size,
                    const std::vector<int>& holders) {
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const bool exists = 0 <= ranks[i] && ranks[i] < size;
    if (exists && (holders.empty() || std::ranges::binary_search(holders, ranks[i]))) continue;
    const std::string place = site_text(lattice::site_of_rank(i, processes));
    if (exists) {
      refuse(
          fmt::format("ranks: rank {}, at place {} of process grid {}, passes holds_sites = false; name another rank",
                      ranks[i], place, to_string(processes)));
    }
    refuse(fmt::format("ranks: rank {}, at place {} of process grid {}, does not exist; the ranks are 0 to {}",
                       ranks[i], place, to_string(processes), size - 1));
  }
}

// `ranks`: at the places of the process grid, or empty; `holders`: empty if all ranks may hold sites.
std::shared_ptr<const lattice::Decomposition> decompose(int size, std::vector<int> holders,
                                                        const std::vector<int>& ranks, const Extents& extents,
                                                        const GridOptions& options) {
  const bool all_hold = holders.empty();
  const auto present = all_hold ? static_cast<std::uint64_t>(size) : holders.size();
  if (!ranks.empty() && !options.rank_order.empty())
    refuse("ranks and rank_order are both given; leave one of them out");
  if (!ranks.empty() && !options.processes) refuse("ranks is given, but processes is missing; give the process grid");
  const Extents processes =
      options.processes ? *options.processes : lattice::choose_processes(extents, static_cast<std::int64_t>(present));
  // Validates the values themselves before their number is compared.
  const lattice::Decomposition plain(extents, processes, options.rank_order);
  const std::uint64_t needed = volume(processes);
  if (needed > present || (needed < present && !options.idle_ranks)) refuse_size(processes, needed, present, all_hold);
  if (!ranks.empty()) {
    if (ranks.size() != needed) {
      refuse(fmt::format("ranks has {} numbers for the {} places of process grid {}; give the rank at each place",
                         ranks.size(), needed, to_string(processes)));
    }
    require_usable(ranks, processes, size, holders);
    return std::make_shared<const lattice::Decomposition>(extents, processes, SiteOrder(), ranks);
  }
  if (all_hold) return std::make_shared<const lattice::Decomposition>(plain);
  holders.resize(needed);
  return std::make_shared<const lattice::Decomposition>(extents, processes, options.rank_order, std::move(holders));
}

}  // namespace

Communicator::Communicator() : engine_(comm::make_self()) {}

Communicator::Communicator(std::shared_ptr<comm::Comm> engine) : engine_(std::move(engine)) {
  if (!engine_)
    throw Error(Code::invalid_argument, "a communicator without engine; leave it out for this process alone");
  static_cast<void>(comm::preallocated_out_of_memory());
}

int Communicator::rank() const noexcept { return engine_->rank(); }
int Communicator::size() const noexcept { return engine_->size(); }
void Communicator::agree(const std::exception_ptr& failure) const { comm::agree_on_success(*engine_, failure); }
void Communicator::barrier() const { engine_->barrier(); }
double Communicator::max(double number) const { return comm::max_over_ranks(*engine_, number); }

Grid::Grid(const Extents& extents) : Grid(Communicator(), extents) {}

Grid::Grid(const Communicator& communicator, const Extents& extents, const GridOptions& options)
    : communicator_(communicator) {
  comm::Comm& comm = communicator.engine();
  comm::agree(
      comm, [&] { return stated(extents, options); }, [&] { require_possible_place(options); });
  std::array<std::uint64_t, 2> any{options.holds_sites ? 0U : 1U, options.coordinates ? 1U : 0U};
  comm.all_reduce(any, comm::Reduce::max);
  std::vector<int> holders, gathered;
  if (any[0] != 0) holders = find_holders(comm, options.holds_sites);
  if (any[1] != 0) gathered = gather_ranks(comm, options);
  const std::vector<int>& ranks = any[1] != 0 ? gathered : options.ranks;
  decomposition_ =
      comm::agree_alike(comm, [&] { return decompose(comm.size(), std::move(holders), ranks, extents, options); });
  local_box_ = decomposition_->box_of(comm.rank());
}

const Extents& Grid::extents() const noexcept { return decomposition_->extents(); }
const Extents& Grid::processes() const noexcept { return decomposition_->processes(); }
std::uint64_t Grid::volume() const noexcept { return decomposition_->volume(); }
const Box& Grid::local_box() const noexcept { return local_box_; }
std::uint64_t Grid::local_volume() const noexcept { return local_box_.volume(); }

}  // namespace lq
