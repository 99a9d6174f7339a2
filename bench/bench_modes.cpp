// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A set of modes: opening it, any mode of it beside plain pread() of the same bytes in the same run, and a pass over
// all of them with work for each, read when it is wanted and read ahead. Ranks hold whole time slices.
//
//   mpirun -n 2 bench_modes FILE [MODES [LATTICE [double|single|fixed16]]]
#include <fcntl.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <random>
#include <string>
#include <vector>

#include <limequat/limequat.hpp>
#include <limequat/mpi.hpp>

namespace {

double now() { return MPI_Wtime(); }
double largest(double seconds) {
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return seconds;
}
double median(std::vector<double> of) {
  std::sort(of.begin(), of.end());
  return of[of.size() / 2];
}

// This rank's part of a mode, in pieces of a mebibyte.
void read_plainly(int file, const lq::Payload& payload, const lq::Grid& grid, std::vector<char>& to) {
  const std::uint64_t site = payload.site_bytes(),
                      slice = payload.extents[0] * payload.extents[1] * payload.extents[2] * site;
  const std::uint64_t begin = payload.offset + static_cast<std::uint64_t>(grid.local_box().lower[3]) * slice;
  const std::uint64_t bytes = grid.local_volume() * site, piece = 1 << 20;
  to.resize(bytes);
  for (std::uint64_t at = 0; at < bytes; at += piece) {
    const std::uint64_t wanted = std::min(piece, bytes - at);
    if (pread(file, to.data() + at, wanted, static_cast<off_t>(begin + at)) != static_cast<ssize_t>(wanted)) {
      throw std::runtime_error("pread failed");
    }
  }
}

// Work on a vector for so long.
double work(const std::vector<float>& vector, double seconds) {
  double sum = 0;
  for (const double end = now() + seconds; now() < end;) {
    for (std::size_t i = 0; i < vector.size(); i += 997) sum += static_cast<double>(vector[i]);
  }
  return sum;
}

struct Pass {
  double whole = 0, reading = 0;
};

Pass pass(const lq::modes::Set& set, const lq::Grid& grid, double seconds, bool ahead) {
  std::vector<float> one(grid.local_volume() * 24), other(one.size());
  double sum = 0;
  Pass times;
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = now();
  if (ahead) {
    lq::ReadAhead modes = set.read_ahead(0, set.size(), grid, {lq::spinor(one), lq::spinor(other)});
    while (const auto mode = modes.next()) sum += work(mode->buffer == 0 ? one : other, seconds);
  } else {
    for (std::uint64_t k = 0; k < set.size(); ++k) {
      const double before = now();
      set.read(k, grid, lq::spinor(one));
      times.reading += now() - before;
      sum += work(one, seconds);
    }
  }
  times.whole = largest(now() - start);
  times.reading = largest(times.reading);
  if (sum == 0.5) std::puts("");  // the work is not left out
  return times;
}

void write_set(const std::string& path, const lq::Grid& grid, std::uint64_t count, lq::modes::Storage storage) {
  lq::modes::Description description;
  description.lattice = grid.extents();
  description.storage = storage;
  lq::WriteOptions options;
  options.overwrite = true;
  lq::modes::Writer set(path, grid, description, options);
  std::vector<float> vector(grid.local_volume() * 24);
  std::mt19937 random(static_cast<unsigned>(grid.rank()));
  for (float& number : vector) number = static_cast<float>(random()) / 4e9F - 0.5F;
  std::vector<double> seconds;
  for (std::uint64_t k = 0; k < count; ++k) {
    vector[k] += 1;
    const double before = now();
    set.append(lq::spinor(vector), {static_cast<double>(k), 1e-9});
    seconds.push_back(largest(now() - before));
  }
  if (grid.is_root()) {
    std::printf("adding a mode: %.1f ms (median), %.1f ms at most\n", 1e3 * median(seconds),
                1e3 * *std::max_element(seconds.begin(), seconds.end()));
  }
}

void run(const std::string& path, std::uint64_t count, const lq::Extents& lattice, lq::modes::Storage storage) {
  const lq::Communicator ranks = lq::mpi::communicator();
  const lq::Grid grid(ranks, lattice, {.processes = lq::Extents{1, 1, 1, ranks.size()}});
  write_set(path, grid, count, storage);

  std::vector<double> opening;
  for (int i = 0; i < 7; ++i) {
    const double before = now();
    lq::modes::Set opened(path, ranks);
    opening.push_back(largest(now() - before));
  }
  const lq::modes::Set set(path, ranks);
  const double megabytes = static_cast<double>(set.file().catalog().fields.front().payload.length) / 1e6;
  if (grid.is_root()) {
    std::printf("%d modes of %s, %s, %.1f MB each; %d ranks\nopening: %.2f ms (median of 7)\n", static_cast<int>(count),
                to_string(lattice).c_str(), std::string(name(storage)).c_str(), megabytes, grid.size(),
                1e3 * median(opening));
  }

  const int file = open(path.c_str(), O_RDONLY);
  std::vector<char> raw;
  std::vector<float> vector(grid.local_volume() * 24);
  std::vector<double> plainly, checked, unchecked;
  std::mt19937 random(1);
  for (int round = 0; round < 31; ++round) {
    const std::uint64_t k = random() % count;
    const auto time = [&](const auto& work) {
      MPI_Barrier(MPI_COMM_WORLD);
      const double before = now();
      work();
      return largest(now() - before);
    };
    plainly.push_back(time([&] { read_plainly(file, set.file().catalog().fields[k].payload, grid, raw); }));
    checked.push_back(time([&] { set.read(k, grid, lq::spinor(vector)); }));
    unchecked.push_back(time([&] { set.read(k, grid, lq::spinor(vector), {.verify = lq::Verify::none}); }));
  }
  close(file);
  if (grid.is_root()) {
    std::printf("any mode: pread %.2f ms, with checksums %.2f ms (%.2f of pread), without %.2f ms (%.2f)\n",
                1e3 * median(plainly), 1e3 * median(checked), median(plainly) / median(checked),
                1e3 * median(unchecked), median(plainly) / median(unchecked));
  }
  for (const double factor : {0.5, 1.0, 2.0}) {
    const double seconds = factor * median(checked);
    const Pass behind = pass(set, grid, seconds, false), ahead = pass(set, grid, seconds, true);
    const double computing = seconds * static_cast<double>(count), longer = std::max(computing, behind.reading);
    if (grid.is_root()) {
      std::printf(
          "a pass: reading %.2f s, computing %.2f s: %.2f s when wanted, %.2f s ahead, %.2f of the longer one\n",
          behind.reading, computing, behind.whole, ahead.whole, ahead.whole / longer);
    }
  }
}

}  // namespace

int main(int argc, char** argv) try {
  lq::mpi::Environment mpi(argc, argv);
  if (argc < 2) {
    std::fprintf(stderr, "usage: bench_modes FILE [MODES [LATTICE [double|single|fixed16]]]\n");
    return 2;
  }
  run(argv[1], argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 300,
      lq::parse_extents(argc > 3 ? argv[3] : "16x16x16x32"), lq::modes::parse_storage(argc > 4 ? argv[4] : "single"));
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
