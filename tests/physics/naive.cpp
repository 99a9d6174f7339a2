// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/naive.hpp"

#include <algorithm>
#include <cmath>

namespace lq::naive {

Matrix operator*(const Matrix& a, const Matrix& b) {
  Matrix c(a.n);
  for (int i = 0; i < a.n; ++i) {
    for (int j = 0; j < a.n; ++j) {
      for (int k = 0; k < a.n; ++k) c(i, j) += a(i, k) * b(k, j);
    }
  }
  return c;
}

Matrix dagger(const Matrix& a) {
  Matrix c(a.n);
  for (int i = 0; i < a.n; ++i) {
    for (int j = 0; j < a.n; ++j) c(i, j) = std::conj(a(j, i));
  }
  return c;
}

Complex trace(const Matrix& a) {
  Complex sum = 0;
  for (int i = 0; i < a.n; ++i) sum += a(i, i);
  return sum;
}

Complex determinant(const Matrix& a) {
  if (a.n == 1) return a(0, 0);
  Complex sum = 0;
  for (int column = 0; column < a.n; ++column) {
    Matrix minor(a.n - 1);
    for (int i = 1; i < a.n; ++i) {
      for (int j = 0, to = 0; j < a.n; ++j) {
        if (j != column) minor(i - 1, to++) = a(i, j);
      }
    }
    sum += (column % 2 == 0 ? 1.0 : -1.0) * a(0, column) * determinant(minor);
  }
  return sum;
}

// Random rows, made orthonormal one after the other; the phase of the determinant is taken out of the last.
Matrix random_special_unitary(int colors, std::mt19937_64& engine) {
  std::normal_distribution<double> normal;
  Matrix u(colors);
  for (int i = 0; i < colors; ++i) {
    for (int k = 0; k < colors; ++k) u(i, k) = {normal(engine), normal(engine)};
    for (int j = 0; j < i; ++j) {
      Complex overlap = 0;
      for (int k = 0; k < colors; ++k) overlap += std::conj(u(j, k)) * u(i, k);
      for (int k = 0; k < colors; ++k) u(i, k) -= overlap * u(j, k);
    }
    double norm = 0;
    for (int k = 0; k < colors; ++k) norm += std::norm(u(i, k));
    for (int k = 0; k < colors; ++k) u(i, k) /= std::sqrt(norm);
  }
  const Complex phase = determinant(u);
  for (int k = 0; k < colors; ++k) u(colors - 1, k) /= phase;
  return u;
}

Lattice::Lattice(const Extents& lattice_extents, int lattice_colors)
    : extents(lattice_extents), colors(lattice_colors), sites(volume(lattice_extents)) {
  links.resize(sites * static_cast<std::size_t>(dimensions() * colors * colors));
}

std::size_t Lattice::site(const Coord& x) const {
  std::size_t number = 0;
  for (int d = dimensions() - 1; d >= 0; --d) {
    number = number * static_cast<std::size_t>(extents[d]) + static_cast<std::size_t>(x[d]);
  }
  return number;
}

Coord Lattice::coordinates(std::size_t site) const {
  Coord x = extents;
  for (int d = 0; d < dimensions(); ++d) {
    x[d] = static_cast<std::int64_t>(site) % extents[d];
    site /= static_cast<std::size_t>(extents[d]);
  }
  return x;
}

Coord Lattice::shifted(Coord x, int mu) const {
  x[mu] = (x[mu] + 1) % extents[mu];
  return x;
}

Matrix Lattice::link(const Coord& x, int mu) const {
  Matrix u(colors);
  const auto first =
      (site(x) * static_cast<std::size_t>(dimensions()) + static_cast<std::size_t>(mu)) * u.elements.size();
  std::copy_n(links.begin() + static_cast<std::ptrdiff_t>(first), u.elements.size(), u.elements.begin());
  return u;
}

void Lattice::set_link(const Coord& x, int mu, const Matrix& u) {
  const auto first =
      (site(x) * static_cast<std::size_t>(dimensions()) + static_cast<std::size_t>(mu)) * u.elements.size();
  std::copy(u.elements.begin(), u.elements.end(), links.begin() + static_cast<std::ptrdiff_t>(first));
}

Lattice unit_links(const Extents& extents, int colors) {
  Lattice lattice(extents, colors);
  Matrix one(colors);
  for (int i = 0; i < colors; ++i) one(i, i) = 1;
  for (std::size_t site = 0; site < lattice.sites; ++site) {
    for (int mu = 0; mu < lattice.dimensions(); ++mu) lattice.set_link(lattice.coordinates(site), mu, one);
  }
  return lattice;
}

Lattice random_links(const Extents& extents, int colors, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  Lattice lattice(extents, colors);
  for (std::size_t site = 0; site < lattice.sites; ++site) {
    for (int mu = 0; mu < lattice.dimensions(); ++mu) {
      lattice.set_link(lattice.coordinates(site), mu, random_special_unitary(colors, engine));
    }
  }
  return lattice;
}

Lattice transformed(const Lattice& lattice, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::vector<Matrix> g;
  for (std::size_t site = 0; site < lattice.sites; ++site) g.push_back(random_special_unitary(lattice.colors, engine));
  Lattice result = lattice;
  for (std::size_t site = 0; site < lattice.sites; ++site) {
    const Coord x = lattice.coordinates(site);
    for (int mu = 0; mu < lattice.dimensions(); ++mu) {
      result.set_link(x, mu, g[site] * lattice.link(x, mu) * dagger(g[lattice.site(lattice.shifted(x, mu))]));
    }
  }
  return result;
}

namespace {

Plaquette measure_plaquette(const Lattice& lattice) {
  Plaquette sum;
  int spatial_planes = 0, temporal_planes = 0;
  for (int mu = 0; mu < lattice.dimensions(); ++mu) {
    for (int nu = 0; nu < mu; ++nu) {
      const bool temporal = mu == lattice.dimensions() - 1;
      (temporal ? temporal_planes : spatial_planes) += 1;
      for (std::size_t site = 0; site < lattice.sites; ++site) {
        const Coord x = lattice.coordinates(site);
        const Matrix around = lattice.link(x, mu) * lattice.link(lattice.shifted(x, mu), nu) *
                              dagger(lattice.link(lattice.shifted(x, nu), mu)) * dagger(lattice.link(x, nu));
        (temporal ? sum.temporal : sum.spatial) += trace(around).real() / lattice.colors;
      }
    }
  }
  const double sites = static_cast<double>(lattice.sites);
  sum.average = (sum.spatial + sum.temporal) / (sites * (spatial_planes + temporal_planes));
  sum.spatial = spatial_planes == 0 ? 0 : sum.spatial / (sites * spatial_planes);
  sum.temporal /= sites * temporal_planes;
  return sum;
}

double distance_from_one(const Matrix& a) {
  double largest = 0;
  for (int i = 0; i < a.n; ++i) {
    for (int j = 0; j < a.n; ++j) largest = std::max(largest, std::abs(a(i, j) - (i == j ? 1.0 : 0.0)));
  }
  return largest;
}

}  // namespace

Physics measure(const Lattice& lattice) {
  Physics result;
  result.plaquette = measure_plaquette(lattice);
  const double count = static_cast<double>(lattice.sites) * lattice.dimensions();
  result.unitarity.largest = -1;
  for (std::size_t site = 0; site < lattice.sites; ++site) {
    for (int mu = 0; mu < lattice.dimensions(); ++mu) {
      const Matrix u = lattice.link(lattice.coordinates(site), mu);
      const double distance = distance_from_one(u * dagger(u));
      result.link_trace += trace(u).real() / lattice.colors / count;
      result.unitarity.mean += distance / count;
      auto& worst_determinant = result.unitarity.largest_determinant;
      worst_determinant = std::max(worst_determinant, std::abs(determinant(u) - 1.0));
      if (distance <= result.unitarity.largest) continue;
      result.unitarity.largest = distance;
      result.unitarity.worst_site = lattice.coordinates(site);
      result.unitarity.worst_link = mu;
    }
  }
  for (const Complex& number : lattice.links) {
    result.not_finite += (std::isfinite(number.real()) ? 0U : 1U) + (std::isfinite(number.imag()) ? 0U : 1U);
  }
  return result;
}

}  // namespace lq::naive
