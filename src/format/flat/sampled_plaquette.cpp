// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "format/flat/flat.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <vector>

#include "base/bytes.hpp"
#include "lattice/site_order.hpp"

namespace lq::format::flat {
namespace {

using Matrix = std::vector<std::complex<double>>;

// On larger lattices this many runs of sites, adjacent along the fastest dimension: each takes a few reads.
constexpr std::uint64_t runs = 6;
constexpr std::int64_t run_sites = 8;
constexpr double cold = 0.999;  // links nearly equal to 1 are so in any order

class Reader {
 public:
  Reader(base::ByteSource& file, int colors, ByteOrder order, LinkAt link_at)
      : file_(file), n_(static_cast<std::size_t>(colors)), order_(order), link_at_(link_at), bytes_(16 * n_ * n_) {}

  // False: the file ends before.
  bool read(const Coord& site, int direction, Matrix& link) {
    if (file_.read_at(link_at_(site, direction), bytes_) < bytes_.size()) return false;
    link.resize(n_ * n_);
    for (std::size_t k = 0; k < link.size(); ++k) link[k] = {number(2 * k), number(2 * k + 1)};
    return true;
  }

 private:
  double number(std::size_t k) const {
    const std::byte* const at = bytes_.data() + 8 * k;
    return std::bit_cast<double>(order_ == ByteOrder::big ? base::load_be<std::uint64_t>(at)
                                                          : base::load_le<std::uint64_t>(at));
  }

  base::ByteSource& file_;
  std::size_t n_;
  ByteOrder order_;
  LinkAt link_at_;
  std::vector<std::byte> bytes_;
};

bool is_zero(const Matrix& link) {
  return std::ranges::all_of(link, [](const auto& element) { return element == 0.0; });
}

Matrix product(const Matrix& a, const Matrix& b, std::size_t n) {
  Matrix c(n * n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t j = 0; j < n; ++j) c[i * n + j] += a[i * n + k] * b[k * n + j];
    }
  }
  return c;
}

// Re Tr a b^dagger / N.
double overlap(const Matrix& a, const Matrix& b, std::size_t n) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += (a[k] * std::conj(b[k])).real();
  return sum / static_cast<double>(n);
}

std::vector<Coord> sites_to_sample(const Extents& extents, std::uint64_t all_up_to) {
  const SiteOrder natural = lattice::resolve_order({}, extents.size());
  const Box all = whole(extents);
  std::vector<Coord> sites;
  const auto sites_of = [&](std::uint64_t first, std::uint64_t count) {
    for (std::uint64_t k = first; k < first + count; ++k) sites.push_back(lattice::site_at(k, all, natural));
  };
  const std::uint64_t volume = all.volume();
  if (volume <= all_up_to) {
    sites_of(0, volume);
    return sites;
  }
  for (std::uint64_t run = 0; run < runs; ++run) {
    sites_of(std::min((2 * run + 1) * (volume / (2 * runs)), volume - run_sites), run_sites);
  }
  return sites;
}

}  // namespace

bool Sampled::agrees_with(double stated) const noexcept {
  constexpr double printed = 1e-5;
  return distance_from(stated) <= uncertainty + printed;
}

bool Sampled::is_telling() const noexcept {
  constexpr double least = 0.05;
  return mean > std::max(uncertainty, least) && mean < cold;
}

double Sampled::distance_from(double stated) const noexcept {
  const double of_mean = std::abs(mean - stated), of_average = std::abs(average - stated);
  return of_average < of_mean ? of_average : of_mean;  // also if the average is NaN
}

std::optional<Sampled> sample_plaquette(base::ByteSource& file, const Extents& extents, int colors, ByteOrder order,
                                        LinkAt link_at, std::uint64_t all_up_to) {
  const auto n = static_cast<std::size_t>(colors);
  Reader reader(file, colors, order, link_at);
  const std::vector<Coord> sites = sites_to_sample(extents, all_up_to);
  constexpr double most = 1.001;
  bool has_all = sites.size() == volume(extents);
  double sum = 0, squares = 0, count = 0, sum_of_all = 0, count_of_all = 0;
  Matrix u_mu, u_nu, above_mu, above_nu;
  const auto next = [&](Coord x, int direction) {
    x[direction] = (x[direction] + 1) % extents[direction];
    return x;
  };
  for (const Coord& x : sites) {
    double of_site = 0, planes = 0;
    for (int nu = 1; nu < extents.size(); ++nu) {
      for (int mu = 0; mu < nu; ++mu) {
        if (!reader.read(x, mu, u_mu) || !reader.read(x, nu, u_nu) || !reader.read(next(x, mu), nu, above_mu) ||
            !reader.read(next(x, nu), mu, above_nu)) {
          return {};
        }
        const double plaquette = overlap(product(u_mu, above_mu, n), product(u_nu, above_nu, n), n);
        sum_of_all += plaquette;
        ++count_of_all;
        // Zero and invalid links say nothing about the order of the others.
        const bool is_one =
            std::abs(plaquette) <= most && !is_zero(u_mu) && !is_zero(u_nu) && !is_zero(above_mu) && !is_zero(above_nu);
        has_all = has_all && is_one;
        if (!is_one) continue;
        of_site += plaquette;
        ++planes;
      }
    }
    if (planes == 0) continue;
    sum += of_site / planes;
    squares += of_site / planes * (of_site / planes);
    ++count;
  }
  if (count == 0) return {};
  const double mean = sum / count;
  const double average = sum_of_all / count_of_all;
  if (has_all) return Sampled{mean, 0, average};
  constexpr double deviations = 8;  // neighbouring plaquettes are correlated
  const double variance = std::max(squares / count - mean * mean, 0.0);
  return Sampled{mean, deviations * std::sqrt(variance / count), average};
}

}  // namespace lq::format::flat
