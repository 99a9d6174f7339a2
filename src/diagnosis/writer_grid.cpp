// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Rotations by (number mod 29) of two sites differ by the same in every run of the sequence that is made of the same
// fastest digits. So runs that begin at numbers of one remainder are added up first, place by place and without any
// rotation, which is one XOR of long rows per run; at the end each place of each of the 29 rows is rotated once.
#include "diagnosis/writer_grid.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "base/clock.hpp"

namespace lq::diagnosis {
namespace {

// Rows of this many sites for each remainder stay in the first cache level.
constexpr std::uint64_t longest_run = 256;

// One of the two sums.
class RotatedSum {
 public:
  RotatedSum(std::span<const std::uint32_t> crcs, unsigned period) : crcs_(crcs), period_(period) {}

  std::uint32_t of(const SiteMap& map) {
    place_digits(map);
    rows_.assign(static_cast<std::size_t>(run_) * period_, 0);
    next_ = crcs_.data();
    add_runs(weights_.size(), 0);
    std::uint32_t sum = 0;
    const std::vector<unsigned> within = remainders_in_run();
    for (unsigned remainder = 0; remainder < period_; ++remainder) {
      const std::uint32_t* const row = rows_.data() + static_cast<std::size_t>(remainder) * run_;
      for (std::size_t k = 0; k < run_; ++k) {
        sum ^= std::rotl(row[k], static_cast<int>((remainder + within[k]) % period_));
      }
    }
    return sum;
  }

 private:
  // By how much the number of a site in the lattice grows with each digit; the first ones make a run.
  void place_digits(const SiteMap& map) {
    std::vector<std::uint64_t> strides(1, 1);
    for (const std::int64_t extent : map.extents)
      strides.push_back(strides.back() * static_cast<std::uint64_t>(extent));
    counts_.clear();
    weights_.clear();
    run_ = 1;
    run_digits_ = 0;
    for (const Digit& digit : map.digits) {
      if (digit.count == 1) continue;
      counts_.push_back(digit.count);
      const std::uint64_t stride = strides[static_cast<std::size_t>(digit.dimension)];
      weights_.push_back(static_cast<unsigned>(digit.step * stride % period_));
      if (run_digits_ + 1 < counts_.size() || (run_ > 1 && run_ * digit.count > longest_run)) continue;
      run_ *= digit.count;
      run_digits_ = counts_.size();
    }
  }

  // Runs of the sequence that digits below `digit` make, one behind the other.
  void add_runs(std::size_t digit, unsigned remainder) {
    if (digit == run_digits_) {
      std::uint32_t* const row = rows_.data() + static_cast<std::size_t>(remainder) * run_;
      const std::uint32_t* const run = next_;
      for (std::size_t k = 0; k < run_; ++k) row[k] ^= run[k];
      next_ += run_;
      return;
    }
    for (std::uint64_t value = 0; value < counts_[digit - 1]; ++value) {
      add_runs(digit - 1, remainder);
      remainder += weights_[digit - 1];
      if (remainder >= period_) remainder -= period_;
    }
  }

  std::vector<unsigned> remainders_in_run() const {
    std::vector<unsigned> remainders{0};
    for (std::size_t digit = 0; digit < run_digits_; ++digit) {
      const std::size_t below = remainders.size();
      for (std::uint64_t value = 1; value < counts_[digit]; ++value) {
        for (std::size_t k = 0; k < below; ++k) {
          remainders.push_back(static_cast<unsigned>((remainders[k] + value * weights_[digit]) % period_));
        }
      }
    }
    return remainders;
  }

  std::span<const std::uint32_t> crcs_;
  unsigned period_;
  std::vector<std::uint64_t> counts_;
  std::vector<unsigned> weights_;
  std::size_t run_digits_ = 0;
  std::size_t run_ = 1;
  std::vector<std::uint32_t> rows_;
  const std::uint32_t* next_ = nullptr;
};

class Search {
 public:
  Search(std::span<const std::uint32_t> crcs, const Extents& extents, const Checksum& wanted, double seconds)
      : suma_(crcs, 29), sumb_(crcs, 31), extents_(extents), wanted_(wanted), seconds_(seconds) {}

  FoundOrder run() {
    if (!try_sequences()) try_grids();
    found_.answer.seconds = watch_.seconds();
    return std::move(found_);
  }

 private:
  // The second sum is computed only where the first one is right.
  bool is_right(const SiteMap& map) {
    ++found_.answer.tried;
    if (suma_.of(map) != wanted_.suma || sumb_.of(map) != wanted_.sumb) return false;
    found_.answer.is_found = true;
    found_.map = map;
    return true;
  }

  bool try_sequences() {
    SiteOrder order(static_cast<std::size_t>(extents_.size()));
    std::iota(order.begin(), order.end(), 0);
    do {
      if (!is_right(sequence_of(extents_, order))) continue;
      found_.answer.sites = order;
      return true;
    } while (std::ranges::next_permutation(order).found && !is_late());
    return false;
  }

  bool try_grids() {
    Coord processes = Coord::filled(extents_.size(), 1);
    while (!is_late() && advance(processes)) {
      for (const bool last_fastest : {false, true}) {
        if (last_fastest && std::ranges::count_if(processes, [](std::int64_t n) { return n > 1; }) < 2) continue;
        ++found_.answer.grids;
        if (!is_right(processes_of(extents_, processes, last_fastest))) continue;
        found_.answer.processes = processes;
        found_.answer.ranks_last_fastest = last_fastest;
        return true;
      }
    }
    return false;
  }

  bool is_late() {
    found_.answer.is_complete = watch_.seconds() < seconds_;
    return !found_.answer.is_complete;
  }

  // The next grid; false behind the last one.
  bool advance(Coord& processes) const {
    for (int d = 0; d < extents_.size(); ++d) {
      do {
        ++processes[d];
      } while (processes[d] <= extents_[d] && extents_[d] % processes[d] != 0);
      if (processes[d] <= extents_[d]) return true;
      processes[d] = 1;
    }
    return false;
  }

  base::Stopwatch watch_;
  RotatedSum suma_, sumb_;
  Extents extents_;
  Checksum wanted_;
  double seconds_;
  FoundOrder found_;
};

}  // namespace

Checksum checksum_of(std::span<const std::uint32_t> crcs, const SiteMap& map) {
  return {RotatedSum(crcs, 29).of(map), RotatedSum(crcs, 31).of(map)};
}

FoundOrder find_order(std::span<const std::uint32_t> crcs, const Extents& extents, const Checksum& wanted,
                      double seconds) {
  return Search(crcs, extents, wanted, seconds).run();
}

}  // namespace lq::diagnosis
