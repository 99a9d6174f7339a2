// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/loops.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/interruption.hpp"
#include "comm/agree.hpp"
#include "comm/terms.hpp"
#include "physics/cell_sums.hpp"
#include "physics/plaquettes.hpp"
#include "physics/site_sums.hpp"
#include "physics/su_n.hpp"

namespace lq::physics {
namespace {

constexpr int longest = 2;  // sides of Wilson loops

// Sums over loops with r and s steps, at [r - 1][s - 1]. In planes between spatial directions both orientations of a
// rectangle are counted together.
struct LoopSums {
  LatticeSum spatial[longest][longest], temporal[longest][longest];

  void add(const LoopSums& other) noexcept {
    for (int r = 0; r < longest; ++r) {
      for (int s = 0; s < longest; ++s) {
        spatial[r][s].add(other.spatial[r][s]);
        temporal[r][s].add(other.temporal[r][s]);
      }
    }
  }

  static constexpr std::size_t terms = 2 * longest * longest * LatticeSum::terms;
  template <class Terms>
  void each_term(Terms&& combined) {
    for (auto* sums : {&spatial, &temporal}) {
      for (auto& row : *sums) {
        for (LatticeSum& sum : row) sum.each_term(combined);
      }
    }
  }
};

template <class Colors>
class LoopsAt {
 public:
  LoopsAt(Colors colors, const Links& links)
      : colors_(colors),
        links_(links),
        along_(colors),
        along_above_(colors),
        across_(colors),
        across_ahead_(colors),
        first_(colors),
        second_(colors) {}

  void add_site(std::size_t x, LoopSums& sums) noexcept {
    const int last = links_.directions() - 1;
    for (int mu = 0; mu < last; ++mu) {
      for (int nu = mu + 1; nu <= last; ++nu) {
        for (int r = 1; r <= longest; ++r) {
          for (int s = 1; s <= longest; ++s) {
            (nu == last ? sums.temporal : sums.spatial)[r - 1][s - 1].add(trace_of(x, mu, r, nu, s));
          }
        }
      }
    }
  }

 private:
  // Re Tr W / N of r steps along mu and s steps along nu.
  double trace_of(std::size_t x, int mu, int r, int nu, int s) noexcept {
    const double* const along = line(x, mu, r, along_);
    const double* const across = line(x, nu, s, across_);
    const double* const along_above = line(steps(x, nu, s), mu, r, along_above_);
    const double* const across_ahead = line(steps(x, mu, r), nu, s, across_ahead_);
    return plaquette_of(colors_, along, across_ahead, across, along_above, first_.data(), second_.data());
  }

  std::size_t steps(std::size_t x, int mu, int count) const noexcept {
    for (int k = 0; k < count; ++k) x = links_.halo().up(x, mu);
    return x;
  }

  const double* line(std::size_t x, int mu, int count, Matrix<Colors>& product) const noexcept {
    if (count == 1) return links_.at(mu, x);
    multiply(colors_, links_.at(mu, x), links_.at(mu, links_.halo().up(x, mu)), product.data());
    return product.data();
  }

  Colors colors_;
  const Links& links_;
  Matrix<Colors> along_, along_above_, across_, across_ahead_, first_, second_;
};

double mean_of(const LatticeSum& sum, std::uint64_t loops) {
  return loops == 0 ? 0.0 : sum.value() / static_cast<double>(loops);
}

LatticeSum sum_of(LatticeSum sum, const LatticeSum& other) noexcept {
  sum.add(other);
  return sum;
}

WilsonLoop averages_of(const LoopSums& sums, int r, int s, const Extents& extents, bool open_boundary) {
  const auto last = extents.size() - 1;
  const auto directions = static_cast<std::uint64_t>(last);
  const std::uint64_t sites = volume(extents), slice = sites / static_cast<std::uint64_t>(extents[last]);
  // s steps in time from each point of space.
  const auto in_time = [&](int steps) {
    const std::int64_t from = open_boundary ? std::max<std::int64_t>(extents[last] - steps, 0) : extents[last];
    return slice * directions * static_cast<std::uint64_t>(from);
  };
  const auto& spatial = sums.spatial;
  const auto& temporal = sums.temporal;
  const LatticeSum space = sum_of(spatial[r - 1][s - 1], spatial[s - 1][r - 1]);
  const LatticeSum time = sum_of(temporal[r - 1][s - 1], temporal[s - 1][r - 1]);
  const std::uint64_t in_space = sites * directions * (directions - 1);  // planes, each with both orientations
  return {.r = r,
          .s = s,
          .average = mean_of(sum_of(space, time), in_space + in_time(r) + in_time(s)),
          .spatial = mean_of(space, in_space),
          .temporal = mean_of(temporal[r - 1][s - 1], in_time(s))};
}

}  // namespace

std::vector<WilsonLoop> wilson_loops(const Grid& grid, int colors, const Links& links, bool open_boundary,
                                     comm::Team& team) {
  LoopSums sums;
  comm::CombinedTerms terms(sums);
  std::vector<WilsonLoop> loops;
  comm::agree(grid.communicator().engine(), terms.all(), [&] {
    loops.reserve(std::size_t{longest} * longest);
    terms.tell(sum_of_cells<LoopSums>(links.halo().local_cells(), team,
                                      [&](LoopSums& mine, std::size_t begin, std::size_t end) {
                                        with_colors(colors, [&](auto n) {
                                          LoopsAt at(n, links);
                                          for (std::size_t x = begin; x < end; ++x) at.add_site(x, mine);
                                        });
                                      }));
  });
  terms.take(sums);
  for (int r = 1; r <= longest; ++r) {
    for (int s = 1; s <= longest; ++s) loops.push_back(averages_of(sums, r, s, grid.extents(), open_boundary));
  }
  return loops;
}

namespace {

struct TraceSums {
  LatticeSum real, imaginary;

