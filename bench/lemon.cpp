// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Lemon's interface over ours: a lattice of 576 bytes per site written and read, beside MPI_File_write_at and _read_at
// of the same bytes by all ranks; and written and read in the background of a loop that computes, beside the longer of
// the two. Medians of interleaved rounds.
//
//   mpiexec -n 2 bench_more lemon /dev/shm 24x24x24x48 2x1x1x1 5
#include <lemon.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "more.hpp"

namespace {

constexpr MPI_Offset site_bytes = 576;
constexpr std::array<int, 4> mapping{0, 3, 2, 1};

// x, y, z, t as text; the communicator has t, x, y, z.
std::array<int, 4> parse(const std::string& text) {
  const lq::Extents extents = lq::parse_extents(text);
  if (extents.size() != 4) throw std::invalid_argument(text + ": four extents are needed, such as 24x24x24x48");
  std::array<int, 4> found{};
  for (int d = 0; d < 4; ++d) found[static_cast<std::size_t>((d + 1) % 4)] = static_cast<int>(extents[d]);
  return found;
}

class LemonBench {
 public:
  LemonBench(std::string folder, const std::array<int, 4>& extents, const std::array<int, 4>& ranks)
      : path_(std::move(folder) + "/bench_more.lime"), extents_(extents) {
    const std::array<int, 4> periods{1, 1, 1, 1};
    MPI_Cart_create(MPI_COMM_WORLD, 4, ranks.data(), periods.data(), 0, &comm_);
    MPI_Comm_rank(comm_, &rank_);
    bytes_ = site_bytes;
    for (std::size_t d = 0; d < 4; ++d) {
      bytes_ *= extents[d];
      local_bytes_ = (d == 0 ? static_cast<std::size_t>(site_bytes) : local_bytes_) *
                     static_cast<std::size_t>(extents[d] / ranks[d]);
    }
    source_.assign(local_bytes_, static_cast<char>(rank_ + 1));
    target_ = source_;
  }
  ~LemonBench() {
    if (rank_ == 0) std::remove(path_.c_str());
    MPI_Comm_free(&comm_);
  }
  LemonBench(const LemonBench&) = delete;

  bool is_root() const { return rank_ == 0; }
  MPI_Offset bytes() const { return bytes_; }

  // Seconds of each part; they take turns in who is first.
  void round(int number) {
    const std::vector<std::function<void()>> parts{[this] { raw(); }, [this] { blocking(); }, [this] { computing(); },
                                                   [this] { background(); }};
    for (std::size_t turn = 0; turn < parts.size(); ++turn)
      parts[(turn + static_cast<std::size_t>(number)) % parts.size()]();
  }
  double seconds(const char* what) const { return median(seconds_.at(what)); }
  void forget() { seconds_.clear(); }
  // As much to compute as takes the time of a write.
  void calibrate() {
    const double start = MPI_Wtime();
    compute(1000);
    passes_ = std::max(1, static_cast<int>(1000 * seconds("write") / (MPI_Wtime() - start)));
    MPI_Bcast(&passes_, 1, MPI_INT, 0, comm_);
  }

 private:
  void require(bool good, const char* what) const {
    if (good) return;
    std::fprintf(stderr, "bench_more: %s failed\n", what);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }

  void timed(const char* what, const std::function<bool()>& work) {
    MPI_Barrier(comm_);
    const double start = MPI_Wtime();
    require(work(), what);
    double seconds = MPI_Wtime() - start;
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, comm_);
    seconds_[what].push_back(seconds);
  }

  MPI_File open(bool writing) {
    MPI_File file = MPI_FILE_NULL;
    if (writing && rank_ == 0) std::remove(path_.c_str());
    MPI_Barrier(comm_);
    const int mode = writing ? MPI_MODE_WRONLY | MPI_MODE_CREATE : MPI_MODE_RDONLY;
    require(MPI_File_open(comm_, path_.c_str(), mode, MPI_INFO_NULL, &file) == MPI_SUCCESS, "open");
    return file;
  }

  void raw() {
    constexpr std::size_t piece = 1024 * 1024;
    const auto first = static_cast<MPI_Offset>(local_bytes_) * rank_;
    for (const bool writing : {true, false}) {
      MPI_File file = open(writing);
      timed(writing ? "raw write" : "raw read", [&] {
        bool good = true;
        for (std::size_t at = 0; at < local_bytes_; at += piece) {
          const int count = static_cast<int>(std::min(piece, local_bytes_ - at));
          const auto offset = first + static_cast<MPI_Offset>(at);
          const int code = writing ? MPI_File_write_at(file, offset, &source_[at], count, MPI_BYTE, MPI_STATUS_IGNORE)
                                   : MPI_File_read_at(file, offset, &target_[at], count, MPI_BYTE, MPI_STATUS_IGNORE);
          good = good && code == MPI_SUCCESS;
        }
        return good;
      });
      MPI_File_close(&file);
    }
  }

