// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sums over the lattice that are independent of the distribution of sites over ranks and threads, and access to sites.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <limequat/field.hpp>
#include <limequat/grid.hpp>

#include "base/exact_sum.hpp"
#include "base/function_ref.hpp"
#include "comm/agree.hpp"
#include "comm/team.hpp"
#include "comm/terms.hpp"
#include "device/sites.hpp"
#include "lattice/layout_rows.hpp"
#include "lattice/row_walk.hpp"
#include "lattice/tiles.hpp"

namespace lq::physics {

// The field of a measurement: its spec resolved, and the same on all ranks.

comm::Comm& ranks_of(const Grid& grid);

// Collective. The field with its spec resolved; every rank has the same spec. `verb`: the operation, for errors.
Field resolve_any(const Grid& grid, const Field& field, std::string_view verb);
// Collective. The same for a gauge field of SU(2) or larger with one link for each of two or more dimensions;
// invalid_argument for others.
Field resolve_gauge(const Grid& grid, const Field& field, std::string_view verb);

// A sum over the lattice that is the same to the last bit for any distribution of the terms over ranks. Terms of order
// 1 are summed in steps of 2^-60, larger ones in steps of 2^-40.
class LatticeSum {
 public:
  // Terms beyond 2^21 count as 2^21: numbers of that size indicate broken links anyway.
  void add(double term) noexcept {
    if (std::abs(term) <= 2) {
      small_.add(term * 0x1p20);
    } else {
      large_.add(std::isfinite(term) ? std::clamp(term, -0x1p21, 0x1p21) : term);
    }
  }

  // Terms of order 1 that were summed elsewhere, as integer multiples of 2^-30 and of 2^-60.
  void add_small(double high, double low) noexcept { small_.add_steps(high, low); }

  void add(const LatticeSum& other) noexcept {
    small_.add(other.small_);
    large_.add(other.large_);
  }

  double value() const noexcept { return large_.value() + small_.value() * 0x1p-20; }

  static constexpr std::size_t terms = 2 * base::ExactSum::word_count;
  template <class Terms>
  void each_term(Terms&& all) {
    for (base::ExactSum* part : {&small_, &large_}) {
      auto words = part->words();
      for (std::uint64_t& word : words) all.sum(word);
      *part = base::ExactSum::from_words(words);
    }
  }

 private:
  base::ExactSum small_, large_;
};

// The local sites of a field one by one, for any kind of memory.

// Takes the numbers of local site `site` (its number in natural order), widened to double.
using TakeSite = base::FunctionRef<void(std::uint64_t site, std::span<const double> numbers)>;

// Not thread-safe; for a field in memory several may be used concurrently. The grid must outlive it.
class SiteStream {
 public:
  // Local. `field` is resolved.
  SiteStream(const Grid& grid, const Field& field);
  // Local. The sites numbered begin .. end-1 in natural order.
  void for_each(std::uint64_t begin, std::uint64_t end, const TakeSite& take);
  // Local. The same, up to `most` sites per call beginning with `site`.
  void for_each_run(std::uint64_t begin, std::uint64_t end, std::size_t most, const TakeSite& take);

 private:
  bool is_in_place() const noexcept;
  void for_each_in_rows(std::uint64_t begin, std::uint64_t end, const TakeSite& take);
  std::span<const double> widen(const void* site);

  const Grid& grid_;
  Field field_;
  SiteOrder natural_, order_;
  std::vector<double> scratch_;
  std::optional<device::SitesOut> on_device_;  // only for memory of a GPU
  std::optional<lattice::RowsOut> elsewhere_;  // only if the memory is not plain
  std::optional<lattice::RowWalk> walk_;
  std::vector<std::byte> row_;
  std::vector<double> run_;
};

// Collective. Number of threads that iterate over the sites of a field, given the number that a rank requests; a
// function of the caller is called by the calling thread only.
int threads_for(const Grid& grid, const Field& field, int wanted);

// Local. Calls take(thread, site, numbers) for all local sites, up to `most` at a time, a range of them for each
// thread.
template <class Take>
void for_each_run(const Grid& grid, const Field& field, comm::Team& team, std::size_t most, const Take& take) {
  team.run([&](int thread) {
    const lattice::Share mine = lattice::share_of(grid.local_volume(), static_cast<std::uint64_t>(team.size()),
                                                  static_cast<std::uint64_t>(thread));
    if (mine.begin == mine.end) return;
    const auto take_mine = [&](std::uint64_t site, std::span<const double> numbers) { take(thread, site, numbers); };
    SiteStream stream(grid, field);
    most == 1 ? stream.for_each(mine.begin, mine.end, take_mine)
              : stream.for_each_run(mine.begin, mine.end, most, take_mine);
  });
}

// Collective. The same, site by site. If it or the field's function throws, all ranks throw.
template <class Take>
void share_sites(const Grid& grid, const Field& field, comm::Team& team, const Take& take) {
  comm::agree(grid.communicator().engine(), [&] { for_each_run(grid, field, team, 1, take); });
}

// Collective. For this rank: `empty` after add(sum, site, numbers) for all local sites, up to `most` at a time. Sums
// are combined by Sum::add(). Failures as above.
template <class Sum, class Add>
Sum sum_of_sites(const Grid& grid, const Field& field, comm::Team& team, const Sum& empty, const Add& add,
                 std::size_t most = 1) {
  struct alignas(64) Own {  // no two threads write to one cache line
    Sum sum;
  };
  return comm::agree(grid.communicator().engine(), [&] {
    std::vector<Own> sums(static_cast<std::size_t>(team.size()), Own{empty});
    for_each_run(grid, field, team, most, [&](int thread, std::uint64_t site, std::span<const double> numbers) {
      add(sums[static_cast<std::size_t>(thread)].sum, site, numbers);
    });
    for (std::size_t i = 1; i < sums.size(); ++i) sums.front().sum.add(sums[i].sum);
    return std::move(sums.front().sum);
  });
}

}  // namespace lq::physics
