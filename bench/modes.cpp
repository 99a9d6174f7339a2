// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A set of modes: opening it, any mode of it beside plain pread() of the same bytes in the same run, by itself and with
// each piece copied once more while it is in the cache, which is the least that a pass over it costs; and a pass over
// all of them with work for each, read when it is wanted and read ahead; out of the page cache, and from the device
// after the file was dropped from it. With BASIS the later modes are stored as coefficients. Ranks hold whole time
// slices. Work is an amount of it, as much as an idle core does in the time named, so that it takes longer where a core
// has to read as well.
//
//   mpirun -n 2 bench_more modes FILE [MODES [LATTICE [double|single|fixed16 [BASIS [THREADS]]]]]
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <limequat/limequat.hpp>

#include "more.hpp"

namespace {

// This rank's part of a mode, in pieces; each is then copied, where there is a place for that.
void read_plainly(int file, const lq::Payload& payload, const lq::Grid& grid, std::uint64_t piece,
                  std::vector<char>& to, char* place = nullptr) {
  const lq::Extents& extents = payload.extents;
  const std::uint64_t site = payload.site_bytes(),
                      slice = static_cast<std::uint64_t>(extents[0] * extents[1] * extents[2]) * site;
  const std::uint64_t begin = payload.offset + static_cast<std::uint64_t>(grid.local_box().lower[3]) * slice;
  const std::uint64_t bytes = grid.local_volume() * site;
  to.resize(bytes);
  for (std::uint64_t at = 0; at < bytes; at += piece) {
    const std::uint64_t wanted = std::min(piece, bytes - at);
    if (pread(file, to.data() + at, wanted, static_cast<off_t>(begin + at)) != static_cast<ssize_t>(wanted)) {
      throw std::runtime_error("pread failed");
    }
    if (place != nullptr) std::memcpy(place, to.data() + at, wanted);
  }
}

// Of all threads of this rank.
double processor_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

// So many sums of a few numbers of a vector.
double work(const std::vector<float>& vector, long rounds) {
  double sum = 0;
  for (long round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < std::min<std::size_t>(vector.size(), 1000); ++i) sum += static_cast<double>(vector[i]);
  }
  return sum;
}

// How many of them an idle core does in a second: the best of several trials.
double rounds_per_second(const std::vector<float>& vector) {
  constexpr long trial = 2000;
  double best = std::numeric_limits<double>::max(), sum = 0;
  for (int i = 0; i < 20; ++i) {
    best = std::min(best, seconds_of([&] { sum += work(vector, trial); }));
  }
  if (sum == 0.5) std::puts("");  // the work is not left out
  return static_cast<double>(trial) / best;
}

lq::ReadOptions with_threads(int threads, lq::Verify verify = lq::Verify::checksum) {
  lq::ReadOptions options;
  options.verify = verify;
  options.route.threads = threads;
  return options;
}

enum class Manner { reading, computing, in_turn, ahead };

// By the clock, and of the processor, of the rank that had most.
struct Timed {
  std::vector<double> seconds, processor;

  void add(const lq::Communicator& ranks, const auto& work) {
    const double before = processor_seconds();
    seconds.push_back(seconds_of(ranks, work));
    processor.push_back(ranks.max(processor_seconds() - before));
  }
};

// One pass over the set.
void pass(const lq::modes::Set& set, const lq::Grid& grid, long rounds, Manner manner, int threads) {
  std::vector<float> one(grid.local_volume() * 24), other(one.size());
  double sum = 0;
  if (manner == Manner::ahead) {
    lq::ReadAhead modes =
        set.read_ahead(0, set.size(), grid, {lq::spinor(one), lq::spinor(other)}, with_threads(threads));
    while (const auto mode = modes.next()) sum += work(mode->buffer == 0 ? one : other, rounds);
  } else {
    for (std::uint64_t k = 0; k < set.size(); ++k) {
      if (manner != Manner::computing) set.read(k, grid, lq::spinor(one), with_threads(threads));
      if (manner != Manner::reading) sum += work(one, rounds);
    }
  }
  if (sum == 0.5) std::puts("");
}

void drop_from_cache(const std::string& path, const lq::Communicator& ranks) {
  const int file = open(path.c_str(), O_RDONLY);
  fsync(file);
  posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
  close(file);
  ranks.barrier();
}

// Passes in turn, three of each.
void compare_passes(const lq::modes::Set& set, const lq::Grid& grid, bool cold, int threads) {
  const std::string& path = set.file().catalog().path;
  const double rate = rounds_per_second(std::vector<float>(1000, 1.0F));
  const auto time = [&](Timed& timed, long rounds, Manner manner) {
    if (cold && manner != Manner::computing) drop_from_cache(path, grid.communicator());
    timed.add(grid.communicator(), [&] { pass(set, grid, rounds, manner, threads); });
  };
  Timed first;
  for (int i = 0; i < 3; ++i) time(first, 0, Manner::reading);
  for (const double factor : {0.5, 1.0, 2.0}) {
    const long rounds = static_cast<long>(factor * median(first.seconds) / static_cast<double>(set.size()) * rate);
    Timed reading, computing, in_turn, ahead;
    for (int i = 0; i < 3; ++i) {
      time(reading, 0, Manner::reading);
      time(computing, rounds, Manner::computing);
      time(in_turn, rounds, Manner::in_turn);
      time(ahead, rounds, Manner::ahead);
    }
    const auto tell = [&](const char* what, const std::vector<double> Timed::*of) {
      std::printf("a pass, %s, %s: reading %.2f s, computing %.2f s: %.2f s in turn, %.2f s ahead, ",
                  cold ? "cold" : "warm", what, median(reading.*of), median(computing.*of), median(in_turn.*of),
                  median(ahead.*of));
    };
    if (grid.is_root()) {
      tell("seconds", &Timed::seconds);
      std::printf("%.2f of the longer one\n",
                  median(ahead.seconds) / std::max(median(reading.seconds), median(computing.seconds)));
      tell("processor time", &Timed::processor);
      std::printf("%.2f of that in turn\n", median(ahead.processor) / median(in_turn.processor));
    }
  }
}

