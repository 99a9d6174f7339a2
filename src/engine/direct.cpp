// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/direct.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <mutex>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "comm/node.hpp"
#include "comm/team.hpp"
#include "engine/own_rows.hpp"
#include "engine/site_batches.hpp"
#include "lattice/layout_rows.hpp"

namespace lq::engine {
namespace {

// Two blocks alternate: one is with the storage, the other with the packer. More than these two threads cannot work
// together if the file or the user's functions allow only one.
class DoubleBuffer {
 public:
  DoubleBuffer(const BlockOptions& options, std::uint64_t site_bytes)
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

class MoveOut final : public StepwiseTransfer {
 public:
  MoveOut(const Field& field, const Payload& payload, const lattice::RowPlan& rows, storage::File& file,
          const BlockOptions& options, TransferStats& stats)
      : rows_(field, payload, rows, file, stats),
        sites_{0, rows.wanted.volume()},
        buffers_(options, payload.site_bytes()),
        batches_(rows_by_lane(field.memory, payload, rows, buffers_.max_sites()), buffers_.max_sites(), 0,
                 block_order(payload, rows.wanted)) {
    for (auto& room : rooms_) room.resize(batches_.sequences());
  }

  std::uint64_t memory_bytes() const noexcept override { return buffers_.bytes(); }

 private:
  Progress take_step() override {
    std::span<const SiteBatch> batches;
    if (!is_cancelled()) batches = batches_.next(rooms_[static_cast<std::size_t>(turn_)]);
    if (batches.empty()) {
      buffers_.storage().finish();
      return Progress::finished;
    }
    const base::MutableBytes bytes = buffers_.block(turn_).first_sites(sites_of(batches));
    turn_ ^= 1;
    rows_.pack(batches, bytes);
    buffers_.storage().begin([this, bytes, batches] { rows_.write(batches, bytes); });
    sites_.done += sites_of(batches);
    return Progress::moved;
  }
  Passed passed() noexcept override { return sites_; }

  RowsOut rows_;
  Passed sites_;
  int turn_ = 0;
  std::array<std::vector<SiteBatch>, 2> rooms_;
  DoubleBuffer buffers_;  // its thread uses the other members
  SiteBatches batches_;
};

class MoveIn final : public StepwiseTransfer {
 public:
  MoveIn(base::ByteSource& file, const Payload& payload, const lattice::RowPlan& rows, const MutableField& field,
         const BlockOptions& options, TransferStats& stats)
      : rows_(field, payload, rows, file, stats),
        sites_{0, rows.wanted.volume()},
        buffers_(options, payload.site_bytes()),
        batches_(rows_by_lane(field.memory, payload, rows, buffers_.max_sites()), buffers_.max_sites(), 0,
                 block_order(payload, rows.wanted)) {
    for (Fetched* fetched : {&fetched_, &current_}) fetched->room.resize(batches_.sequences());
  }

  std::uint64_t memory_bytes() const noexcept override { return buffers_.bytes(); }

 private:
  Progress take_step() override {
    if (is_cancelled()) return Progress::finished;
    if (fetched_.batches.empty()) fetch(fetched_);
    if (fetched_.batches.empty()) {
      rows_.finish();
      return Progress::finished;
    }
    buffers_.storage().finish();
    std::swap(fetched_, current_);
    fetched_.batches = {};
    if (buffers_.storage().has_thread()) fetch(fetched_);
    rows_.take(current_.batches, current_.target);
    sites_.done += sites_of(current_.batches);
    return Progress::moved;
  }
  Passed passed() noexcept override { return sites_; }

  struct Fetched {
    std::vector<SiteBatch> room = {};
    std::span<const SiteBatch> batches = {};
    RowsIn::Target target = {};
  };

  // Reads the next batches.
  void fetch(Fetched& next) {
    next.batches = batches_.next(next.room);
    if (next.batches.empty()) return;
    next.target = rows_.target_of(next.batches, buffers_.block(turn_));
    turn_ ^= 1;
    buffers_.storage().begin([this, bytes = next.target.bytes, batches = next.batches] { rows_.read(batches, bytes); });
  }

