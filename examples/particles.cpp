// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Checkpoints of a particle code, 56 bytes per particle: each rank writes its own particles as a stream of a multifile,
// and half of the ranks restart from it. The checkpoint also holds a field on a mesh, by name. For comparison, the
// common method: rank 0 collects all particles and writes one file.
//
//   mpirun -n 4 particles FILE
//
// Prints, on any number of ranks:
//   1000 particles written, 56000 bytes
//   restarted on fewer ranks: 1000 particles, sum of numbers 499500
//   the potential of 512 cells: sum 130816
//   500 more: 1500 particles, sum of numbers 1124250
//   every chunk is as it was written
//   the file of one rank holds the same
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <limequat/limequat.hpp>
#include <limequat/mpi.hpp>
#include <numeric>

namespace {

struct Particle {
  double position[3];
  double velocity[3];
  std::int64_t number;
};
static_assert(sizeof(Particle) == 56);

// The particles first, first + 1, ... of `count` that this rank has of `total`.
std::vector<Particle> make_particles(std::int64_t first, std::int64_t total, const lq::Communicator& ranks) {
  std::vector<Particle> mine;
  const std::int64_t begin = total * ranks.rank() / ranks.size(), end = total * (ranks.rank() + 1) / ranks.size();
  for (std::int64_t i = first + begin; i < first + end; ++i) {
    const auto x = static_cast<double>(i);
    mine.push_back({{x, 2 * x, 3 * x}, {0.5, -0.5, 0.25 * x}, i});
  }
  return mine;
}

// The numbers of this rank's cells of a mesh.
std::vector<double> make_potential(const lq::Grid& mesh) {
  std::vector<double> mine;
  const lq::Box& box = mesh.local_box();
  const auto end = [&](int d) { return box.lower[d] + box.extents[d]; };
  for (std::int64_t z = box.lower[2]; z < end(2); ++z) {
    for (std::int64_t y = box.lower[1]; y < end(1); ++y) {
      for (std::int64_t x = box.lower[0]; x < end(0); ++x) mine.push_back(static_cast<double>(x + 8 * (y + 8 * z)));
    }
  }
  return mine;
}

// [field]
void write_potential(const std::string& path, const lq::Grid& mesh, const std::vector<double>& mine) {
  lq::MultifileWriter writer = lq::MultifileWriter::append(path, mesh.communicator());
  writer.write_field("potential", mesh, lq::sites(mine));
  writer.close();
}

// Works for any process grid that the mesh had before.
std::vector<double> read_potential(const std::string& path, const lq::Grid& mesh) {
  const lq::MultifileReader reader(path, mesh.communicator());
  std::vector<double> mine(mesh.local_volume());
  reader.read_field("potential", mesh, lq::sites(mine));
  return mine;
}
// [/field]

// [writing]
void write_checkpoint(const std::string& path, const std::vector<Particle>& mine, const lq::Communicator& ranks) {
  lq::MultifileOptions options;
  options.expected_bytes = mine.size() * sizeof(Particle);
  options.overwrite = true;
  lq::MultifileWriter writer(path, ranks, options);
  for (const Particle& particle : mine) writer.stream().write_value(particle);
  writer.close();
}
// [/writing]

// [reading]
std::vector<Particle> read_checkpoint(const std::string& path, const lq::Communicator& ranks) {
  const lq::MultifileReader reader(path, ranks, {.record_bytes = sizeof(Particle)});
  lq::InStream window = reader.window();
  std::vector<Particle> mine(window.size() / sizeof(Particle));
  window.read_whole(std::as_writable_bytes(std::span(mine)));
  return mine;
}
// [/reading]

void append_to_checkpoint(const std::string& path, const std::vector<Particle>& more, const lq::Communicator& ranks) {
  lq::MultifileWriter writer = lq::MultifileWriter::append(path, ranks);
  writer.stream().write(more);
  writer.close();
}

// The traditional method: everything through one rank.
void write_sequentially(const std::string& path, const std::vector<Particle>& mine, MPI_Comm comm) {
  int rank = 0, size = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  const int bytes = static_cast<int>(mine.size() * sizeof(Particle));
  if (rank > 0) {
    MPI_Send(mine.data(), bytes, MPI_BYTE, 0, 0, comm);
    return;
  }
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(mine.data()), bytes);
  for (int other = 1; other < size; ++other) {
    MPI_Status status;
    MPI_Probe(other, 0, comm, &status);
    int theirs = 0;
    MPI_Get_count(&status, MPI_BYTE, &theirs);
    std::vector<char> buffer(static_cast<std::size_t>(theirs));
    MPI_Recv(buffer.data(), theirs, MPI_BYTE, other, 0, comm, MPI_STATUS_IGNORE);
    file.write(buffer.data(), theirs);
  }
}

