// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Moves the sites of one field between the memory of a grid's ranks and an open file: chooses the strategy and
// the ranks that touch the file, runs the transfer, and collects the sums. Everything that moves sites uses one
// of these: writing, reading, sites in files of the caller's, Lemon.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <limequat/grid.hpp>
#include <limequat/machine.hpp>
#include <limequat/options.hpp>
#include <limequat/report.hpp>

#include "base/clock.hpp"
#include "base/function_ref.hpp"
#include "comm/comm.hpp"
#include "engine/choose.hpp"
#include "engine/direct.hpp"
#include "engine/exchange.hpp"
#include "engine/sequence.hpp"
#include "engine/shares.hpp"
#include "storage/owners.hpp"
#include "storage/transport.hpp"

namespace lq::io {

// The cost of a file system call that the profile does not know. On a network it is a thousand times that on
// a local disk, and only a trial can determine it.

struct CallCost {
  double seconds = 0;  // per call, in addition to its bytes
  double rate = 0;     // bytes per second of large pieces, one rank
};

// Local. Writes pieces of 4 KiB and 1 MiB to a temporary file next to `path` for 50 ms, and removes it;
// empty if that fails or gives no result.
std::optional<CallCost> measure_calls(storage::Transport& transport, const std::string& path);

// Facts about the place of a new file.
struct MountFacts {
  std::string_view file_system;  // its name
  bool is_shared = false;        // several nodes see it
  std::uint64_t device = 0;      // of the mount
};

// Local. Puts the cost of calls there into `machine`, if the file system is a shared one and differs from that of
// the profile. It is measured once per process and mount.
void take_measured_calls(Machine& machine, storage::Transport& transport, const std::string& path,
                         const MountFacts& mount);

// The request; the same on all ranks.
struct SitePlan {
  std::string path;  // for errors
  Payload payload;
  Box region;  // sites to move, in coordinates of the file's lattice; as large as the grid's lattice
  storage::StorageTraits unit = {};           // as this rank sees it
  std::uint64_t client = 0;                   // NewFile::client
  storage::Transport* new_file_in = nullptr;  // where the cost of a call may be measured; nullptr: nowhere
  std::vector<SumName> sums = {};             // to compute
  bool watches_numbers = false;
  const format::TileCodec* tile_codec = nullptr;  // of the payload's encoding
  RouteOptions route = {};
  std::uint64_t block_bytes = 0;  // moved at a time by a rank that moves its own rows; 0: a suitable number
  Progress progress = {};
};

// Local. The bytes that a rank with its own rows writes in one call: `asked`, or if that is 0, a suitable number for
// which each thread has `memory_bytes` of memory.
std::uint64_t block_to_write(std::uint64_t asked, const storage::StorageTraits& unit, int threads,
                             std::uint64_t memory_bytes);

class SiteTransfer {
 public:
  // Local. The resolved field is borrowed until the sites have passed.
  SiteTransfer(const Grid& grid, SitePlan plan, const Field& from);
  SiteTransfer(const Grid& grid, SitePlan plan, const MutableField& to);
  SiteTransfer(const SiteTransfer&) = delete;
  SiteTransfer& operator=(const SiteTransfer&) = delete;

  // The ranks' facts about their parts, in the agreement in which they are made: the maximum of each counts.
  class Facts {
   public:
    std::span<comm::Term> terms() noexcept { return terms_; }

