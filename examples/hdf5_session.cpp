// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Writes a configuration and measurements on it into one HDF5 file (docs/guide/hdf5.md).
//
//   c++ -std=c++20 hdf5_session.cpp -llimequat && ./a.out run.h5
//
// Prints:
//   /conf.0010 holds column, gauge, momentum, mu, pion, plaquette, row, t, x, y, z
#include <complex>
#include <cstdio>
#include <vector>

#include <limequat/limequat.hpp>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const lq::Grid grid(lq::Extents{4, 4, 4, 8});
  std::vector<double> links(grid.volume() * 72, 0.0);
  for (std::size_t i = 0; i < links.size(); i += 18) links[i] = links[i + 8] = links[i + 16] = 1;
  std::remove(argv[1]);
  try {
    // [session]
    lq::hdf5::File file(argv[1], lq::hdf5::Mode::append, grid.communicator());
    file.push("/conf.0010");                      // makes the group, steps in
    file.write("gauge", grid, lq::gauge(links));  // by all ranks, at their speed
    file.set_attribute("gauge", "beta", 6.0);
    file.write("plaquette", 1.0);
    lq::hdf5::Array pion(std::vector<std::complex<double>>(2 * 8), {2, 8});
    pion.axes = {{"momentum", {0, 1}}, {"t", {}}};  // names and coordinates, for xarray
    file.write("pion", pion);
    file.flush();  // everything is safe in the file from now on
    // [/session]
    std::printf("%s holds ", file.pwd().c_str());
    const char* between = "";
    for (const lq::hdf5::Entry& entry : file.ls()) {
      std::printf("%s%s", between, entry.name.c_str());
      between = ", ";
    }
    std::printf("\n");
    file.close();
  } catch (const lq::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