struct Sum {
  long long particles = 0, numbers = 0;
};

Sum sum_of(const std::vector<Particle>& mine, MPI_Comm comm) {
  long long sums[2] = {static_cast<long long>(mine.size()), 0};
  for (const Particle& particle : mine) sums[1] += particle.number;
  MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_LONG_LONG, MPI_SUM, comm);
  return {sums[0], sums[1]};
}

bool holds_the_same(const std::string& path, const std::string& sequential) {
  std::ifstream file(sequential, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  const auto all = lq::MultifileReader(path).window().read_all();
  return std::ranges::equal(std::as_bytes(std::span(bytes)), all);
}

void run(const std::string& path) {
  const lq::Communicator all = lq::mpi::communicator();
  int rank = all.rank();
  const std::vector<Particle> mine = make_particles(0, 1000, all);
  write_checkpoint(path, mine, all);
  const lq::Grid mesh(all, {8, 8, 8});
  write_potential(path, mesh, make_potential(mesh));
  write_sequentially(path + ".sequential", mine, MPI_COMM_WORLD);
  all.barrier();
  if (rank == 0) {
    const lq::MultifileReader reader(path);
    std::printf("1000 particles written, %llu bytes\n", static_cast<unsigned long long>(reader.info().bytes));
  }

  // A restart on half of the ranks, which continue and add their own particles.
  const bool takes_part = rank < (all.size() + 1) / 2;
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, takes_part ? 0 : MPI_UNDEFINED, 0, &half);
  if (takes_part) {
    const lq::Communicator fewer = lq::mpi::communicator(half);
    const Sum before = sum_of(read_checkpoint(path, fewer), half);
    if (rank == 0)
      std::printf("restarted on fewer ranks: %lld particles, sum of numbers %lld\n", before.particles, before.numbers);
    const std::vector<double> potential = read_potential(path, lq::Grid(fewer, {8, 8, 8}));
    double sums[2] = {static_cast<double>(potential.size()), std::accumulate(potential.begin(), potential.end(), 0.0)};
    MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, half);
    if (rank == 0) std::printf("the potential of %g cells: sum %.0f\n", sums[0], sums[1]);
    const bool is_same = rank > 0 || holds_the_same(path, path + ".sequential");
    append_to_checkpoint(path, make_particles(1000, 500, fewer), fewer);
    const Sum after = sum_of(read_checkpoint(path, fewer), half);
    if (rank == 0) {
      std::printf("500 more: %lld particles, sum of numbers %lld\n", after.particles, after.numbers);
      std::printf("every chunk is %s\n", lq::verify_multifile(path).is_sound() ? "as it was written" : "damaged");
      std::printf("the file of one rank holds %s\n", is_same ? "the same" : "something else");
    }
    MPI_Comm_free(&half);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const lq::mpi::Environment mpi(argc, argv);
  try {
    run(argc > 1 ? argv[1] : "particles.sion");
  } catch (const lq::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, error.exit_code());
  }
  return 0;
}
