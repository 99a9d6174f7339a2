// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Checks of the links of a gauge field: those of each link alone, and everything that one pass can find.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <limequat/grid.hpp>
#include <limequat/lattice.hpp>
#include <limequat/physics.hpp>

#include "kernels/plaquette_rows.hpp"
#include "physics/site_sums.hpp"

namespace lq::physics {

// Links whose numbers are all 0: due to boundaries in time, or damage.
struct ZeroLinks {
  std::uint64_t all = 0;
  // Those of them in the first and in the last slice of the last dimension, by direction.
  std::array<std::uint64_t, max_dimensions> in_first_slice{}, in_last_slice{};

  // Local. The links of one local site of `grid`, counted in natural order.
  void add_site(const Grid& grid, std::uint64_t site, std::span<const double> links) noexcept;
  void add(const ZeroLinks& others) noexcept;

  static constexpr std::size_t terms = 1 + 2 * max_dimensions;
  template <class Terms>
  void each_term(Terms&& combined) {
    combined.sum(all);
    for (std::uint64_t& count : in_first_slice) combined.sum(count);
    for (std::uint64_t& count : in_last_slice) combined.sum(count);
  }

  // True if exactly the links that leave the last slice are zero: open boundaries in time.
  bool leave_last_slice(const Extents& extents) const noexcept;
  // True if they are all links of some directions in the first or the last slice: fixed boundaries, such as those of
  // the Schroedinger functional, which some programs store as zeros; but lost writes of whole slices look the same.
  bool fill_boundaries(const Extents& extents) const noexcept;
};

class LinkChecks {
 public:
  LinkChecks(const Grid& grid, int colors) : grid_(grid), colors_(colors) {}

  // Local. The links of several sites, contiguous, in natural order.
  void add_traces(std::span<const double> links);
  // The same, for up to most_sites sites beginning with `site`. False if no link is far from the group, so that none is
  // zero and every number is finite.
  bool add_distances(std::uint64_t site, std::span<const double> links);
  // The same as a row (kernels/plaquette_rows.hpp), of SU(2) and SU(3), which have_rows().
  bool add_distances(std::uint64_t site, std::size_t sites, const kernels::RowLine* row);
  bool have_rows() const noexcept { return colors_ == 2 || colors_ == 3; }
  static constexpr std::size_t most_sites = 32;
  std::size_t site_numbers() const noexcept;

  // Local. Adds the results of other sites of this rank.
  void add(const LinkChecks& others) noexcept;

  // Totals over all ranks, except for the place of the worst link.
  static constexpr std::size_t terms = 2 * LatticeSum::terms + 3;
  template <class Terms>
  void each_term(Terms&& combined) {
    traces_.each_term(combined);
    distances_.each_term(combined);
    largest_ = std::max(largest_, 0.0);
    combined.max(largest_);
    combined.max(largest_determinant_);
    combined.sum(far_links_);
  }

  // From the checks of all ranks.
  double link_trace() const noexcept;
  // Collective. The same; `mine` are the checks of this rank.
  Unitarity unitarity(const LinkChecks& mine) const;

 private:
  // The squares of the distances of each link: for consecutive sites, `padded` values per direction.
  struct Distances {
    std::size_t padded = 0;
    std::array<double, most_sites * max_dimensions> from_unitarity, from_one;
  };
  void measure(std::span<const double> links, std::size_t sites, Distances& found) const;
  bool add(std::uint64_t site, std::size_t sites, Distances& found);
  std::uint64_t link_count() const noexcept;

  const Grid& grid_;
  int colors_ = 0;
  LatticeSum traces_, distances_;
  double largest_ = -1, largest_determinant_ = 0;
  std::uint64_t worst_site_ = 0;  // local number
  int worst_link_ = 0;
  std::uint64_t far_links_ = 0;
};

// A number that is summed over sites and ranks.
struct Count {
  std::uint64_t value = 0;
  void add(const Count& other) noexcept { value += other.value; }

  static constexpr std::size_t terms = 1;
  template <class Terms>
  void each_term(Terms&& combined) {
    combined.sum(value);
  }
};

// Results of one pass over the links, each checked alone.
struct CheckedLinks {
  LinkChecks checks;
  Count not_finite;
  ZeroLinks zeros;

