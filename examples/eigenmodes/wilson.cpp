// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "wilson.hpp"

#include <mpi.h>

#include <utility>

namespace eigenmodes {
namespace {

// gamma_mu in the basis of DeGrand and Rossi: row s has `phase[s]` in column `column[s]` and nothing else.
struct Gamma {
  std::array<int, 4> column;
  std::array<Number, 4> phase;
};
constexpr Number i{0, 1};
const std::array<Gamma, 4> gammas{{{{3, 2, 1, 0}, {i, i, -i, -i}},
                                   {{3, 2, 1, 0}, {-1.0, 1.0, 1.0, -1.0}},
                                   {{2, 3, 0, 1}, {i, -i, -i, i}},
                                   {{2, 3, 0, 1}, {1.0, 1.0, 1.0, 1.0}}}};

// out -= weight * (1 - sign gamma) U in, or with U^dagger.
void hop(const Gamma& gamma, double sign, const Number* link, bool is_adjoint, const Number* in, double weight,
         Number* out) {
  std::array<Number, 12> moved;
  for (int s = 0; s < 4; ++s) {
    for (int a = 0; a < 3; ++a) {
      Number sum = 0;
      for (int b = 0; b < 3; ++b) {
        const Number u = is_adjoint ? std::conj(link[3 * b + a]) : link[3 * a + b];
        sum += u * in[3 * s + b];
      }
      moved[static_cast<std::size_t>(3 * s + a)] = sum;
    }
  }
  for (std::size_t s = 0; s < 4; ++s) {
    const auto column = static_cast<std::size_t>(gamma.column[s]);
    for (std::size_t a = 0; a < 3; ++a) {
      out[3 * s + a] -= weight * (moved[3 * s + a] - sign * gamma.phase[s] * moved[3 * column + a]);
    }
  }
}

Links links_of(const lq::Grid& grid, const std::string& configuration) {
  Links links(grid.local_volume());
  lq::read(configuration, grid, lq::gauge(links));
  return links;
}

}  // namespace

Number product(const lq::Grid& grid, const Number* a, const Number* b, std::size_t count) {
  Number sum = 0;
  for (std::size_t k = 0; k < count; ++k) sum += std::conj(a[k]) * b[k];
  if (grid.size() > 1) MPI_Allreduce(MPI_IN_PLACE, &sum, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

Wilson::Wilson(const lq::Grid& grid, const std::string& configuration, double kappa)
    : Wilson(grid, links_of(grid, configuration), kappa) {}

Wilson::Wilson(const lq::Grid& grid, Links links, double kappa) : grid_(grid), kappa_(kappa), links_(std::move(links)) {
  const lq::Extents& local = grid_.local_box().extents;
  const auto sites = static_cast<std::size_t>(local[0] * local[1] * local[2]);
  slice_ = sites * 12;
  above_.resize(slice_);
  below_.resize(slice_);
  links_below_.resize(sites);
  const int up = (grid_.rank() + 1) % grid_.size(), down = (grid_.rank() + grid_.size() - 1) % grid_.size();
  const int count = static_cast<int>(sites * 72);
  MPI_Sendrecv(links_.data() + (links_.size() - sites), count, MPI_DOUBLE, up, 0, links_below_.data(), count,
               MPI_DOUBLE, down, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void Wilson::exchange(const Number* in) const {
  const int up = (grid_.rank() + 1) % grid_.size(), down = (grid_.rank() + grid_.size() - 1) % grid_.size();
  const int count = static_cast<int>(2 * slice_);
  MPI_Sendrecv(in, count, MPI_DOUBLE, down, 1, above_.data(), count, MPI_DOUBLE, up, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv(in + (size() - slice_), count, MPI_DOUBLE, up, 2, below_.data(), count, MPI_DOUBLE, down, 2,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void Wilson::apply(const Number* in, Number* out) const {
  exchange(in);
  const lq::Extents& local = grid_.local_box().extents;
  const std::array<std::int64_t, 4> stride{1, local[0], local[0] * local[1], local[0] * local[1] * local[2]};
  const std::int64_t first_t = grid_.local_box().lower[3], last_t = grid_.extents()[3] - 1;
  const auto volume = static_cast<std::int64_t>(grid_.local_volume());
  for (std::int64_t site = 0; site < volume; ++site) {
    const Number* here = in + 12 * site;
    Number* target = out + 12 * site;
    for (int k = 0; k < 12; ++k) target[k] = here[k];
    std::int64_t rest = site;
    for (std::size_t mu = 0; mu < 4; ++mu) {
      const std::int64_t extent = local[static_cast<int>(mu)], x = rest % extent, step = stride[mu];
      rest /= extent;
      const bool is_cut = mu == 3;
      const std::int64_t up = x + 1 < extent ? site + step : site + step - extent * step;
      const std::int64_t down = x > 0 ? site - step : site - step + extent * step;
      const Number* ahead = is_cut && x + 1 == extent ? above_.data() + 12 * (up % step) : in + 12 * up;
      const Number* behind = is_cut && x == 0 ? below_.data() + 12 * (down % step) : in + 12 * down;
      const auto& links_behind = is_cut && x == 0 ? links_below_[static_cast<std::size_t>(down % step)]
                                                  : links_[static_cast<std::size_t>(down)];
      const double sign_up = is_cut && first_t + x == last_t ? -1 : 1, sign_down = is_cut && first_t + x == 0 ? -1 : 1;
      hop(gammas[mu], 1, links_[static_cast<std::size_t>(site)].data() + 9 * mu, false, ahead, kappa_ * sign_up,
          target);
      hop(gammas[mu], -1, links_behind.data() + 9 * mu, true, behind, kappa_ * sign_down, target);
    }
    for (int k = 6; k < 12; ++k) target[k] = -target[k];  // gamma_5
  }
}

}  // namespace eigenmodes
