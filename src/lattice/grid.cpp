// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Grid and Communicator. After the arguments have been compared, every rank computes the same from the same, so that
// errors are alike.
#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <limequat/error.hpp>
#include <limequat/grid.hpp>

#include "comm/agree.hpp"
#include "comm/comm.hpp"
#include "comm/error_wire.hpp"
#include "lattice/decomposition.hpp"

namespace lq {
namespace {

std::string text_of(const Extents& extents, const GridOptions& options) {
  return fmt::format("lattice {}, process grid {}, rank order {{{}}}, idle ranks {}", to_string(extents),
                     options.processes ? to_string(*options.processes) : "chosen", fmt::join(options.rank_order, ","),
                     options.idle_ranks ? "allowed" : "not allowed");
}

// Collective. The ranks that hold sites, ascending; empty when all do.
std::vector<int> find_holders(comm::Comm& comm, bool holds_sites) {
  std::array<std::uint64_t, 1> any_idle{holds_sites ? 0U : 1U};
  comm.all_reduce(any_idle, comm::Reduce::max);
  if (any_idle[0] == 0) return {};
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
      throw Error(Code::invalid_argument,
                  fmt::format("none of the {} ranks holds sites; at least one must pass holds_sites = true", size));
    }
    return holders;
  });
}

[[noreturn]] void refuse_size(const Extents& processes, std::uint64_t needed, std::uint64_t present, bool all_hold) {
  ErrorFacts facts;
  facts.expected = fmt::format("{} ranks", needed);
  facts.found = fmt::format("{} ranks", present);
  const std::string remedy = needed > present
                                 ? fmt::format("start {} ranks, or leave the process grid to be chosen", needed)
                                 : "use all ranks, or set idle_ranks to leave the others without sites";
  throw Error(Code::invalid_argument,
              fmt::format("process grid {} needs {}, {} {}; {}", to_string(processes), facts.expected,
                          all_hold ? "the communicator has" : "the ranks that hold sites are", present, remedy),
              facts);
}

std::shared_ptr<const lattice::Decomposition> decompose(int ranks, std::vector<int> holders, const Extents& extents,
                                                        const GridOptions& options) {
  const bool all_hold = holders.empty();
  const auto present = all_hold ? static_cast<std::uint64_t>(ranks) : holders.size();
  const Extents processes =
      options.processes ? *options.processes : lattice::choose_processes(extents, static_cast<std::int64_t>(present));
  // Judges the values themselves before their number is compared.
  const lattice::Decomposition plain(extents, processes, options.rank_order);
  const std::uint64_t needed = volume(processes);
  if (needed > present || (needed < present && !options.idle_ranks)) refuse_size(processes, needed, present, all_hold);
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
  comm::require_same(comm, [&] { return std::vector<comm::Stated>{{"the grid", text_of(extents, options)}}; });
  std::vector<int> holders = find_holders(comm, options.holds_sites);
  decomposition_ =
      comm::agree_alike(comm, [&] { return decompose(comm.size(), std::move(holders), extents, options); });
  local_box_ = decomposition_->box_of(comm.rank());
}

const Extents& Grid::extents() const noexcept { return decomposition_->extents(); }
const Extents& Grid::processes() const noexcept { return decomposition_->processes(); }
std::uint64_t Grid::volume() const noexcept { return decomposition_->volume(); }
const Box& Grid::local_box() const noexcept { return local_box_; }
std::uint64_t Grid::local_volume() const noexcept { return local_box_.volume(); }

}  // namespace lq
