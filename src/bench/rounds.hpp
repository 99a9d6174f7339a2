// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One gauge field transferred by several programs: in every round each of them writes the field, reads it back into
// cleared memory and is compared bit for bit. The order changes from round to round, because the first program finds
// the machine in another state. The first of the list is the raw transfer, the reference for all others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <limequat/grid.hpp>

#include "bench/result.hpp"

namespace lq::bench {

// Memory of a benchmark: arrays that do not slow down a transfer, and how much memory a transfer takes.

// Page-aligned memory. Large arrays from malloc begin 16 bytes later, and there some processors copy the
// pages of a file several times slower: loads wait for stores whose addresses agree in the last twelve bits. This
// must not slow down the raw transfer.
template <class T>
struct PageAllocator {
  using value_type = T;
  PageAllocator() = default;
  template <class U>
  explicit PageAllocator(const PageAllocator<U>& /*other*/) noexcept {}
  T* allocate(std::size_t n) { return static_cast<T*>(::operator new (n * sizeof(T), std::align_val_t{4096})); }
  void deallocate(T* p, std::size_t /*n*/) noexcept { ::operator delete (p, std::align_val_t{4096}); }
  friend bool operator==(const PageAllocator&, const PageAllocator&) { return true; }
};

template <class T>
using PageVector = std::vector<T, PageAllocator<T>>;

// Peak memory of a section of the program, in addition to what it had before; from Linux, which counts resident
// pages. Shared pages count for each process that touches them.
class MemoryPeak {
 public:
  // Starts the measurement.
  MemoryPeak();
  // Bytes since then; empty if the system does not report them.
  std::optional<std::uint64_t> bytes() const;

 private:
  std::optional<std::uint64_t> before_;
};

// This rank's part of an SU(3) gauge field in double precision, twice: the data written, and the data read.
class BenchField {
 public:
  // Collective. Numbers that differ everywhere and survive single precision.
  explicit BenchField(Grid grid);

  const Grid& grid() const noexcept { return grid_; }
  std::uint64_t site_numbers() const noexcept { return site_numbers_; }
  std::span<const double> source() const noexcept { return source_; }
  std::span<double> target() noexcept { return target_; }
  void clear_target();
  // Compares the first `bytes` of this rank's part.
  bool target_is_source(std::size_t bytes) const;

 private:
  Grid grid_;
  std::uint64_t site_numbers_;
  PageVector<double> source_, target_;
};

// What a transfer reports about itself.
struct Account {
  std::optional<StageSeconds> stages = {};  // of this rank, or of the slowest
  std::string strategy_taken = {};
  bool is_reduced = false;  // stages are those of the slowest rank, on every rank
};

// A program that writes and reads the field. All calls are collective.
class Mover {
 public:
  virtual ~Mover() = default;
  // Name, strategy, format, verify and precision of its measurement.
  virtual Result label() const = 0;
  // True for another library's program: its errors are reported and the rounds go on without it.
  virtual bool is_peer() const { return false; }
  // True if it creates files with the requested stripes itself; for others an empty file with them is created.
  virtual bool sets_stripes() const { return false; }
  virtual Account write(const std::string& path, const BenchField& field) = 0;
  virtual Account read(const std::string& path, BenchField& field) = 0;
  // True if the file is also verified, without a field, after it was read. Throws if verification fails.
  virtual bool verifies() const { return false; }
  virtual void verify(const std::string& /*path*/, const Communicator& /*ranks*/) {}
  // Local. Removes all files it made for `path` except `path` itself.
  virtual void remove_others(const std::string& /*path*/) noexcept {}
};

// The label of transfers of this field, in numbers of its precision.
Result of_field(Result label, const BenchField& field);
// Collective. Adds the time and the report of a transfer: the slowest rank in each stage.
void add(const Communicator& ranks, Result& result, const Account& account, double seconds);

// For programs that transfer plain numbers without a checksum.
Result plain_label(const std::string& name, const std::string& format, const std::string& precision = "double");

// `bytes_per_number`: in the file, 4 or 8; the raw transfer moves as many bytes. `threads` threads of each rank move a
// part of its share each.
std::unique_ptr<Mover> make_raw_mover(const Grid& grid, std::uint64_t bytes_per_number, bool sync, int threads = 1);
// The same bytes, with each rank in its own file.
std::unique_ptr<Mover> make_files_mover(const Grid& grid, bool sync);

struct Rounds {
  std::string directory = ".";
  int runs = 7;  // after the first, which is shown separately
  // Written in each measurement, in sequence, before the last and then the first of them is read: if they exceed
  // memory, the first comes from the disk.
  int files = 1;
  // Of new files; 0: the file system's default.
  std::uint64_t stripe_count = 0, stripe_bytes = 0;
  bool tells_raw = false;  // include the raw transfer in the results
  bool cold = false;
  bool sync = false;
};

// Collective. Two results, write and read, for each of `movers` except the first, the raw one, unless that is
// requested; one more for several files, of which the first is read as well, and one for movers that verify.
// `tell` receives the error message of a peer that is omitted, on all ranks.
std::vector<Result> run_rounds(BenchField& field, const std::vector<std::unique_ptr<Mover>>& movers,
                               const Rounds& rounds, const std::function<void(const std::string& sentence)>& tell);

// Calls turn(number) for each of `count`, in every round; another one begins each time, because the first one finds
// the machine in another state.
template <class Turn>
void take_turns(std::size_t count, int runs, const Turn& turn) {
  for (int round = 0; round <= runs; ++round) {
    for (std::size_t i = 0; i < count; ++i) turn((i + static_cast<std::size_t>(round)) % count);
  }
}

// Collective. Runs `work`; if it fails on one rank, no rank continues.
void together(const Communicator& ranks, const std::function<void()>& work);

// Collective. Seconds from the common start until all ranks have ended, the same on all ranks. An error of any rank
// is thrown on all.
double timed(const Communicator& ranks, const std::function<void()>& work);

// Collective. An unused name in `directory`, the same on all ranks.
std::string scratch_name(const Communicator& ranks, const std::string& directory);

// Collective. A file of such a name, removed on destruction.
class ScratchFile {
 public:
  ScratchFile(const Communicator& ranks, const std::string& directory, const std::string& suffix);
  ~ScratchFile();
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  const std::string& path() const noexcept { return path_; }

 private:
  Communicator ranks_;
  std::string path_;
};

// Collective. Throws unless files can be created in `directory`; with `cold` also if nothing can be dropped from
// memory.
void require_directory(const Communicator& ranks, const std::string& directory, bool cold);

}  // namespace lq::bench
