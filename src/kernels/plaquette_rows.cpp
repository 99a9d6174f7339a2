// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/plaquette_rows.hpp"

#include <limequat/lattice.hpp>

#include "kernels/dispatch.hpp"
#include "kernels/pack.hpp"

namespace lq::kernels {
namespace {

static_assert(isa::most_dimensions == max_dimensions);

// A link within a row.
template <class Real>
struct Link {
  const Real* numbers;
  double operator[](std::size_t k) const noexcept { return static_cast<double>(numbers[k * isa::row_lanes]); }
};

// Sites of one row or of those above it.
template <class Real>
struct SitesOfRow {
  const void* row;
  std::size_t link_numbers, dimensions;
  Link<Real> link(std::size_t site, std::size_t mu) const noexcept {
    const std::size_t block = site / isa::row_lanes * dimensions + mu;
    return {static_cast<const Real*>(row) + block * link_numbers * isa::row_lanes + site % isa::row_lanes};
  }
};

// One element of a product, summed as for any number of colours.
struct Element {
  double re = 0, im = 0;
};

template <class Real>
Element product(std::size_t colors, Link<Real> a, Link<Real> b, std::size_t i, std::size_t j) noexcept {
  Element sum;
  for (std::size_t k = 0; k < colors; ++k) {
    const std::size_t row = 2 * (i * colors + k), column = 2 * (k * colors + j);
    sum.re += a[row] * b[column] - a[row + 1] * b[column + 1];
    sum.im += a[row] * b[column + 1] + a[row + 1] * b[column];
  }
  return sum;
}

template <class Real>
double trace_of_any(std::size_t colors, const Link<Real> (&first)[2], const Link<Real> (&second)[2]) noexcept {
  double trace = 0;
  for (std::size_t ij = 0; ij < colors * colors; ++ij) {
    const Element left = product(colors, first[0], second[0], ij / colors, ij % colors);
    const Element right = product(colors, first[1], second[1], ij / colors, ij % colors);
    trace += left.re * right.re;
    trace += left.im * right.im;
  }
  return trace;
}

template <class Real>
void terms_of_any(std::size_t colors, const PlaquetteRows& rows, double* terms) noexcept {
  const std::size_t numbers = 2 * colors * colors, padded = padded_sites(rows.sites), dimensions = rows.dimensions;
  const SitesOfRow<Real> here{rows.here, numbers, dimensions};
  const auto above = [&](std::size_t mu, std::size_t s) {
    return mu == rows.along ? here.link((s + 1) % rows.sites, 0)
                            : SitesOfRow<Real>{rows.above[mu], numbers, dimensions}.link(s, 0);
  };
  const std::size_t link = numbers * isa::row_lanes, apart = rows.terms_apart > 0 ? rows.terms_apart : padded;
  const auto n = static_cast<double>(colors);
  for (std::size_t s = 0; s < padded; ++s) {
    double* to = terms + s;
    const auto put = [&](double term) {
      *to = s < rows.sites ? term : 0;
      to += apart;
    };
    for (std::size_t mu = 0; mu < dimensions; ++mu) {
      for (std::size_t nu = mu + 1; nu < dimensions; ++nu) {
        const Link<Real> first[2] = {here.link(s, mu), here.link(s, nu)};
        const Link<Real> second[2] = {{above(mu, s).numbers + nu * link}, {above(nu, s).numbers + mu * link}};
        put(trace_of_any(colors, first, second) / n);
      }
    }
    for (std::size_t mu = 0; mu < dimensions; ++mu) {
      double trace = 0;
      for (std::size_t i = 0; i < colors; ++i) trace += here.link(s, mu)[2 * (colors + 1) * i];
      put(trace / n);
    }
  }
}

}  // namespace

void to_row(Precision precision, const void* memory, std::size_t numbers, std::size_t sites, RowLine* row) noexcept {
  loops_of(active_instruction_set())
      .to_rows[index_of(precision)](static_cast<const std::byte*>(memory), numbers, sites, row);
}

void plaquette_terms(Precision precision, int colors, const PlaquetteRows& rows, double* terms) noexcept {
  if (colors == 2 || colors == 3) {
    const auto& loops = loops_of(active_instruction_set()).plaquettes[index_of(precision)];
    return loops[static_cast<std::size_t>(colors) - 2](rows, terms);
  }
  const auto any = precision == Precision::single ? terms_of_any<float> : terms_of_any<double>;
  any(static_cast<std::size_t>(colors), rows, terms);
}

void link_distances(Precision precision, int colors, const RowLine* row, std::size_t dimensions, std::size_t sites,
                    double* from_unitarity, double* from_one) noexcept {
  const auto& loops = loops_of(active_instruction_set()).links[index_of(precision)];
  loops[static_cast<std::size_t>(colors) - 2](row, dimensions, sites, from_unitarity, from_one);
}

double take_roots(double* squares, std::size_t count) noexcept {
  double largest = 0;
  loops_of(active_instruction_set()).take_roots(squares, count, &largest);
  return largest;
}

std::optional<FineSum> sum_small_terms(const double* terms, std::size_t count) noexcept {
  constexpr std::size_t most_terms = std::size_t{1} << 20;
  if (count > most_terms) return std::nullopt;
  FineSum sum;
  const bool are_small = loops_of(active_instruction_set()).sum_small(terms, count, &sum.high, &sum.low);
  return are_small ? std::optional(sum) : std::nullopt;
}

}  // namespace lq::kernels
