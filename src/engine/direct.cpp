// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/direct.hpp"

#include <array>
#include <span>
#include <utility>
#include <vector>

#include "comm/background_task.hpp"
#include "comm/thread_count.hpp"
#include "engine/direct_by_team.hpp"
#include "engine/own_rows.hpp"
#include "engine/row_order.hpp"
#include "lattice/layout_rows.hpp"

namespace lq::engine {
namespace {

// Blocks take turns: one is with the storage, the other with the packer. More than these two threads cannot work
// together where the file bears one; nor do they where the packer waits for functions of the caller's.
class DoubleBuffer {
 public:
  DoubleBuffer(const PumpOptions& options, std::uint64_t site_bytes)
      : blocks_{Block(options.block_bytes, site_bytes),
                Block(options.threads > 1 ? options.block_bytes : 0, site_bytes)},
        background_(options.threads > 1) {}

  comm::BackgroundTask& storage() noexcept { return background_; }
  Block& block(int turn) noexcept { return blocks_[background_.has_thread() ? static_cast<std::size_t>(turn) : 0]; }
  std::uint64_t max_sites() const noexcept { return blocks_[0].max_sites(); }
  std::uint64_t bytes() const noexcept { return blocks_[0].bytes() + blocks_[1].bytes(); }

 private:
  std::array<Block, 2> blocks_;
  comm::BackgroundTask background_;
};

class MoveOut final : public Movement {
 public:
  MoveOut(const Field& field, const Payload& payload, const lattice::RowPlan& rows, storage::File& file,
          const PumpOptions& options, TransferStats& stats)
      : rows_(field, payload, rows, file, stats),
        sites_{0, rows.wanted.volume()},
        buffers_(options, payload.site_bytes()),
        stretches_(rows_by_lane(field.memory, payload, rows, buffers_.max_sites()), buffers_.max_sites(), 0,
                   block_order(payload, rows.wanted)) {
    for (auto& room : rooms_) room.resize(stretches_.sequences());
  }

  std::uint64_t memory_bytes() const noexcept override { return buffers_.bytes(); }

 private:
  Progress take_step() override {
    std::span<const Stretch> stretches;
    if (!is_cancelled()) stretches = stretches_.next(rooms_[static_cast<std::size_t>(turn_)]);
    if (stretches.empty()) {
      buffers_.storage().finish();
      return Progress::finished;
    }
    const base::MutableBytes bytes = buffers_.block(turn_).first_sites(sites_of(stretches));
    turn_ ^= 1;
    rows_.pack(stretches, bytes);
    buffers_.storage().begin([this, bytes, stretches] { rows_.write(stretches, bytes); });
    sites_.done += sites_of(stretches);
    return Progress::moved;
  }
  Passed passed() noexcept override { return sites_; }

  RowsOut rows_;
  Passed sites_;
  int turn_ = 0;
  std::array<std::vector<Stretch>, 2> rooms_;
  DoubleBuffer buffers_;  // its thread uses the others
  Stretches stretches_;
};

class MoveIn final : public Movement {
 public:
  MoveIn(base::ByteSource& file, const Payload& payload, const lattice::RowPlan& rows, const MutableField& field,
         const PumpOptions& options, TransferStats& stats)
      : rows_(field, payload, rows, file, stats),
        sites_{0, rows.wanted.volume()},
        buffers_(options, payload.site_bytes()),
        stretches_(rows_by_lane(field.memory, payload, rows, buffers_.max_sites()), buffers_.max_sites(), 0,
                   block_order(payload, rows.wanted)) {
    for (Fetched* fetched : {&fetched_, &current_}) fetched->room.resize(stretches_.sequences());
  }

  std::uint64_t memory_bytes() const noexcept override { return buffers_.bytes(); }