  static constexpr std::size_t terms = 2 * LatticeSum::terms;
  template <class Terms>
  void each_term(Terms&& combined) {
    real.each_term(combined);
    imaginary.each_term(combined);
  }
};

// Collective. The slices at which the box of some rank begins: the preceding slices need copies of them.
std::vector<std::uint64_t> first_slices(const Grid& grid) {
  const int last = grid.extents().size() - 1;
  std::vector<std::uint64_t> is_first = comm::agree(grid.communicator().engine(), [&] {
    std::vector<std::uint64_t> mine(static_cast<std::size_t>(grid.extents()[last]));
    if (grid.local_volume() > 0) mine[static_cast<std::size_t>(grid.local_box().lower[last])] = 1;
    return mine;
  });
  grid.communicator().engine().all_reduce(is_first, comm::Reduce::max);
  return is_first;
}

// Products of the links from each site of a slice to the end of the lattice, from the last slice to the first, so that
// order and rounding are the same on any process grid.
class LinesInTime {
 public:
  LinesInTime(const Grid& grid, int colors, Links& links)
      : links_(links),
        colors_(colors),
        time_(grid.extents().size() - 1),
        times_(grid.extents()[time_]),
        lower_(grid.local_box().lower[time_]),
        upper_(lower_ + grid.local_box().extents[time_]),
        slice_cells_(grid.local_volume() / static_cast<std::uint64_t>(std::max<std::int64_t>(upper_ - lower_, 1))),
        products_(links.halo().cells() * matrix_numbers(colors)) {}

  double* at(std::size_t cell) noexcept { return products_.data() + cell * matrix_numbers(colors_); }
  bool has(std::int64_t t) const noexcept { return slice_cells_ > 0 && t >= lower_ && t < upper_; }

  template <class Work>
  void for_each_cell(std::int64_t t, const Work& work) const {
    const std::size_t begin = static_cast<std::size_t>(t - lower_) * slice_cells_;
    for (std::size_t x = begin; x < begin + slice_cells_ && !base::is_interrupted(); ++x) work(x);
  }

  // Local. The later slices are complete, and copies of the next slice up to date.
  void set_slice(std::int64_t t) {
    for_each_cell(t, [&](std::size_t x) {
      if (t + 1 == times_) {
        std::copy_n(links_.at(time_, x), matrix_numbers(colors_), at(x));
      } else {
        with_colors(colors_, [&](auto n) { multiply(n, links_.at(time_, x), at(links_.halo().up(x, time_)), at(x)); });
      }
    });
  }
  // Collective.
  void refresh() { links_.refresh_matrices(products_.data()); }

  TraceSums traces() {
    TraceSums sums;
    if (!has(0)) return sums;
    for_each_cell(0, [&](std::size_t x) {
      std::complex<double> trace = 0;
      for (int i = 0; i < colors_; ++i) trace += element(Dynamic{colors_}, at(x), i, i);
      sums.real.add(trace.real() / colors_);
      sums.imaginary.add(trace.imag() / colors_);
    });
    return sums;
  }

 private:
  Links& links_;
  int colors_, time_;
  std::int64_t times_, lower_, upper_;
  std::size_t slice_cells_;
  std::vector<double> products_;
};

}  // namespace

std::complex<double> polyakov_loop(const Grid& grid, int colors, Links& links) {
  const Extents& extents = grid.extents();
  const std::int64_t times = extents[extents.size() - 1];
  const std::vector<std::uint64_t> is_first = first_slices(grid);
  LinesInTime lines = comm::agree(grid.communicator().engine(), [&] { return LinesInTime(grid, colors, links); });
  for (std::int64_t t = times - 1; t >= 0; --t) {
    if (t + 1 < times && is_first[static_cast<std::size_t>(t + 1)] != 0) lines.refresh();
    if (lines.has(t)) lines.set_slice(t);
  }
  TraceSums sums = lines.traces();
  comm::agree(grid.communicator().engine(), [] { base::throw_if_interrupted(); });
  comm::combine_over_ranks(grid.communicator().engine(), sums);
  const double points = static_cast<double>(volume(extents) / static_cast<std::uint64_t>(times));
  return {sums.real.value() / points, sums.imaginary.value() / points};
}

}  // namespace lq::physics
