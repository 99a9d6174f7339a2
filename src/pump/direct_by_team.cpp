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
#include <vector>

#include "pump/own_rows.hpp"
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
        rows_(rows),
        all_sites_(rows.wanted.volume()),
        hands_(make_hands(field, payload, rows, file, options, tally)),
        stretches_(rows_, hands_.front()->block.max_sites(), options.tile_sites),
        team_(static_cast<int>(hands_.size())) {}
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

  Passed passed() const noexcept override { return {sites_.load(std::memory_order_relaxed), all_sites_}; }

  // What one thread has.
  struct Hand {
    Hand(const typename Way::Memory& field, const Payload& payload, const lattice::RowPlan& rows,
         typename Way::File& file, std::uint64_t block_bytes, const Tally& of_all)
        : tally(of_all.empty(payload)),
          way(field, payload, rows, file, tally),
          block(block_bytes, payload.site_bytes()) {
      stretch.pieces.reserve(static_cast<std::size_t>(std::min<std::uint64_t>(block.max_sites(), most_pieces)));
    }

    Tally tally;
    Way way;
    Block block;
    Stretch stretch;
    std::exception_ptr failure;  // met in `stretch`
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
      if (!take_next(hand.stretch)) return false;
      hand.way.move(hand.stretch, hand.block);
    } catch (...) {
      hand.failure = std::current_exception();
      has_failed_.store(true, std::memory_order_relaxed);
    }
    return !hand.failure;
  }

  bool take_next(Stretch& stretch) {
    const std::lock_guard lock(mutex_);
    if (!stretches_.next(stretch)) return false;
    sites_.fetch_add(stretch.sites, std::memory_order_relaxed);
    return true;
  }

  // What lies behind a failure may have been moved; what lies before it was, so that the lowest is what a single thread
  // would have met.
  void add_up() {
    const Hand* lowest = nullptr;
    for (const auto& hand : hands_) {
      tally_.add(hand->tally);
      if (!hand->failure || (lowest != nullptr && lowest->stretch.file_site < hand->stretch.file_site)) continue;
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
  lattice::Rows rows_;
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