  // `work` between the header and the close of a record.
  void with_writer(const std::function<void(LemonWriter*)>& work) {
    MPI_File file = open(true);
    LemonWriter* writer = lemonCreateWriter(&file, comm_);
    LemonRecordHeader* header = lemonCreateHeader(1, 1, "ildg-binary-data", bytes_);
    require(lemonWriteRecordHeader(header, writer) == LEMON_SUCCESS, "write header");
    lemonDestroyHeader(header);
    work(writer);
    require(lemonWriterCloseRecord(writer) == LEMON_SUCCESS, "close record");
    lemonDestroyWriter(writer);
    MPI_File_close(&file);
  }
  void with_reader(const std::function<void(LemonReader*)>& work) {
    std::fill(target_.begin(), target_.end(), '\0');
    MPI_File file = open(false);
    LemonReader* reader = lemonCreateReader(&file, comm_);
    require(lemonReaderNextRecord(reader) == LEMON_SUCCESS, "next record");
    work(reader);
    lemonDestroyReader(reader);
    MPI_File_close(&file);
    require(target_ == source_, "comparison");
  }

  void blocking() {
    with_writer([&](LemonWriter* writer) {
      timed("write", [&] {
        return lemonWriteLatticeParallelMapped(writer, source_.data(), site_bytes, extents_.data(), mapping.data()) ==
               0;
      });
    });
    with_reader([&](LemonReader* reader) {
      timed("read", [&] {
        return lemonReadLatticeParallelMapped(reader, target_.data(), site_bytes, extents_.data(), mapping.data()) == 0;
      });
    });
  }
  void computing() {
    timed("compute", [&] { return compute(passes_); });
  }
  void background() {
    with_writer([&](LemonWriter* writer) {
      timed("compute and write", [&] {
        const int code = lemonWriteLatticeParallelNonBlockingMapped(writer, source_.data(), site_bytes, extents_.data(),
                                                                    mapping.data());
        return compute(passes_) && code == 0 && lemonFinishWriting(writer) == 0;
      });
    });
    with_reader([&](LemonReader* reader) {
      timed("compute and read", [&] {
        const int code = lemonReadLatticeParallelNonBlockingMapped(reader, target_.data(), site_bytes, extents_.data(),
                                                                   mapping.data());
        return compute(passes_) && code == 0 && lemonFinishReading(reader) == 0;
      });
    });
  }

  // a = b + c / 2 in cache, over and over.
  bool compute(int passes) {
    for (int pass = 0; pass < passes; ++pass) {
      for (std::size_t i = 0; i < a_.size(); ++i) a_[i] = b_[i] + 0.5 * a_[i];
      b_[static_cast<std::size_t>(pass) % b_.size()] += 1e-9;
    }
    return a_[0] != -1;
  }

  std::string path_;
  std::array<int, 4> extents_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0, passes_ = 1;
  MPI_Offset bytes_ = 0;
  std::size_t local_bytes_ = 0;
  std::vector<char> source_, target_;
  std::vector<double> a_ = std::vector<double>(2048, 1), b_ = std::vector<double>(2048, 2);
  std::map<std::string, std::vector<double>> seconds_;
};

void report(const LemonBench& bench) {
  const double megabytes = static_cast<double>(bench.bytes()) / 1e6;
  for (const char* what : {"write", "read"}) {
    const double raw = bench.seconds((std::string("raw ") + what).c_str()), alone = bench.seconds(what);
    const double compute = bench.seconds("compute"), both = bench.seconds((std::string("compute and ") + what).c_str());
    std::printf("%-5s %7.1f MB/s, of raw %.2f; compute %.1f ms, %s %.1f ms, both %.1f ms: %.2f of the longer\n", what,
                megabytes / alone, raw / alone, 1e3 * compute, what, 1e3 * alone, 1e3 * both,
                both / std::max(compute, alone));
  }
}

}  // namespace

void measure_lemon(const Words& words, const lq::Communicator& ranks) {
  const std::array<int, 4> extents = parse(words.text(1)), processes = parse(words.text(2));
  const int rounds = words.number(3, 0);
  if (rounds < 1 || processes[0] * processes[1] * processes[2] * processes[3] != ranks.size()) {
    throw std::invalid_argument("at least one round, and a grid of as many processes as there are ranks");
  }
  LemonBench bench(words.text(0), extents, processes);
  for (int round = 0; round < 2; ++round) bench.round(round);
  bench.calibrate();
  bench.forget();
  for (int round = 0; round < rounds; ++round) bench.round(round);
  if (bench.is_root()) report(bench);
}