   private:
    friend SiteTransfer;
    storage::CombinedTraits::Terms seen() noexcept {
      return std::span(terms_).subspan<1, storage::CombinedTraits::terms>();
    }
    comm::Term& unreadable() noexcept { return terms_[1 + storage::CombinedTraits::terms]; }
    comm::Term& divided_tiles() noexcept { return terms_[2 + storage::CombinedTraits::terms]; }
    std::array<comm::Term, 3 + storage::CombinedTraits::terms> terms_{};
  };
  // Local.
  void tell(Facts& facts) const;
  // Collective. Decides how the sites travel. `facts`: of all ranks.
  void choose_route(Facts& facts);
  // Collective. The same, if they were not exchanged; the following values are known afterwards.
  void choose_route();
  // Valid when start() opens the files.
  bool touches_file() const noexcept { return touches_file_; }  // this rank
  Strategy strategy() const noexcept { return strategy_; }
  // The same on all ranks. Several of them write through incoherent caches: the size of the file is
  // set before they open it, and every writer syncs.
  bool has_incoherent_caches() const noexcept { return has_incoherent_caches_; }
  const engine::Shares* shares() const noexcept { return shares_.get(); }  // nullptr: direct
  const Payload& payload() const noexcept { return plan_.payload; }

  // Collective. Creates the transfer. `open` returns the files of the field, by Payload::file and Tile::file, open on
  // ranks that touch them; they must outlive the transfer. `since`: when this rank began with them.
  using Open = base::FunctionRef<std::vector<storage::File*>()>;
  void start(const Open& open, const base::Stopwatch& since);
  // Collective. The same for one file, or nullptr.
  void start(storage::File* file);
  engine::StepwiseTransfer& steps() noexcept { return *steps_; }
  // Collective. After the sites have passed, or failed to on this rank: all ranks throw, or all have the sums of all
  // sites and the positions of all tiles.
  void finish(const std::exception_ptr& failure);
  // Collective. All steps, and finish().
  void run() { finish(engine::outcome_of(*steps_)); }
  // Only the steps, for callers with their own agreement: throws this rank's error.
  void move();

  const engine::TransferStats& stats() const noexcept { return stats_; }
  // After finish(). Needs no memory, unlike a copy.
  engine::TransferStats take_stats() noexcept { return std::move(stats_); }
  const std::vector<Tile>& tiles() const noexcept { return tiles_; }
  // Local. Lattice, strategy, bytes, sums, zeros and the seconds of its own steps.
  void describe(Report& report) const;

  // Collective. The next field of the same form, at another place in the file and in memory; then start().
  void repeat(std::uint64_t offset, const Field& from);
  void repeat(std::uint64_t offset, const MutableField& to);

 private:
  struct Decision;
  // Local. The root's choice for all; `around`: facts about the other ranks, or nullptr.
  Decision decide(Facts& facts, const engine::TransferContext* around);
  engine::TransferContext detect_context(Facts& facts) const;
  bool writes() const noexcept { return std::holds_alternative<Field>(field_); }
  Field memory() const;
  engine::Transfer transfer() const { return {plan_.payload, plan_.region, &grid_.decomposition(), writes()}; }
  void set_rows();
  void share(const engine::ShareOptions& options);
  void move_to(std::uint64_t offset);
  std::unique_ptr<engine::StepwiseTransfer> make_steps(std::unique_ptr<engine::Paths> paths,
                                                       const engine::BlockOptions& options);

  Grid grid_;
  SitePlan plan_;
  std::variant<Field, MutableField> field_;
  Strategy strategy_ = Strategy::direct;
  std::string warning_;  // about the choice; empty: none
  std::uint64_t call_bytes_ = 0;
  bool has_incoherent_caches_ = false;
  lattice::RowPlan rows_;               // of this rank
  engine::ShareOptions share_options_;  // not with direct
  std::shared_ptr<const engine::Shares> shares_;
  bool touches_file_ = false;
  engine::TransferStats stats_;
  std::optional<engine::Sequence> sequence_;         // the transfer's view
  std::unique_ptr<engine::StepwiseTransfer> steps_;  // refers to the other members
  std::vector<Tile> tiles_;
};

// Which rank reads back whose data: a client's own cache could hide an error of the file.

// Collective. How far after itself each rank finds the share that it reads back, such that as many as possible
// read what another client wrote. `client`: of this rank, NewFile::client. 1 if all are one client.
std::uint64_t shift_to_other_clients(comm::Comm& comm, std::uint64_t client);

}  // namespace lq::io
