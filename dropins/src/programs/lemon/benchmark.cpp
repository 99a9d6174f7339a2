// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lemon_benchmark L ITERATIONS: a lattice of about L^3 x 2L, 72 doubles per site, written and read back through Lemon's
// interface, and compared number by number; Lemon's compares MD5 hashes, as the output says. Same output as
// Lemon's, followed by a comparison with all ranks writing the same bytes with plain
// MPI_File_write_at.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include <lemon.h>

namespace {

constexpr const char* path = "benchmark.test";
constexpr std::size_t numbers = 72;
constexpr MPI_Offset site_bytes = numbers * sizeof(double);

// "12.3 MB", with powers of 1000.
std::string human(double bytes) {
  constexpr std::array units{"kB", "MB", "GB", "TB", "PB", "EB"};
  std::array<char, 32> text{};
  if (bytes < 1000) {
    std::snprintf(text.data(), text.size(), "%.0f B", bytes);
    return text.data();
  }
  std::size_t unit = 0;
  double value = bytes / 1000;
  for (; value > 1000 && unit + 1 < units.size(); ++unit) value /= 1000;
  const int decimals = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  std::snprintf(text.data(), text.size(), "%5.*f %s", decimals, value, units[unit]);
  return text.data();
}

struct Lattice {
  MPI_Comm comm = MPI_COMM_NULL;
  int rank = 0, ranks = 1;
  std::array<int, 4> grid{}, local{}, global{};
  std::size_t local_sites = 1;

  std::size_t local_bytes() const { return local_sites * static_cast<std::size_t>(site_bytes); }
  std::size_t bytes() const { return local_bytes() * static_cast<std::size_t>(ranks); }
};

Lattice deal_out(int size) {
  Lattice lattice;
  MPI_Comm_size(MPI_COMM_WORLD, &lattice.ranks);
  MPI_Dims_create(lattice.ranks, 4, lattice.grid.data());
  for (std::size_t d = 0; d < 4; ++d) {
    lattice.local[d] = std::max((d == 3 ? 2 * size : size) / lattice.grid[d], 1);
    lattice.global[d] = lattice.local[d] * lattice.grid[d];
    lattice.local_sites *= static_cast<std::size_t>(lattice.local[d]);
  }
  const std::array<int, 4> periods{1, 1, 1, 1};
  MPI_Cart_create(MPI_COMM_WORLD, 4, lattice.grid.data(), periods.data(), 1, &lattice.comm);
  MPI_Comm_rank(lattice.comm, &lattice.rank);
  return lattice;
}

void announce(const Lattice& lattice) {
  if (lattice.rank != 0) return;
  const auto& [x, y, z, t] = lattice.global;
  std::printf("Benchmark on a block of data %s in size,\n", human(static_cast<double>(lattice.bytes())).c_str());
  std::printf("representing a %d x %d x %d x %d lattice", x, y, z, t);
  if (lattice.ranks == 1) {
    std::printf(".\n\n");
    return;
  }
  std::printf(",\ndistributed over %d MPI processes\n", lattice.ranks);
  std::printf("for a local %d x %d x %d x %d lattice.\n\n", lattice.local[0], lattice.local[1], lattice.local[2],
              lattice.local[3]);
}

// Collective. Seconds from a barrier until the last rank has done its `work`; negative if it failed anywhere.
template <class Work>
double timed(const Lattice& lattice, Work&& work) {
  MPI_Barrier(lattice.comm);
  const double start = MPI_Wtime();
  int good = work() == 0 ? 1 : 0;
  double seconds = MPI_Wtime() - start;
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, lattice.comm);
  MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_MIN, lattice.comm);
  return good != 0 ? seconds : -1;
}

// Collective. An empty file, deleted on close if `is_last`.
MPI_File open_file(const Lattice& lattice, int mode) {
  MPI_File file = MPI_FILE_NULL;
  if (MPI_File_open(lattice.comm, path, mode, MPI_INFO_NULL, &file) != MPI_SUCCESS) return MPI_FILE_NULL;
  if ((mode & MPI_MODE_CREATE) != 0) MPI_File_set_size(file, 0);
  return file;
}

double write_lattice(const Lattice& lattice, std::vector<double>& data) {
  MPI_File file = open_file(lattice, MPI_MODE_WRONLY | MPI_MODE_CREATE);
  LemonWriter* writer = lemonCreateWriter(&file, lattice.comm);
  if (writer == nullptr) return -1;
  LemonRecordHeader* header = lemonCreateHeader(1, 1, "benchmark", static_cast<MPI_Offset>(lattice.bytes()));
  int status = lemonWriteRecordHeader(header, writer);
  lemonDestroyHeader(header);
  const double seconds =
      timed(lattice, [&] { return lemonWriteLatticeParallel(writer, data.data(), site_bytes, lattice.global.data()); });
  status = std::min(status, lemonWriterCloseRecord(writer));
  lemonDestroyWriter(writer);
  MPI_File_close(&file);
  return status == LEMON_SUCCESS ? seconds : -1;
}

double read_lattice(const Lattice& lattice, std::vector<double>& data) {
  MPI_File file = open_file(lattice, MPI_MODE_RDONLY | MPI_MODE_DELETE_ON_CLOSE);
  LemonReader* reader = lemonCreateReader(&file, lattice.comm);
  if (reader == nullptr) return -1;
  const bool is_ours =
      lemonReaderNextRecord(reader) == LEMON_SUCCESS && std::strcmp(lemonReaderType(reader), "benchmark") == 0;
  const double seconds =
      timed(lattice, [&] { return lemonReadLatticeParallel(reader, data.data(), site_bytes, lattice.global.data()); });
  lemonDestroyReader(reader);
  MPI_File_close(&file);
  return is_ours ? seconds : -1;
}