 private:
  Progress take_step() override {
    if (is_cancelled()) return Progress::finished;
    if (fetched_.stretches.empty()) fetch(fetched_);
    if (fetched_.stretches.empty()) {
      rows_.finish();
      return Progress::finished;
    }
    buffers_.storage().finish();
    std::swap(fetched_, current_);
    fetched_.stretches = {};
    if (buffers_.storage().has_thread()) fetch(fetched_);
    rows_.take(current_.stretches, current_.target);
    sites_.done += sites_of(current_.stretches);
    return Progress::moved;
  }
  Passed passed() noexcept override { return sites_; }

  struct Fetched {
    std::vector<Stretch> room = {};
    std::span<const Stretch> stretches = {};
    RowsIn::Target target = {};
  };

  // Has the next stretches read.
  void fetch(Fetched& next) {
    next.stretches = stretches_.next(next.room);
    if (next.stretches.empty()) return;
    next.target = rows_.target_of(next.stretches, buffers_.block(turn_));
    turn_ ^= 1;
    buffers_.storage().begin(
        [this, bytes = next.target.bytes, stretches = next.stretches] { rows_.read(stretches, bytes); });
  }

  RowsIn rows_;
  Passed sites_;
  int turn_ = 0;
  Fetched fetched_, current_;
  DoubleBuffer buffers_;  // its thread uses the others
  Stretches stretches_;
};

class MoveBy final : public Movement {
 public:
  explicit MoveBy(std::function<void()> work) : work_(std::move(work)) {}
  std::uint64_t memory_bytes() const noexcept override { return 0; }

 private:
  Progress take_step() override {
    if (work_ && !is_cancelled()) work_();
    return Progress::finished;
  }

  std::function<void()> work_;
};

}  // namespace

PumpOptions pump_options(const Payload& payload, std::uint64_t block_bytes, int threads, std::uint64_t memory_bytes,
                         bool file_is_thread_safe) {
  const bool has_tiles = file_is_thread_safe && !payload.encoding.empty() && payload.block.size() == 0;
  PumpOptions options{.file_is_thread_safe = file_is_thread_safe};
  if (block_bytes > 0) options.block_bytes = block_bytes;
  const std::uint64_t tile_bytes = payload.tile_sites * payload.site_bytes();
  options.threads = comm::within(threads, memory_bytes, has_tiles ? tile_bytes : options.block_bytes);
  if (!has_tiles || options.threads == 1) return options;
  options.tile_sites = payload.tile_sites;
  options.block_bytes = tile_bytes;
  return options;
}

std::unique_ptr<Movement> move_nothing() { return move_by({}); }

std::unique_ptr<Movement> move_by(std::function<void()> work) { return std::make_unique<MoveBy>(std::move(work)); }

std::unique_ptr<Movement> move_out(const Field& field, const Payload& payload, const lattice::RowPlan& rows,
                                   storage::File& file, const PumpOptions& options, TransferStats& stats) {
  if (options.threads > 1 && options.file_is_thread_safe && !lattice::has_function(field)) {
    return move_out_by_team(field, payload, rows, file, options, stats);
  }
  return std::make_unique<MoveOut>(field, payload, rows, file, options, stats);
}

std::unique_ptr<Movement> move_in(base::ByteSource& file, const Payload& payload, const lattice::RowPlan& rows,
                                  const MutableField& field, const PumpOptions& options, TransferStats& stats) {
  // A thread alone is a team, too, which others may help; but a tile that is encoded would be decoded by each.
  if ((options.threads > 1 || payload.encoding.empty()) && options.file_is_thread_safe &&
      !lattice::has_function(field)) {
    return move_in_by_team(file, payload, rows, field, options, stats);
  }
  if ((options.threads == 1 || options.file_is_thread_safe) && lattice::has_function(field) &&
      payload.encoding.empty() && SitePacker(payload, field.spec.precision, stats.sums).lies_as_in_file()) {
    return move_in_to_function(file, payload, rows, field, options, stats);
  }
  return std::make_unique<MoveIn>(file, payload, rows, field, options, stats);
}

}  // namespace lq::engine
