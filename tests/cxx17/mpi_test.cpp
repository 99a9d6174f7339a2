// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// <limequat/cxx17_mpi.hpp> on any number of ranks: each writes its rank into its sites, and reads it on another grid.
#include <limequat/cxx17_mpi.hpp>

#include <cstdio>

namespace io = lq::cxx17;

namespace {

bool round_trip() {
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const io::Grid grid = io::grid({4, 4, 4, 8});
  std::vector<std::array<std::complex<double>, 36>> u(grid.local_volume()), back(u.size());
  for (auto& site : u) site.fill({double(grid.rank()), 1.0});
  io::write("field.ildg", grid, io::gauge(u), {{"overwrite", "1"}});
  io::read("field.ildg", grid, io::gauge(back));
  const io::Grid slices = io::grid({4, 4, 4, 8}, MPI_COMM_WORLD, {1, 1, 1, ranks});
  std::vector<std::array<std::complex<double>, 36>> other(slices.local_volume());
  io::read("field.ildg", slices, io::gauge(other));
  const io::Communicator world = io::communicator(MPI_COMM_WORLD);
  io::VerifyOptions options{{"physics", "never"}};
  options.c().communicator = world.get();
  return grid.size() == ranks && back == u && other[0][0].imag() == 1.0 && io::verify("field.ildg", options);
}

bool refused() {
  try {
    io::grid({4, 4, 4, 8}, MPI_COMM_WORLD, {1, 1});
  } catch (const io::Error& error) {
    return error.code == LQ_INVALID_ARGUMENT;
  }
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  bool is_right = false;
  try {
    is_right = round_trip() && refused();
  } catch (const io::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
  }
  MPI_Finalize();
  return is_right ? 0 : 1;
}