  // Local. The links of up to LinkChecks::most_sites sites beginning with `site`, except their traces.
  // `row`: the same as a row, if there is one.
  void add_sites(const Grid& grid, std::uint64_t site, std::span<const double> links,
                 const kernels::RowLine* row = nullptr);
  void add(const CheckedLinks& other) noexcept {
    checks.add(other.checks);
    not_finite.add(other.not_finite);
    zeros.add(other.zeros);
  }

  static constexpr std::size_t terms = LinkChecks::terms + Count::terms + ZeroLinks::terms;
  template <class Terms>
  void each_term(Terms&& combined) {
    checks.each_term(combined);
    not_finite.each_term(combined);
    zeros.each_term(combined);
  }
};

// Local. Counts NaNs and infinities.
std::uint64_t count_not_finite(std::span<const double> numbers) noexcept;

// All checks of a gauge field whose file may be wrong, in one pass: those of lq::measure(), zero links, and whether
// rows and columns are exchanged.

// Plaquettes of some sites, the same on any process grid. With rows and columns exchanged, four links around a
// plaquette do not form a closed loop, so these products average to less than the plaquette.
struct TransposedSample {
  // Step between the sampled site numbers of the lattice: about 64 samples, and at most about 2048.
  static std::uint64_t step_of_few(const Extents& extents) noexcept { return lq::volume(extents) / 64 + 1; }
  static std::uint64_t step_of_most(const Extents& extents) noexcept { return lq::volume(extents) / 2048 + 1; }

  std::uint64_t plaquettes = 0;
  double excess = 0;  // average product of transposed links minus that of unchanged links
  double error = 0;   // error of this average

  // The links look right only with rows and columns exchanged.
  bool is_transposed() const noexcept { return is_beyond_error(excess); }
  // The links look right unchanged.
  bool is_right() const noexcept { return is_beyond_error(-excess); }

 private:
  bool is_beyond_error(double difference) const noexcept {
    constexpr double enough = 5;  // errors
    return plaquettes > 0 && difference > 0 && difference > enough * error;
  }
};

// Means of the plaquettes that cross from x[mu] = k to the next site in direction mu, for each such place. Where slices
// or sites are exchanged, or links of one direction are wrong, those are noise while the others are not.
class Joints {
 public:
  explicit Joints(const Extents& extents);

  // True for some of the sites, by their number in the lattice: about `sites_of_a_place` in each place.
  bool samples(std::uint64_t site) const noexcept;
  // A plaquette between two directions that begins at x.
  void add(const Coord& x, int mu, int nu, double plaquette) noexcept;
  // To be summed over the ranks.
  std::span<std::uint64_t> numbers() noexcept { return numbers_; }

  struct Broken {
    int direction = 0;  // of the first place
    std::int64_t below = 0;
    double plaquette = 0, usual = 0;
    std::uint64_t places = 0;
  };
  // Nothing if the plaquettes of all places are alike, or too small everywhere.
  std::optional<Broken> broken(int colors) const;

 private:
  static constexpr std::uint64_t sites_of_a_place = 64;
  static constexpr double unit = 1 << 30;  // whole numbers have the same sum in any order

  // A count and a sum.
  std::size_t place(int mu, std::int64_t k) const noexcept {
    return 2 * static_cast<std::size_t>(first_[static_cast<std::size_t>(mu)] + k);
  }
  double mean(std::size_t at) const noexcept;

  Extents extents_;
  std::uint64_t share_;  // of the sites, of 2^32
  std::array<std::int64_t, max_dimensions> first_{};
  std::vector<std::uint64_t> numbers_;
};

struct ExaminedLinks {
  Physics physics;
  ZeroLinks zeros;
  TransposedSample transposed;
  std::optional<Joints::Broken> broken;

  // The links are in the group, but those around plaquettes are uncorrelated: noise, or links in another order than the
  // file states.
  bool is_noise(const Extents& extents, int colors) const noexcept;
};

// Collective. The same as lq::measure(), and on request whether plaquettes are alike everywhere.
ExaminedLinks examine_links(const Grid& grid, const Field& field, int threads = 0, bool with_joints = false);

}  // namespace lq::physics