void write_set(const std::string& path, const lq::Grid& grid, std::uint64_t count, lq::modes::Storage storage,
               std::uint64_t basis) {
  lq::modes::Description description;
  description.lattice = grid.extents();
  description.storage = storage;
  if (basis > 0) description.coherence = {.basis = basis, .block = lq::Extents::filled(4, 4)};
  lq::WriteOptions options;
  options.overwrite = true;
  lq::modes::Writer set(path, grid, description, options);
  std::vector<float> vector(grid.local_volume() * 24);
  std::mt19937 random(static_cast<unsigned>(grid.rank()));
  for (float& number : vector) number = static_cast<float>(random()) / 4e9F - 0.5F;
  std::vector<double> seconds;
  for (std::uint64_t k = 0; k < count; ++k) {
    // Behind the basis the last one of it, twice as large each time: coefficients make it up.
    if (basis == 0 || k < basis) std::shuffle(vector.begin(), vector.begin() + 1000, random);
    vector[k % vector.size()] += basis == 0 || k < basis ? 1 : 0;
    seconds.push_back(seconds_of(grid.communicator(), [&] {
      set.append(lq::spinor(vector), {static_cast<double>(k), 1e-9});
    }));
  }
  if (grid.is_root()) {
    std::printf("adding a mode: %.1f ms (median), %.1f ms at most\n", 1e3 * median(seconds),
                1e3 * *std::max_element(seconds.begin(), seconds.end()));
  }
}

// Modes at random, by each way in turn.
void compare_any_mode(const lq::modes::Set& set, const lq::Grid& grid, int threads) {
  const int file = open(set.file().catalog().path.c_str(), O_RDONLY);
  constexpr std::uint64_t plain_piece = 1 << 20, our_piece = 1 << 19;
  std::vector<char> raw, scratch(our_piece);
  std::vector<float> vector(grid.local_volume() * 24);
  Timed plainly, copied, checked, unchecked;
  std::mt19937 random(1);
  for (int round = 0; round < 61; ++round) {
    const std::uint64_t k = random() % set.size();
    const auto time = [&](Timed& timed, const auto& transfer) { timed.add(grid.communicator(), transfer); };
    // Who goes first changes.
    const lq::Payload& payload = set.file().catalog().fields[k].payload;
    for (int turn = 0; turn < 4; ++turn) {
      switch ((round + turn) % 4) {
        case 0:
          time(plainly, [&] { read_plainly(file, payload, grid, plain_piece, raw); });
          break;
        case 1:
          time(copied, [&] { read_plainly(file, payload, grid, our_piece, raw, scratch.data()); });
          break;
        case 2:
          time(checked, [&] { set.read(k, grid, lq::spinor(vector), with_threads(threads)); });
          break;
        default:
          time(unchecked, [&] { set.read(k, grid, lq::spinor(vector), with_threads(threads, lq::Verify::none)); });
      }
    }
  }
  close(file);
  const auto tell = [&](const char* what, const std::vector<double> Timed::*of) {
    const double raw_time = median(plainly.*of);
    std::printf("any mode, %s: pread %.2f ms", what, 1e3 * raw_time);
    const auto add = [&](const char* how, const Timed& timed) {
      std::printf(", %s %.2f ms (%.2f of its rate)", how, 1e3 * median(timed.*of), raw_time / median(timed.*of));
    };
    add("with a copy in the cache", copied);
    add("with checksums", checked);
    add("without", unchecked);
    std::printf("\n");
  };
  if (grid.is_root()) {
    tell("seconds", &Timed::seconds);
    tell("processor time", &Timed::processor);
  }
}

}  // namespace

void measure_modes(const Words& words, const lq::Communicator& ranks) {
  const std::string path = words.text(0);
  const auto count = static_cast<std::uint64_t>(words.number(1, 300));
  const lq::Extents lattice = lq::parse_extents(words.text(2, "16x16x16x32"));
  const lq::modes::Storage storage = lq::modes::parse_storage(words.text(3, "single"));
  const auto basis = static_cast<std::uint64_t>(words.number(4, 0));
  const int threads = words.number(5, 0);
  const lq::Grid grid(ranks, lattice, {.processes = lq::Extents{1, 1, 1, ranks.size()}});
  write_set(path, grid, count, storage, basis);

  std::vector<double> opening;
  for (int i = 0; i < 7; ++i) {
    opening.push_back(seconds_of(ranks, [&] { const lq::modes::Set opened(path, ranks); }));
  }
  const lq::modes::Set set(path, ranks);
  const double megabytes = static_cast<double>(set.file().catalog().fields.front().payload.length) / 1e6;
  if (grid.is_root()) {
    std::printf("%d modes of %s, %s, %.1f MB each; %d ranks\nopening: %.2f ms (median of 7)\n", static_cast<int>(count),
                to_string(lattice).c_str(), std::string(name(storage)).c_str(), megabytes, grid.size(),
                1e3 * median(opening));
  }

  // Coefficients are not the bytes of a mode.
  if (basis == 0) compare_any_mode(set, grid, threads);
  for (const bool cold : {false, true}) compare_passes(set, grid, cold, threads);
}
