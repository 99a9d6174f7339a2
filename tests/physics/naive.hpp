// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A second, plain implementation of what the library computes: the whole lattice in one array of std::complex,
// loops written down as in a textbook, no halos, no tricks. For small lattices.
#pragma once

#include <complex>
#include <cstdint>
#include <random>
#include <vector>

#include <limequat/lattice.hpp>
#include <limequat/physics.hpp>

namespace lq::naive {

using Complex = std::complex<double>;

// A square matrix.
struct Matrix {
  explicit Matrix(int colors = 0) : n(colors), elements(static_cast<std::size_t>(colors * colors)) {}
  Complex& operator()(int row, int column) { return elements[static_cast<std::size_t>(row * n + column)]; }
  Complex operator()(int row, int column) const { return elements[static_cast<std::size_t>(row * n + column)]; }

  int n = 0;
  std::vector<Complex> elements;
};

Matrix operator*(const Matrix& a, const Matrix& b);
Matrix dagger(const Matrix& a);
Complex trace(const Matrix& a);
Complex determinant(const Matrix& a);  // by expansion along the first row
Matrix random_special_unitary(int colors, std::mt19937_64& engine);

// All links of a lattice, [site][mu][row][column] with x running fastest.
struct Lattice {
  Lattice(const Extents& lattice_extents, int lattice_colors);  // all links 0
  std::size_t site(const Coord& x) const;
  Coord coordinates(std::size_t site) const;
  Coord shifted(Coord x, int mu) const;
  Matrix link(const Coord& x, int mu) const;
  void set_link(const Coord& x, int mu, const Matrix& u);
  int dimensions() const { return extents.size(); }

  Extents extents;
  int colors = 0;
  std::size_t sites = 0;
  std::vector<Complex> links;
};

Lattice unit_links(const Extents& extents, int colors);
Lattice random_links(const Extents& extents, int colors, std::uint64_t seed);
// U_mu(x) becomes g(x) U_mu(x) g(x+mu)^dagger with random g.
Lattice transformed(const Lattice& lattice, std::uint64_t seed);

Physics measure(const Lattice& lattice);

}  // namespace lq::naive
