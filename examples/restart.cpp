// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A program that continues from its last checkpoint, which holds a field, a stream for each rank and small state. It
// runs twice in the same folder:
//
//   mpirun -n 4 restart FOLDER
//
// Prints:
//   from step 0
//   to step 3
//   from step 3
//   to step 6
#include <cstdio>
#include <filesystem>
#include <limequat/limequat.hpp>
#include <limequat/mpi.hpp>
#include <vector>

namespace {

void sweep(std::vector<double>& phi, std::vector<double>& measured) {
  for (double& number : phi) number += 1;
  measured.push_back(phi.empty() ? 0 : phi.front());
}

// [program]
void run(const std::string& folder, const lq::Communicator& ranks) {
  lq::Grid grid(ranks, {8, 8, 8, 16});
  std::vector<double> phi(grid.local_volume()), measured;
  std::uint64_t step = 0;

  lq::Checkpoints checkpoints(folder, ranks, {.keep = 3, .keep_every = 100});
  if (const std::optional<lq::Checkpoint> found = checkpoints.load_newest()) {
    step = found->step();
    found->read_field("phi", grid, lq::sites(phi));  // on this process grid; the writer may have had another one
  }
  if (ranks.is_root()) std::printf("from step %llu\n", static_cast<unsigned long long>(step));

  for (const std::uint64_t end = step + 3; step < end;) {
    sweep(phi, measured);
    ++step;
    lq::CheckpointContents contents;  // refers to the data of the caller
    contents.fields.push_back({"phi", grid, lq::sites(phi)});
    contents.streams.push_back(std::as_bytes(std::span(measured)));  // of this rank
    contents.state["seed"] = std::vector<std::byte>(8);              // the same on all ranks
    checkpoints.save(step, contents);                                // or save_async, compute something else, wait
  }
  if (ranks.is_root()) std::printf("to step %llu\n", static_cast<unsigned long long>(step));
}
// [/program]

}  // namespace

int main(int argc, char** argv) {
  const lq::mpi::Environment mpi(argc, argv);
  try {
    const std::string folder = argc > 1 ? argv[1] : "checkpoints";
    const lq::Communicator ranks = lq::mpi::communicator(MPI_COMM_WORLD);
    if (ranks.is_root()) std::filesystem::remove_all(folder);
    run(folder, ranks);
    run(folder, ranks);
  } catch (const lq::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, error.exit_code());
  }
  return 0;
}