  RowsIn rows_;
  Passed sites_;
  int turn_ = 0;
  Fetched fetched_, current_;
  DoubleBuffer buffers_;  // its thread uses the other members
  SiteBatches batches_;
};

class MoveBy final : public StepwiseTransfer {
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

BlockOptions block_options(const Payload& payload, std::uint64_t block_bytes, int threads, std::uint64_t memory_bytes,
                           bool file_is_thread_safe) {
  const bool has_tiles = file_is_thread_safe && !payload.encoding.empty() && payload.block.size() == 0;
  BlockOptions options{.file_is_thread_safe = file_is_thread_safe};
  if (block_bytes > 0) options.block_bytes = block_bytes;
  const std::uint64_t tile_bytes = payload.tile_sites * payload.site_bytes();
  options.threads = comm::within(threads, memory_bytes, has_tiles ? tile_bytes : options.block_bytes);
  if (!has_tiles || options.threads == 1) return options;
  options.tile_sites = payload.tile_sites;
  options.block_bytes = tile_bytes;
  return options;
}

std::unique_ptr<StepwiseTransfer> move_nothing() { return move_by({}); }

std::unique_ptr<StepwiseTransfer> move_by(std::function<void()> work) {
  return std::make_unique<MoveBy>(std::move(work));
}

std::unique_ptr<StepwiseTransfer> move_out(const Field& field, const Payload& payload, const lattice::RowPlan& rows,
                                           storage::File& file, const BlockOptions& options, TransferStats& stats) {
  if (options.threads > 1 && options.file_is_thread_safe && !lattice::has_function(field)) {
    return move_out_by_team(field, payload, rows, file, options, stats);
  }
  return std::make_unique<MoveOut>(field, payload, rows, file, options, stats);
}

std::unique_ptr<StepwiseTransfer> move_in(base::ByteSource& file, const Payload& payload, const lattice::RowPlan& rows,
                                          const MutableField& field, const BlockOptions& options,
                                          TransferStats& stats) {
  // A single thread also forms a team, which others may help; but then each would decode a tile that is encoded.
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

// Each thread takes the next batch and does all its work, in its own block. No thread waits for another before the
// end, when their statistics are merged. A thread that waits for the end may also take part.

namespace {

// `Way` is RowsOut or RowsIn.
template <class Way>
class ByTeam final : public StepwiseTransfer {
 public:
  ByTeam(const typename Way::Memory& field, const Payload& payload, const lattice::RowPlan& rows,
         typename Way::File& file, const BlockOptions& options, TransferStats& stats)
      : field_(field),
        payload_(payload),
        row_plan_(rows),
        file_(file),
        block_bytes_(options.block_bytes),
        stats_(stats),
        all_sites_(rows.wanted.volume()),
        workers_(make_workers(options.threads)),
        batches_(rows_by_lane(field.memory, payload, rows, workers_.front()->block.max_sites()),
                 workers_.front()->block.max_sites(), options.tile_sites, block_order(payload, rows.wanted)),
        team_(static_cast<int>(workers_.size())) {
    for (const auto& worker : workers_) worker->make_room(batches_.sequences());
  }
  ~ByTeam() override { cancel(); }

  std::uint64_t memory_bytes() const noexcept override { return workers_.size() * workers_.front()->block.bytes(); }

  void fetch_ahead() noexcept override {
    if constexpr (std::is_same_v<Way, RowsIn>) {
      try {
        announce_next();
      } catch (...) {
        // There is no memory for the hint: the bytes are loaded when they are read.
      }
    }
  }

  void help() noexcept override {
    const std::lock_guard lock(helping_);
    if (is_closed_ || is_cancelled() || sites_.load(std::memory_order_relaxed) == all_sites_) return;
    try {
      if (!helper_) helper_ = make_worker();
      helper_->make_room(batches_.sequences());
    } catch (...) {
      return;  // no memory for a second block
    }
    while (advance(*helper_)) {
    }
  }

 private:
  Progress take_step() override {
    if (!is_begun_) team_.begin(help_);
    is_begun_ = true;
    if (advance(*workers_.front())) return Progress::moved;
    team_.finish();
    const std::lock_guard lock(helping_);
    is_closed_ = true;
    merge_workers();
    return Progress::finished;
  }

  Passed passed() noexcept override { return {sites_.load(std::memory_order_relaxed), all_sites_}; }

  // The state of one thread.
  struct WorkerState {
    WorkerState(const typename Way::Memory& field, const Payload& payload, const lattice::RowPlan& rows,
                typename Way::File& file, std::uint64_t block_bytes, const TransferStats& of_all)
        : stats(of_all.empty(payload)),
          way(field, payload, rows, file, stats),
          block(block_bytes, payload.site_bytes()) {}
    void make_room(std::size_t turns) {
      const auto pieces = static_cast<std::size_t>(std::min<std::uint64_t>(block.max_sites(), most_pieces));
      batches.resize(turns);
      for (SiteBatch& batch : batches) batch.pieces.reserve(pieces);
    }

    TransferStats stats;
    Way way;
    Block block;
    std::vector<SiteBatch> batches;  // at once
    std::uint64_t failed_at = 0;     // first file site of the batches that failed
    std::exception_ptr failure;
  };
  using Workers = std::vector<std::unique_ptr<WorkerState>>;

  std::unique_ptr<WorkerState> make_worker() const {
    return std::make_unique<WorkerState>(field_, payload_, row_plan_, file_, block_bytes_, stats_);
  }

  // As many as memory permits, but at least one, as without a team.
  Workers make_workers(int threads) const {
    Workers workers;
    workers.reserve(static_cast<std::size_t>(threads));
    workers.push_back(make_worker());
    try {
      while (workers.size() < static_cast<std::size_t>(threads)) workers.push_back(make_worker());
    } catch (const std::bad_alloc&) {
      // Continue with fewer.
    }
    return workers;
  }

  // False: no work is left for this thread.
  bool advance(WorkerState& worker) noexcept {
    if (is_cancelled() || has_failed_.load(std::memory_order_relaxed)) return false;
    try {
      const std::span<const SiteBatch> batches = take_next(worker.batches);
      if (batches.empty()) worker.way.finish();
      if (batches.empty()) return false;
      worker.failed_at = batches.front().file_site;
      worker.way.move(batches, worker.block);
    } catch (...) {
      worker.failure = std::current_exception();
      has_failed_.store(true, std::memory_order_relaxed);
    }
    return !worker.failure;
  }

  std::span<const SiteBatch> take_next(std::span<SiteBatch> room) {
    const std::lock_guard lock(mutex_);
    const std::span<const SiteBatch> batches = batches_.next(room);
    sites_.fetch_add(sites_of(batches), std::memory_order_relaxed);
    return batches;
  }

  // Batches after a failure may have been moved; those before it were. The lowest failure is therefore the one that a
  // single thread would have met.
  void merge_workers() {
    const WorkerState* lowest = nullptr;
    const auto add = [&](WorkerState& worker) {
      stats_.add(worker.stats);
      if (worker.failure && (lowest == nullptr || worker.failed_at <= lowest->failed_at)) lowest = &worker;
    };
    for (const auto& worker : workers_) add(*worker);
    if (helper_) add(*helper_);
    if (lowest != nullptr) std::rethrow_exception(lowest->failure);
  }

  // Contiguous batches are passed as one hint. For short rows the kernel's own readahead is cheaper.
  void announce_next() {
    SiteBatches coming = [&] {
      const std::lock_guard lock(mutex_);
      return batches_;
    }();
    std::vector<SiteBatch> some(coming.sequences());
    Way& way = workers_.front()->way;
    std::uint64_t first = 0, end = 0, announced = 0;
    const auto announce = [&] {
      if ((end - first) * payload_.site_bytes() < least_ahead) return false;
      way.fetch_ahead(first, end - first);
      announced += end - first;
      return announced * payload_.site_bytes() < most_ahead;
    };
    for (auto next = coming.next(some); !next.empty(); next = coming.next(some)) {
      for (const SiteBatch& batch : next) {
        if (batch.file_site != end && end > first && !announce()) return;
        if (batch.file_site != end) first = batch.file_site;
        end = batch.file_site + batch.sites;
        if ((end - first + announced) * payload_.site_bytes() >= most_ahead) {
          announce();
          return;
        }
      }
    }
    announce();
  }

  struct Help {
    ByTeam& all;
    void operator()(int thread) const {
      while (all.advance(*all.workers_[static_cast<std::size_t>(thread)])) {
      }
    }
  };

  static constexpr std::uint64_t most_ahead = 64 * 1024 * 1024;  // bytes of hints
  static constexpr std::uint64_t least_ahead = 64 * 1024;        // minimum length of a batch for a hint

  const typename Way::Memory& field_;
  const Payload& payload_;
  const lattice::RowPlan& row_plan_;
  typename Way::File& file_;
  std::uint64_t block_bytes_;
  TransferStats& stats_;
  std::uint64_t all_sites_;
  std::atomic<std::uint64_t> sites_{0};  // taken by a thread
  Workers workers_;
  SiteBatches batches_;
  std::mutex mutex_;  // guards batches_
  std::atomic<bool> has_failed_{false};
  bool is_begun_ = false;
  std::mutex helping_;  // guards the following members
  std::unique_ptr<WorkerState> helper_;
  bool is_closed_ = false;
  const Help help_{*this};
  comm::Team team_;  // uses the other members
};

}  // namespace

std::unique_ptr<StepwiseTransfer> move_out_by_team(const Field& field, const Payload& payload,
                                                   const lattice::RowPlan& rows, storage::File& file,
                                                   const BlockOptions& options, TransferStats& stats) {
  return std::make_unique<ByTeam<RowsOut>>(field, payload, rows, file, options, stats);
}

std::unique_ptr<StepwiseTransfer> move_in_by_team(base::ByteSource& file, const Payload& payload,
                                                  const lattice::RowPlan& rows, const MutableField& field,
                                                  const BlockOptions& options, TransferStats& stats) {
  return std::make_unique<ByTeam<RowsIn>>(field, payload, rows, file, options, stats);
}

}  // namespace lq::engine