// The same bytes, one block per rank.
double write_raw(const Lattice& lattice, const std::vector<double>& data) {
  MPI_File file = open_file(lattice, MPI_MODE_WRONLY | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE);
  if (file == MPI_FILE_NULL) return -1;
  const double seconds = timed(lattice, [&] {
    constexpr std::size_t piece = 1024 * 1024;
    const char* bytes = reinterpret_cast<const char*>(data.data());
    const auto first = static_cast<MPI_Offset>(lattice.local_bytes()) * lattice.rank;
    for (std::size_t at = 0; at < lattice.local_bytes(); at += piece) {
      const int count = static_cast<int>(std::min(piece, lattice.local_bytes() - at));
      const int code =
          MPI_File_write_at(file, first + static_cast<MPI_Offset>(at), bytes + at, count, MPI_BYTE, MPI_STATUS_IGNORE);
      if (code != MPI_SUCCESS) return code;
    }
    return static_cast<int>(MPI_SUCCESS);
  });
  MPI_File_close(&file);
  return seconds;
}

struct Times {
  std::vector<double> write, read, raw;
  int failures = 0;
};

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double deviation(const std::vector<double>& values) {
  const double centre = mean(values);
  double sum = 0;
  for (const double value : values) sum += (value - centre) * (value - centre);
  return std::sqrt(sum / static_cast<double>(values.size()));
}

// Collective. One line of times each, and the verdict. false: a call failed.
bool measure(const Lattice& lattice, std::vector<double>& data, std::mt19937_64& random, Times& times) {
  const bool prints = lattice.rank == 0;
  std::uniform_real_distribution<double> unit;
  std::mt19937_64 again = random;  // generates the same numbers again, so that memory holds them once
  for (double& number : data) number = unit(random);
  times.write.push_back(write_lattice(lattice, data));
  if (times.write.back() < 0) return false;
  if (prints) std::printf("Time spent writing was %4.2g s.\n", times.write.back());
  std::fill(data.begin(), data.end(), 0.0);
  times.read.push_back(read_lattice(lattice, data));
  if (times.read.back() < 0) return false;
  if (prints) std::printf("Time spent reading was %4.2g s.\n", times.read.back());
  unit.reset();
  int wrong = 0;
  for (const double number : data) wrong |= number == unit(again) ? 0 : 1;
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, lattice.comm);
  times.failures += wrong;
  if (prints) {
    std::printf(wrong == 0 ? "All nodes report that MD5 hash matches.\n\n" : "WARNING: MD5 hash failure detected!\n\n");
  }
  times.raw.push_back(write_raw(lattice, data));
  return times.raw.back() >= 0;
}

void summarise(const Lattice& lattice, const Times& times) {
  if (lattice.rank != 0) return;
  const auto bytes = static_cast<double>(lattice.bytes());
  std::printf("Average time spent writing was %4.2e s, ", mean(times.write));
  std::printf("with a standard deviation of %4.2e s.\n", deviation(times.write));
  std::printf("Average time spent reading was %4.2e s, ", mean(times.read));
  std::printf("with a standard deviation of %4.2e s.\n\n", deviation(times.read));
  std::printf("Average writing speed was %s/s\n", human(bytes / mean(times.write)).c_str());
  std::printf("Average reading speed was %s/s\n", human(bytes / mean(times.read)).c_str());
  if (times.failures == 0) {
    std::printf("All data hashed correctly.\n");
  } else {
    std::printf("WARNING: %d hash mismatches detected!.\n", times.failures);
  }
  std::printf("Writing took %.2f times as long as a raw write of the same bytes (%s/s).\n",
              mean(times.write) / mean(times.raw), human(bytes / mean(times.raw)).c_str());
}

int usage(int rank, const char* program) {
  if (rank != 0) return EXIT_FAILURE;
  std::fprintf(stderr,
               "LEMON_BENCHMARK\n"
               "   Writes and reads a lattice in parallel, through the Lemon interface, and prints the rates.\n\n"
               "   Usage:\n"
               "      %s [L] [iterations]\n\n"
               "   L:\n"
               "      The lattice is L^3 x 2L, or near that if it cannot be distributed evenly.\n"
               "      A positive integer.\n"
               "   iterations:\n"
               "      Number of measurements; each time is printed, and the averages.\n"
               "      A positive integer.\n",
               program);
  return EXIT_FAILURE;
}

int run(int size, int iterations) {
  const Lattice lattice = deal_out(size);
  announce(lattice);
  std::vector<double> data(lattice.local_sites * numbers);
  std::mt19937_64 random(std::random_device{}() + static_cast<unsigned>(lattice.rank));
  Times times;
  bool good = true;
  for (int i = 0; i < iterations && good; ++i) {
    if (lattice.rank == 0) std::printf("Measurement %d of %d.\n", i + 1, iterations);
    good = measure(lattice, data, random, times);
  }
  if (good) summarise(lattice, times);
  if (!good && lattice.rank == 0) std::fprintf(stderr, "ERROR: %s could not be written or read.\n", path);
  MPI_Comm comm = lattice.comm;
  MPI_Comm_free(&comm);
  return good && times.failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace

int main(int argc, char* argv[]) {
  int rank = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int size = argc == 3 ? std::atoi(argv[1]) : 0;
  const int iterations = argc == 3 ? std::atoi(argv[2]) : 0;
  const int result = size > 0 && iterations > 0 ? run(size, iterations) : usage(rank, argv[0]);
  MPI_Finalize();
  return result;
}
