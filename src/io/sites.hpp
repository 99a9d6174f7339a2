// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The sites of one field on their way between the memory of a grid's ranks and a file that is open: which strategy,
// which ranks touch the file, the movement, and the sums of what passed. Everything that moves sites does it with one
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

// What a call of a file system costs that the profile does not know. On a network it is a thousand times what it is on
// a local disk, and nothing but a trial tells.

struct CallCost {
  double seconds = 0;  // of a call, beyond its bytes
  double rate = 0;     // bytes per second of large pieces, one rank
};

// Local. Pieces of 4 KiB and 1 MiB written to a file of its own beside `path` for 50 ms, and removed;
// nothing where that fails or tells nothing.
std::optional<CallCost> measure_calls(storage::Transport& transport, const std::string& path);

// What is known of the place of a new file.
struct MountFacts {
  std::string_view file_system;  // its name
  bool is_shared = false;        // several nodes see it
  std::uint64_t device = 0;      // of the mount
};

// Local. Puts the cost of calls there into `machine`, where the file system is a shared one and another than that of
// the profile. It is measured once in a process and for each mount.
void take_measured_calls(Machine& machine, storage::Transport& transport, const std::string& path,
                         const MountFacts& mount);

// What is asked for; the same on all ranks.
struct SitePlan {
  std::string path;  // for errors
  Payload payload;
  Box region;  // the sites that move, in coordinates of the file's lattice; as large as the grid's lattice
  storage::StorageTraits unit = {};           // as this rank sees it
  std::uint64_t client = 0;                   // NewFile::client
  storage::Transport* new_file_in = nullptr;  // where the cost of a call may be measured; nullptr: nowhere
  std::vector<SumName> sums = {};             // that are taken
  bool watches_numbers = false;
  const format::TileCodec* tile_codec = nullptr;  // of the payload's encoding
  RouteOptions route = {};
  std::uint64_t block_bytes = 0;  // that a rank moves at a time where all move their own rows; 0: as many as suit
  Progress progress = {};
};

// Local. What a rank that writes its own rows hands to a file there in one call: `asked`, or if that is 0, what suits
// and `memory_bytes` have room for in each thread.
std::uint64_t block_to_write(std::uint64_t asked, const storage::StorageTraits& unit, int threads,
                             std::uint64_t memory_bytes);

class SiteTransfer {
 public:
  // Local. The field, resolved, is borrowed until the sites have passed.
  SiteTransfer(const Grid& grid, SitePlan plan, const Field& from);
  SiteTransfer(const Grid& grid, SitePlan plan, const MutableField& to);
  SiteTransfer(const SiteTransfer&) = delete;
  SiteTransfer& operator=(const SiteTransfer&) = delete;

  // What all ranks tell of their parts in the agreement in which they make them: the most of each counts.
  class Facts {
   public:
    std::span<comm::Term> terms() noexcept { return terms_; }

   private:
    friend SiteTransfer;
    storage::SeenByAll::Terms seen() noexcept { return std::span(terms_).subspan<1, storage::SeenByAll::terms>(); }
    comm::Term& unreadable() noexcept { return terms_[1 + storage::SeenByAll::terms]; }
    comm::Term& divided_tiles() noexcept { return terms_[2 + storage::SeenByAll::terms]; }
    std::array<comm::Term, 3 + storage::SeenByAll::terms> terms_{};
  };
  // Local.
  void tell(Facts& facts) const;
  // Collective. Settles how the sites travel. `facts`: of all ranks.
  void choose_route(Facts& facts);
  // Collective. The same, where they have not been told; all that follows is known afterwards.
  void choose_route();
  // Known when start() opens the files.
  bool touches_file() const noexcept { return touches_file_; }  // this rank
  Strategy strategy() const noexcept { return strategy_; }
  // The same on all ranks. Several of them write through caches that do not know of each other: the size of the file is
  // set before they open it, and every writer syncs.
  bool has_incoherent_caches() const noexcept { return has_incoherent_caches_; }
  const engine::Shares* shares() const noexcept { return shares_.get(); }  // nullptr: direct
  const Payload& payload() const noexcept { return plan_.payload; }

  // Collective. Makes the movement. `open` returns the files of the field, by Payload::file and Tile::file, open on
  // ranks that touch them; they outlive the movement. `since`: when this rank began to make them.
  using Open = base::FunctionRef<std::vector<storage::File*>()>;
  void start(const Open& open, const base::Stopwatch& since);
  // Collective. The same for one file, or nullptr.
  void start(storage::File* file);
  engine::Movement& movement() noexcept { return *movement_; }
  // Collective. The sites have passed, or failed to on this rank: all ranks throw, or all have the sums of all sites
  // and know where all tiles lie.
  void finish(const std::exception_ptr& failure);
  // Collective. All steps, and finish().
  void run() { finish(engine::outcome_of(*movement_)); }
  // All steps and no more, for who agrees in ways of his own: throws what went wrong on this rank.
  void move();

  const engine::TransferStats& stats() const noexcept { return stats_; }
  // After finish(). Needs no memory, which copies do.
  engine::TransferStats take_stats() noexcept { return std::move(stats_); }
  const std::vector<Tile>& tiles() const noexcept { return tiles_; }
  // Local. Lattice, strategy, bytes, sums, zeros and the seconds of its own steps.
  void describe(Report& report) const;

  // Collective. The next field of the same form, elsewhere in the file and in other memory; then start().
  void repeat(std::uint64_t offset, const Field& from);
  void repeat(std::uint64_t offset, const MutableField& to);

 private:
  struct Decision;
  // Local. What the root chooses for all; `around`: what is known of the other ranks, or nullptr.
  Decision decide(Facts& facts, const engine::TransferContext* around);
  engine::TransferContext detect_context(Facts& facts) const;
  bool writes() const noexcept { return std::holds_alternative<Field>(field_); }
  Field memory() const;
  engine::Transfer transfer() const { return {plan_.payload, plan_.region, &grid_.decomposition(), writes()}; }
  void set_rows();
  void share(const engine::ShareOptions& options);
  void move_to(std::uint64_t offset);
  std::unique_ptr<engine::Movement> make_movement(std::unique_ptr<engine::Paths> paths,
                                                  const engine::PumpOptions& options);

  Grid grid_;
  SitePlan plan_;
  std::variant<Field, MutableField> field_;
  Strategy strategy_ = Strategy::direct;
  std::string warning_;  // of the choice; empty: none
  std::uint64_t call_bytes_ = 0;
  bool has_incoherent_caches_ = false;
  lattice::RowPlan rows_;               // of this rank
  engine::ShareOptions share_options_;  // not with direct
  std::shared_ptr<const engine::Shares> shares_;
  bool touches_file_ = false;
  engine::TransferStats stats_;
  std::optional<engine::Sequence> sequence_;    // what the movement sees
  std::unique_ptr<engine::Movement> movement_;  // refers to the others
  std::vector<Tile> tiles_;
};

// Who reads back what whom wrote: a client's own cache cannot vouch for the file.

// Collective. How many ranks after itself each rank finds the share that it reads back, such that as many as possible
// read what another client wrote. `client`: of this rank, NewFile::client. 1 where all are one client.
std::uint64_t shift_to_other_clients(comm::Comm& comm, std::uint64_t client);

}  // namespace lq::io
