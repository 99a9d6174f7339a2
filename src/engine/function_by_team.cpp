// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Any free thread reads the next batch and converts it to memory form, in one of a ring of blocks. The calling thread
// passes the batches to the function in the order of the file; if none is ready, it reads one itself.
#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "base/backoff.hpp"
#include "comm/team.hpp"
#include "engine/direct.hpp"
#include "engine/own_rows.hpp"
#include "engine/site_batches.hpp"

namespace lq::engine {
namespace {

// Calling a function takes about a quarter of the time of reading and converting: more threads would wait for it.
constexpr int max_workers = 5;
constexpr std::uint64_t blocks_per_worker = 2;  // half of the requested size, to stay in a core's cache

// A single thread passes a block on before it reads the next one.
std::size_t number_of_blocks(int threads) {
  return threads == 1 ? 1 : static_cast<std::size_t>(threads) * blocks_per_worker;
}

class ToFunction final : public StepwiseTransfer {
 public:
  ToFunction(base::ByteSource& file, const Payload& payload, const lattice::RowPlan& rows, const MutableField& field,
             const BlockOptions& options, TransferStats& stats)
      : stats_(stats),
        all_sites_(rows.wanted.volume()),
        team_size_(std::min(options.threads, max_workers)),
        slots_(number_of_blocks(team_size_)),
        batches_(rows_by_lane(field.memory, payload, rows, max_sites(options, payload)), max_sites(options, payload), 0,
                 block_order(payload, rows.wanted)),
        team_(team_size_) {
    for (Slot& slot : slots_) slot.make_room(options.block_bytes / blocks_per_worker, payload.site_bytes());
    for (int i = 0; i < team_.size(); ++i) {
      workers_.push_back(std::make_unique<WorkerState>(field, payload, rows, file, stats));
    }
  }
  ~ToFunction() override { cancel(); }

  std::uint64_t memory_bytes() const noexcept override { return slots_.size() * slots_.front().block->bytes(); }

 private:
  struct Slot {
    void make_room(std::uint64_t block_bytes, std::uint64_t site_bytes) {
      block.emplace(block_bytes, site_bytes);
      batch.pieces.reserve(static_cast<std::size_t>(std::min<std::uint64_t>(block->max_sites(), most_pieces)));
    }
    base::MutableBytes bytes() { return block->first_sites(batch.sites); }

    std::optional<Block> block;
    SiteBatch batch;
    std::exception_ptr failure;
    std::atomic<bool> is_ready{false};  // to be passed to the function
  };
  // The state of one thread.
  struct WorkerState {
    WorkerState(const MutableField& field, const Payload& payload, const lattice::RowPlan& rows, base::ByteSource& file,
                const TransferStats& of_all)
        : stats(of_all.empty(payload)), way(field, payload, rows, file, stats) {}
    TransferStats stats;
    RowsIn way;
  };

  static std::uint64_t max_sites(const BlockOptions& options, const Payload& payload) {
    return std::max<std::uint64_t>(options.block_bytes / blocks_per_worker / payload.site_bytes(), 1);
  }

  Progress take_step() override {
    if (!is_begun_) team_.begin(help_);
    is_begun_ = true;
    if (is_cancelled()) return finish();
    if (give()) return Progress::moved;
    Slot* const slot = take_next();
    if (slot != nullptr) prepare(*workers_.front(), *slot);
    if (slot != nullptr) return Progress::moved;
    return given_.load(std::memory_order_relaxed) < end_ ? Progress::waiting : finish();
  }
  Passed passed() noexcept override { return {given_sites_, all_sites_}; }

  Progress finish() {
    team_.finish();
    for (const auto& worker : workers_) stats_.add(worker->stats);
    return Progress::finished;
  }

  // Passes on the next batch, if it is ready.
  bool give() {
    const std::uint64_t number = given_.load(std::memory_order_relaxed);
    Slot& slot = slots_[number % slots_.size()];
    if (!slot.is_ready.load(std::memory_order_acquire)) return false;
    if (slot.failure) std::rethrow_exception(slot.failure);
    workers_.front()->way.give(slot.batch, slot.bytes());
    given_sites_ += slot.batch.sites;
    slot.is_ready.store(false, std::memory_order_relaxed);
    given_.store(number + 1, std::memory_order_release);
    return true;
  }

  // A slot for the next batch; nullptr: all blocks are in use, or no batch is left.
  Slot* take_next() {
    const std::lock_guard lock(mutex_);
    if (taken_ == end_ || taken_ - given_.load(std::memory_order_acquire) == slots_.size()) return nullptr;
    Slot& slot = slots_[taken_ % slots_.size()];
    if (!batches_.next(slot.batch)) {
      end_.store(taken_.load());
      return nullptr;
    }
    ++taken_;
    return &slot;
  }

  void prepare(WorkerState& worker, Slot& slot) noexcept {
    try {
      worker.way.read({&slot.batch, 1}, slot.bytes());
      worker.way.turn(slot.batch, slot.bytes());
    } catch (...) {
      slot.failure = std::current_exception();
    }
    slot.is_ready.store(true, std::memory_order_release);
  }

  struct Help {
    ToFunction& all;
    void operator()(int thread) const {
      base::Backoff backoff(base::Backoff::Who::helper);
      while (!all.is_cancelled() && all.taken_.load(std::memory_order_relaxed) != all.end_) {
        if (Slot* const slot = all.take_next(); slot != nullptr) {
          all.prepare(*all.workers_[static_cast<std::size_t>(thread)], *slot);
          backoff.reset();
        } else {
          backoff.wait();
        }
      }
    }
  };

  TransferStats& stats_;
  std::uint64_t all_sites_, given_sites_ = 0;
  int team_size_;
  std::vector<Slot> slots_;
  std::mutex mutex_;  // guards batches_
  SiteBatches batches_;
  std::atomic<std::uint64_t> taken_{0}, given_{0};  // batches
  std::atomic<std::uint64_t> end_{~std::uint64_t{0}};
  std::vector<std::unique_ptr<WorkerState>> workers_;
  bool is_begun_ = false;
  const Help help_{*this};
  comm::Team team_;  // uses the other members
};

}  // namespace

std::unique_ptr<StepwiseTransfer> move_in_to_function(base::ByteSource& file, const Payload& payload,
                                                      const lattice::RowPlan& rows, const MutableField& field,
                                                      const BlockOptions& options, TransferStats& stats) {
  return std::make_unique<ToFunction>(file, payload, rows, field, options, stats);
}

}  // namespace lq::engine
