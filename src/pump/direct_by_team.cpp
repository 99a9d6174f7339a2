// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Each thread takes the next stretch and does all that is to be done with it, in a block of its own. Nobody waits for
// another before the end, when what they saw is added up.
#include "pump/direct_by_team.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <span>
#include <vector>

#include "pump/own_rows.hpp"
#include "pump/turns.hpp"
#include "threads/team.hpp"

namespace lq::pump {
namespace {

// `Way` is RowsOut or RowsIn.
template <class Way>
class ByTeam final : public Movement {
 public:
  ByTeam(const typename Way::Memory& field, const Payload& payload, const lattice::RowPlan& rows,
         typename Way::File& file, const PumpOptions& options, Tally& tally)
      : tally_(tally),
        all_sites_(rows.wanted.volume()),
        hands_(make_hands(field, payload, rows, file, options, tally)),
        stretches_(rows_in_turn(field.memory, payload, rows, hands_.front()->block.max_sites()),
                   hands_.front()->block.max_sites(), options.tile_sites, blocks_in_turn(payload, rows.wanted)),
        team_(static_cast<int>(hands_.size())) {
    for (const auto& hand : hands_) hand->make_room(stretches_.turns());
  }
  ~ByTeam() override { cancel(); }

  std::uint64_t memory_bytes() const noexcept override { return hands_.size() * hands_.front()->block.bytes(); }

 private:
  Progress take_step() override {
    if (!is_begun_) team_.begin(help_);
    is_begun_ = true;
    if (advance(*hands_.front())) return Progress::moved;
    team_.finish();
    add_up();
    return Progress::finished;
  }

  Passed passed() noexcept override { return {sites_.load(std::memory_order_relaxed), all_sites_}; }

  // What one thread has.
  struct Hand {
    Hand(const typename Way::Memory& field, const Payload& payload, const lattice::RowPlan& rows,
         typename Way::File& file, std::uint64_t block_bytes, const Tally& of_all)
        : tally(of_all.empty(payload)),
          way(field, payload, rows, file, tally),
          block(block_bytes, payload.site_bytes()) {}
    void make_room(std::size_t turns) {
      const auto pieces = static_cast<std::size_t>(std::min<std::uint64_t>(block.max_sites(), most_pieces));
      stretches.resize(turns);
      for (Stretch& stretch : stretches) stretch.pieces.reserve(pieces);
    }

    Tally tally;
    Way way;
    Block block;
    std::vector<Stretch> stretches;  // at once
    std::uint64_t failed_at = 0;     // the file's site that those begin with in which there was a failure
    std::exception_ptr failure;
  };
  using Hands = std::vector<std::unique_ptr<Hand>>;

  // As many as there is memory for: one at least, as without a team.
  static Hands make_hands(const typename Way::Memory& field, const Payload& payload, const lattice::RowPlan& rows,
                          typename Way::File& file, const PumpOptions& options, const Tally& of_all) {
    const auto make = [&] { return std::make_unique<Hand>(field, payload, rows, file, options.block_bytes, of_all); };
    Hands hands;
    hands.reserve(static_cast<std::size_t>(options.threads));
    hands.push_back(make());
    try {
      while (hands.size() < static_cast<std::size_t>(options.threads)) hands.push_back(make());
    } catch (const std::bad_alloc&) {
      // It goes with fewer.
    }
    return hands;
  }

  // False: there is nothing left to do for this thread.
  bool advance(Hand& hand) noexcept {
    if (is_cancelled() || has_failed_.load(std::memory_order_relaxed)) return false;
    try {
      const std::span<const Stretch> stretches = take_next(hand.stretches);
      if (stretches.empty()) hand.way.finish();
      if (stretches.empty()) return false;
      hand.failed_at = stretches.front().file_site;
      hand.way.move(stretches, hand.block);
    } catch (...) {
      hand.failure = std::current_exception();
      has_failed_.store(true, std::memory_order_relaxed);
    }
    return !hand.failure;
  }

  std::span<const Stretch> take_next(std::span<Stretch> room) {
    const std::lock_guard lock(mutex_);
    const std::span<const Stretch> stretches = stretches_.next(room);
    sites_.fetch_add(sites_of(stretches), std::memory_order_relaxed);
    return stretches;
  }

  // What lies behind a failure may have been moved; what lies before it was, so that the lowest is what a single thread
  // would have met.
  void add_up() {
    const Hand* lowest = nullptr;
    for (const auto& hand : hands_) {
      tally_.add(hand->tally);
      if (!hand->failure || (lowest != nullptr && lowest->failed_at < hand->failed_at)) continue;
      lowest = hand.get();
    }
    if (lowest != nullptr) std::rethrow_exception(lowest->failure);
  }

  struct Help {
    ByTeam& all;
    void operator()(int thread) const {
      while (all.advance(*all.hands_[static_cast<std::size_t>(thread)])) {
      }
    }
  };

  Tally& tally_;
  std::uint64_t all_sites_;
  std::atomic<std::uint64_t> sites_{0};  // taken by a thread
  Hands hands_;
  Stretches stretches_;
  std::mutex mutex_;  // of stretches_
  std::atomic<bool> has_failed_{false};
  bool is_begun_ = false;
  const Help help_{*this};
  threads::Team team_;  // uses the others
};

}  // namespace

std::unique_ptr<Movement> move_out_by_team(const Field& field, const Payload& payload, const lattice::RowPlan& rows,
                                           transport::File& file, const PumpOptions& options, Tally& tally) {
  return std::make_unique<ByTeam<RowsOut>>(field, payload, rows, file, options, tally);
}

std::unique_ptr<Movement> move_in_by_team(base::ByteSource& file, const Payload& payload, const lattice::RowPlan& rows,
                                          const MutableField& field, const PumpOptions& options, Tally& tally) {
  return std::make_unique<ByTeam<RowsIn>>(field, payload, rows, file, options, tally);
}

}  // namespace lq::pump
