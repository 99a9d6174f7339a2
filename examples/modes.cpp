// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How do I store vectors with eigenvalues, and read them so that the next vector is read while I work on one?
//
// Prints:
//   5 modes of the operator hermitian Wilson
//   mode 0: eigenvalue 0.1, residual 1e-10, norm 1
//   mode 1: eigenvalue 0.2, residual 1e-10, norm 1
//   mode 2: eigenvalue 0.3, residual 1e-10, norm 1
//   mode 3: eigenvalue 0.4, residual 1e-10, norm 1
//   mode 4: eigenvalue 0.5, residual 1e-10, norm 1
#include <cmath>
#include <complex>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include <limequat/limequat.hpp>

using Vector = std::vector<std::complex<double>>;  // twelve numbers for each site, x fastest

// A placeholder for a solver.
Vector eigenvector(const lq::Grid& grid, int k) {
  Vector vector(grid.local_volume() * 12);
  for (std::size_t i = 0; i < vector.size(); ++i) {
    vector[i] = std::polar(1.0, static_cast<double>(i * static_cast<std::size_t>(k + 1))) /
                std::sqrt(static_cast<double>(vector.size()));
  }
  return vector;
}

double norm(const Vector& vector) {
  double sum = 0;
  for (const auto& number : vector) sum += std::norm(number);
  return std::sqrt(sum);
}

// [writing]
void write_modes(const std::string& path, const lq::Grid& grid) {
  lq::modes::Description description;
  description.lattice = grid.extents();
  description.storage = lq::modes::Storage::single;
  description.operator_name = "hermitian Wilson";
  description.parameters = {{"kappa", 0.125}, {"tolerance", 1e-10}};
  lq::WriteOptions options;
  options.overwrite = true;
  lq::modes::Writer set(path, grid, description, options);
  for (int k = 0; k < 5; ++k) {
    const Vector vector = eigenvector(grid, k);
    set.append(lq::spinor(vector), {0.1 * (k + 1), 1e-10});  // safe in the file from here on
  }
}
// [/writing]

// [reading]
void read_modes(const std::string& path, const lq::Grid& grid) {
  const lq::modes::Set set(path, grid.communicator());
  std::printf("%d modes of the operator %s\n", static_cast<int>(set.size()), set.description().operator_name.c_str());
  Vector one(grid.local_volume() * 12), other(one.size());
  lq::ReadAhead modes = set.read_ahead(0, set.size(), grid, {lq::spinor(one), lq::spinor(other)});
  while (const auto mode = modes.next()) {  // the next one is being read
    const lq::modes::Mode& known = set.mode(mode->index);
    std::printf("mode %d: eigenvalue %g, residual %g, norm %g\n", static_cast<int>(mode->index),
                known.eigenvalue.real(), known.residual.value(), norm(mode->buffer == 0 ? one : other));
  }
}
// [/reading]

int main(int argc, char** argv) try {
  const std::string path = argc > 1 ? argv[1] : "low.modes";
  const lq::Grid grid(lq::Extents{4, 4, 4, 8});
  write_modes(path, grid);
  read_modes(path, grid);
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
