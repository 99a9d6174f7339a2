// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/link_checks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "comm/agree.hpp"
#include "lattice/site_order.hpp"
#include "physics/su_n.hpp"

namespace lq::physics {
namespace {

// Of links in single precision, whose distances are some 1e-6.
constexpr double beyond_rounding = 1e-4;

constexpr std::uint64_t nowhere = std::numeric_limits<std::uint64_t>::max();

// A link of broken numbers is as far from the group as can be.
double or_infinite(double distance) {
  return std::isfinite(distance) ? distance : std::numeric_limits<double>::infinity();
}

std::uint64_t min_over_ranks(comm::Comm& comm, std::uint64_t value) {
  comm.all_reduce({&value, 1}, comm::Reduce::min);
  return value;
}

}  // namespace

void LinkChecks::add_traces(std::span<const double> links) {
  with_colors(colors_, [&](auto n) {
    for (std::size_t at = 0; at < links.size(); at += matrix_numbers(n)) {
      traces_.add(real_trace(n, links.data() + at) / n);
    }
  });
}

void LinkChecks::add_distances(std::uint64_t site, std::span<const double> links) {
  with_colors(colors_, [&](auto n) {
    int mu = 0;
    for (std::size_t at = 0; at < links.size(); at += matrix_numbers(n), ++mu) {
      const double distance = or_infinite(distance_from_unitarity(n, links.data() + at));
      distances_.add(distance);
      if (distance > beyond_rounding) ++far_links_;
      largest_determinant_ = std::max(largest_determinant_, or_infinite(distance_of_determinant(n, links.data() + at)));
      if (distance <= largest_) continue;
      largest_ = distance;
      worst_site_ = site;
      worst_link_ = mu;
    }
  });
}

void LinkChecks::add(const LinkChecks& others) noexcept {
  traces_.add(others.traces_);
  distances_.add(others.distances_);
  far_links_ += others.far_links_;
  largest_determinant_ = std::max(largest_determinant_, others.largest_determinant_);
  const bool is_worse = others.largest_ > largest_ || (others.largest_ == largest_ && others.worst_site_ < worst_site_);
  if (!is_worse) return;
  largest_ = others.largest_;
  worst_site_ = others.worst_site_;
  worst_link_ = others.worst_link_;
}

std::uint64_t LinkChecks::link_count() const noexcept {
  return grid_.volume() * static_cast<std::uint64_t>(grid_.extents().size());
}

double LinkChecks::link_trace() const {
  LatticeSum sum = traces_;
  sum.reduce(grid_.communicator().engine());
  return sum.value() / static_cast<double>(link_count());
}

Unitarity LinkChecks::unitarity() const {
  comm::Comm& comm = grid_.communicator().engine();
  const bool has_links = largest_ >= 0;
  Unitarity result;
  result.largest = comm::max_over_ranks(comm, has_links ? largest_ : 0.0);
  result.largest_determinant = comm::max_over_ranks(comm, largest_determinant_);

  std::uint64_t mine = nowhere;
  if (has_links && largest_ == result.largest) {
    const Box& box = grid_.local_box();
    Coord x = lattice::site_of_rank(worst_site_, box.extents);
    for (int d = 0; d < x.size(); ++d) x[d] += box.lower[d];
    mine = lattice::site_rank(x, grid_.extents());
  }
  const std::uint64_t worst = min_over_ranks(comm, mine);
  const std::uint64_t link = min_over_ranks(comm, mine == worst ? static_cast<std::uint64_t>(worst_link_) : nowhere);
  result.worst_site = lattice::site_of_rank(worst, grid_.extents());
  result.worst_link = static_cast<int>(link);

  result.far_links = far_links_;
  comm.all_reduce({&result.far_links, 1}, comm::Reduce::sum);
  LatticeSum sum = distances_;
  sum.reduce(comm);
  result.mean = sum.value() / static_cast<double>(link_count());
  return result;
}

}  // namespace lq::physics
