// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Rotations by (number mod 29) of two sites differ by the same amount in every run of the sequence with the same
// fastest digits. So runs that begin at numbers with the same remainder are added up first, place by place and without
// rotation, by one XOR of long rows per run; at the end each place of each of the 29 rows is rotated once.
#include "diagnosis/diagnose.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>
#include <utility>

#include "base/clock.hpp"
#include "comm/team.hpp"

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
  // How much the number of a site in the lattice grows with each digit; the first digits form a run.
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

  // Runs of the sequence formed by digits below `digit`, contiguous.
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

// An order of the sites to try: one sequence, or process by process.
struct Candidate {
  SiteMap map;
  SiteOrder sites;  // of a sequence
  Coord processes;  // of a grid
  bool ranks_last_fastest = false;

  bool is_grid() const noexcept { return sites.empty(); }
};

// All candidates in the order of trial: sequences first.
class Candidates {
 public:
  explicit Candidates(const Extents& extents)
      : extents_(extents),
        order_(static_cast<std::size_t>(extents.size())),
        processes_(Coord::filled(extents.size(), 1)) {
    std::iota(order_.begin(), order_.end(), 0);
  }

  // Empty after the last one.
  std::optional<Candidate> next() {
    if (has_sequence_) {
      Candidate found{sequence_of(extents_, order_), order_, {}};
      has_sequence_ = std::ranges::next_permutation(order_).found;
      return found;
    }
    if (has_other_ranks_) {
      has_other_ranks_ = false;
      return grid(true);
    }
    if (has_grid_) has_grid_ = advance();
    if (!has_grid_) return std::nullopt;
    has_other_ranks_ = std::ranges::count_if(processes_, [](std::int64_t n) { return n > 1; }) >= 2;
    return grid(false);
  }

 private:
  Candidate grid(bool ranks_last_fastest) const {
    return {processes_of(extents_, processes_, ranks_last_fastest), {}, processes_, ranks_last_fastest};
  }

  // The next grid; false after the last one.
  bool advance() {
    for (int d = 0; d < extents_.size(); ++d) {
      do {
        ++processes_[d];
      } while (processes_[d] <= extents_[d] && extents_[d] % processes_[d] != 0);
      if (processes_[d] <= extents_[d]) return true;
      processes_[d] = 1;
    }
    return false;
  }

  Extents extents_;
  SiteOrder order_;
  Coord processes_;
  bool has_sequence_ = true;
  bool has_grid_ = true;
  bool has_other_ranks_ = false;  // for this grid, with t fastest
};

// Tries a few candidates at a time, each by one thread; the first correct one counts.
class Search {
 public:
  Search(std::span<const std::uint32_t> crcs, const Extents& extents, const Checksum& wanted, double seconds,
         comm::Team& team)
      : sums_(static_cast<std::size_t>(team.size()), {RotatedSum(crcs, 29), RotatedSum(crcs, 31)}),
        candidates_(extents),
        wanted_(wanted),
        seconds_(seconds),
        team_(team) {}

  FoundOrder run() {
    while (!found_.answer.is_found && take_some()) {
      try_them();
      if (found_.answer.is_found || is_late()) break;
    }
    found_.answer.seconds = watch_.seconds();
    return std::move(found_);
  }

 private:
  struct Sums {
    RotatedSum suma, sumb;
  };

  bool take_some() {
    const std::size_t most = 4 * sums_.size();
    some_.clear();
    while (some_.size() < most) {
      std::optional<Candidate> one = candidates_.next();
      if (!one) break;
      some_.push_back(std::move(*one));
    }
    return !some_.empty();
  }

  // The second sum is computed only if the first one matches.
  void try_them() {
    std::vector<char> is_right(some_.size());  // each written by one thread
    comm::parallel_for(team_, some_.size(), [&](int thread, std::uint64_t i) {
      Sums& own = sums_[static_cast<std::size_t>(thread)];
      const SiteMap& map = some_[static_cast<std::size_t>(i)].map;
      is_right[static_cast<std::size_t>(i)] = own.suma.of(map) == wanted_.suma && own.sumb.of(map) == wanted_.sumb;
    });
    WriterGrid& answer = found_.answer;
    for (std::size_t i = 0; i < some_.size() && !answer.is_found; ++i) {
      ++answer.tried;
      if (some_[i].is_grid()) ++answer.grids;
      if (is_right[i] != 0) keep(some_[i]);
    }
  }

  void keep(const Candidate& right) {
    found_.answer.is_found = true;
    found_.answer.sites = right.sites;
    found_.answer.processes = right.processes;
    found_.answer.ranks_last_fastest = right.ranks_last_fastest;
    found_.map = right.map;
  }

  bool is_late() {
    found_.answer.is_complete = watch_.seconds() < seconds_;
    return !found_.answer.is_complete;
  }

  base::Stopwatch watch_;
  std::vector<Sums> sums_;  // of each thread
  Candidates candidates_;
  Checksum wanted_;
  double seconds_;
  comm::Team& team_;
  std::vector<Candidate> some_;
  FoundOrder found_;
};

// For site numbers that do not follow from digits.
Checksum checksum_by_sites(std::span<const std::uint32_t> crcs, const SiteMap& map) {
  Checksum sums;
  for (std::size_t k = 0; k < crcs.size(); ++k) {
    const Coord x = site_of(map, k);
    std::uint64_t number = 0;
    for (int d = x.size() - 1; d >= 0; --d) {
      number = number * static_cast<std::uint64_t>(map.extents[d]) + static_cast<std::uint64_t>(x[d]);
    }
    sums.suma ^= std::rotl(crcs[k], static_cast<int>(number % 29));
    sums.sumb ^= std::rotl(crcs[k], static_cast<int>(number % 31));
  }
  return sums;
}

}  // namespace

Checksum checksum_of(std::span<const std::uint32_t> crcs, const SiteMap& map) {
  if (map.parity != Parity::none) return checksum_by_sites(crcs, map);
  return {RotatedSum(crcs, 29).of(map), RotatedSum(crcs, 31).of(map)};
}

FoundOrder find_order(std::span<const std::uint32_t> crcs, const Extents& extents, const Checksum& wanted,
                      double seconds, comm::Team& team) {
  return Search(crcs, extents, wanted, seconds, team).run();
}

}  // namespace lq::diagnosis
