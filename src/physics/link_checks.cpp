// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/link_checks.hpp"

#include <cmath>
#include <limits>

#include "comm/comm.hpp"
#include "lattice/site_order.hpp"
#include "physics/su_n.hpp"

namespace lq::physics {
namespace {

std::uint64_t sites_of_slice(const Extents& extents) noexcept {
  return volume(extents) / static_cast<std::uint64_t>(extents[extents.size() - 1]);
}

}  // namespace

void ZeroLinks::add_site(const Grid& grid, std::uint64_t site, std::span<const double> links) noexcept {
  const Box& box = grid.local_box();
  const int last = box.extents.size() - 1;
  const std::size_t of_link = links.size() / static_cast<std::size_t>(last + 1);
  for (int mu = 0; mu <= last; ++mu) {
    const auto link = links.subspan(static_cast<std::size_t>(mu) * of_link, of_link);
    if (!std::ranges::all_of(link, [](double number) { return number == 0; })) continue;
    ++all;
    const std::int64_t t = box.lower[last] + lattice::site_of_rank(site, box.extents)[last];
    if (t == 0) ++in_first_slice[static_cast<std::size_t>(mu)];
    if (t + 1 == grid.extents()[last]) ++in_last_slice[static_cast<std::size_t>(mu)];
  }
}

void ZeroLinks::add(const ZeroLinks& others) noexcept {
  all += others.all;
  for (std::size_t mu = 0; mu < in_first_slice.size(); ++mu) {
    in_first_slice[mu] += others.in_first_slice[mu];
    in_last_slice[mu] += others.in_last_slice[mu];
  }
}

bool ZeroLinks::leave_last_slice(const Extents& extents) const noexcept {
  const std::uint64_t border = sites_of_slice(extents);
  return all == border && in_last_slice[static_cast<std::size_t>(extents.size() - 1)] == border;
}

bool ZeroLinks::fill_boundaries(const Extents& extents) const noexcept {
  const std::uint64_t border = sites_of_slice(extents);
  std::uint64_t filled = 0;
  for (const auto* slice : {&in_first_slice, &in_last_slice}) {
    for (const std::uint64_t count : *slice) filled += count == border ? border : 0;
  }
  return all > 0 && extents[extents.size() - 1] > 1 && filled == all;
}

namespace {

// For links in single precision, whose distances are about 1e-6.
constexpr double beyond_rounding = 1e-4;

constexpr std::uint64_t nowhere = std::numeric_limits<std::uint64_t>::max();

}  // namespace

void LinkChecks::add_traces(std::span<const double> links) {
  with_colors(colors_, [&](auto n) {
    for (std::size_t at = 0; at < links.size(); at += matrix_numbers(n)) {
      traces_.add(real_trace(n, links.data() + at) / n);
    }
  });
}

std::size_t LinkChecks::site_numbers() const noexcept {
  return matrix_numbers(colors_) * static_cast<std::size_t>(grid_.extents().size());
}

void LinkChecks::measure(std::span<const double> links, std::size_t sites, Distances& found) const {
  const auto dimensions = static_cast<std::size_t>(grid_.extents().size());
  const std::size_t numbers = site_numbers();
  if (have_rows()) {
    constexpr std::size_t most_numbers = matrix_numbers(3) * max_dimensions;
    std::array<kernels::RowLine, most_numbers * most_sites * sizeof(double) / sizeof(kernels::RowLine)> row;
    kernels::to_row(Precision::double_, links.data(), numbers, sites, row.data());
    kernels::link_distances(Precision::double_, colors_, row.data(), dimensions, sites, found.from_unitarity.data(),
                            found.from_one.data());
    return;
  }
  const auto square = [](double distance) { return distance * distance; };
  for (std::size_t link = 0; link < sites * dimensions; ++link) {
    const double* const u = links.data() + link * matrix_numbers(colors_);
    const std::size_t at = link % dimensions * found.padded + link / dimensions;
    found.from_unitarity[at] = square(distance_from_unitarity(Dynamic{colors_}, u));
    found.from_one[at] = square(distance_of_determinant(Dynamic{colors_}, u));
  }
}

bool LinkChecks::add_distances(std::uint64_t site, std::span<const double> links) {
  const std::size_t sites = links.size() / site_numbers();
  Distances found;
  found.padded = kernels::padded_sites(sites);
  measure(links, sites, found);
  return add(site, sites, found);
}

bool LinkChecks::add_distances(std::uint64_t site, std::size_t sites, const kernels::RowLine* row) {
  Distances found;
  found.padded = kernels::padded_sites(sites);
  kernels::link_distances(Precision::double_, colors_, row, static_cast<std::size_t>(grid_.extents().size()), sites,
                          found.from_unitarity.data(), found.from_one.data());
  return add(site, sites, found);
}

bool LinkChecks::add(std::uint64_t site, std::size_t sites, Distances& found) {
  const auto dimensions = static_cast<std::size_t>(grid_.extents().size());
  for (std::size_t mu = 0; mu < dimensions && sites < found.padded; ++mu) {
    for (auto* squares : {&found.from_unitarity, &found.from_one}) {
      std::fill(squares->data() + mu * found.padded + sites, squares->data() + (mu + 1) * found.padded, 0.0);
    }
  }
  // A link with NaNs counts as infinitely far from the group.
  const double largest = kernels::take_roots(found.from_unitarity.data(), dimensions * found.padded);
  largest_determinant_ =
      std::max(largest_determinant_, kernels::take_roots(found.from_one.data(), dimensions * found.padded));
  const std::span<const double> all(found.from_unitarity.data(), dimensions * found.padded);
  if (const auto small = kernels::sum_small_terms(all.data(), all.size())) {
    distances_.add_small(small->high, small->low);
  } else {
    for (const double distance : all) distances_.add(distance);
  }
  if (largest > largest_) {
    largest_ = largest;
    const auto at = [&](std::size_t link) { return all[link % dimensions * found.padded + link / dimensions]; };
    std::size_t link = 0;
    while (at(link) != largest) ++link;
    worst_site_ = site + link / dimensions;
    worst_link_ = static_cast<int>(link % dimensions);
  }
  if (!(largest > beyond_rounding)) return false;
  far_links_ += static_cast<std::uint64_t>(
      std::ranges::count_if(all, [](double distance) { return distance > beyond_rounding; }));
  return true;
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

double LinkChecks::link_trace() const noexcept { return traces_.value() / static_cast<double>(link_count()); }

Unitarity LinkChecks::unitarity(const LinkChecks& mine) const {
  const auto directions = static_cast<std::uint64_t>(grid_.extents().size());
  std::uint64_t worst = nowhere;
  if (mine.largest_ == largest_) {
    const Box& box = grid_.local_box();
    Coord x = lattice::site_of_rank(mine.worst_site_, box.extents);
    for (int d = 0; d < x.size(); ++d) x[d] += box.lower[d];
    worst = lattice::site_rank(x, grid_.extents()) * directions + static_cast<std::uint64_t>(mine.worst_link_);
  }
  grid_.communicator().engine().all_reduce({&worst, 1}, comm::Reduce::min);

  Unitarity result;
  result.largest = largest_;
  result.largest_determinant = largest_determinant_;
  result.worst_site = lattice::site_of_rank(worst / directions, grid_.extents());
  result.worst_link = static_cast<int>(worst % directions);
  result.far_links = far_links_;
  result.mean = distances_.value() / static_cast<double>(link_count());
  return result;
}

void CheckedLinks::add_sites(const Grid& grid, std::uint64_t site, std::span<const double> links,
                             const kernels::RowLine* row) {
  const std::size_t of_site = checks.site_numbers();
  const bool has_row = row != nullptr && checks.have_rows();
  const bool is_far =
      has_row ? checks.add_distances(site, links.size() / of_site, row) : checks.add_distances(site, links);
  if (!is_far) return;
  for (std::size_t at = 0; at < links.size(); at += of_site, ++site) {
    not_finite.value += count_not_finite(links.subspan(at, of_site));
    zeros.add_site(grid, site, links.subspan(at, of_site));
  }
}

Joints::Joints(const Extents& extents) : extents_(extents) {
  std::int64_t places = 0, most = 1;
  for (int mu = 0; mu < extents.size(); ++mu) {
    first_[static_cast<std::size_t>(mu)] = places;
    places += extents[mu];
    most = std::max(most, extents[mu]);
  }
  constexpr double all = 4294967296.0;
  const double wanted = static_cast<double>(sites_of_a_place) * static_cast<double>(most);
  share_ = static_cast<std::uint64_t>(std::min(1.0, wanted / static_cast<double>(volume(extents))) * all);
  numbers_.resize(2 * static_cast<std::size_t>(places));
}

bool Joints::samples(std::uint64_t site) const noexcept {
  constexpr std::uint64_t golden_ratio = 0x9e3779b97f4a7c15;  // multiples are spread evenly
  return (site * golden_ratio) >> 32 < share_;
}

void Joints::add(const Coord& x, int mu, int nu, double plaquette) noexcept {
  if (!(std::abs(plaquette) <= 2)) return;  // links that are not in the group
  const auto term = static_cast<std::uint64_t>(std::llround(plaquette * unit));
  for (const int direction : {mu, nu}) {
    const std::size_t at = place(direction, x[direction]);
    ++numbers_[at];
    numbers_[at + 1] += term;
  }
}

double Joints::mean(std::size_t at) const noexcept {
  return static_cast<double>(static_cast<std::int64_t>(numbers_[at + 1])) / unit / static_cast<double>(numbers_[at]);
}

std::optional<Joints::Broken> Joints::broken(int colors) const {
  double usual = 0;
  for (int mu = 0; mu < extents_.size(); ++mu) {
    std::vector<double> means;
    for (std::int64_t k = 0; k < extents_[mu]; ++k) {
      if (numbers_[place(mu, k)] > 0) means.push_back(mean(place(mu, k)));
    }
    if (means.empty()) continue;
    const auto middle = means.begin() + static_cast<std::ptrdiff_t>(means.size() / 2);
    std::nth_element(means.begin(), middle, means.end());
    usual = std::max(usual, *middle);
  }
  constexpr double least_share = 0.25, enough = 8;  // errors, of the mean over random links
  std::optional<Broken> found;
  for (int mu = 0; mu < extents_.size(); ++mu) {
    for (std::int64_t k = 0; k < extents_[mu] && extents_[mu] > 1; ++k) {
      const std::size_t at = place(mu, k);
      if (numbers_[at] == 0) continue;
      const double here = mean(at), error = 1 / (colors * std::sqrt(static_cast<double>(numbers_[at])));
      if (here > least_share * usual || usual - here < enough * error) continue;
      if (!found) found = Broken{mu, k, here, usual};
      ++found->places;
    }
  }
  return found;
}

std::uint64_t count_not_finite(std::span<const double> numbers) noexcept {
  std::uint64_t count = 0;
  for (const double number : numbers) count += std::isfinite(number) ? 0 : 1;
  return count;
}

}  // namespace lq::physics
