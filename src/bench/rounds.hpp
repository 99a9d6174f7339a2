// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One gauge field moved by several programs in turn: in every round each of them writes the field, reads it back into
// cleared memory and is compared bit for bit; who goes first changes from round to round, because it finds the machine
// in another state. The first of them is the raw transfer, beside which all others stand.
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

// Memory of a benchmark: arrays that do not make a transfer look slow, and how much of it a transfer takes.

// Memory that begins with a page. Large arrays from malloc begin 16 bytes later, and there some processors copy the
// pages of a file several times slower: loads wait for stores whose addresses agree in the last twelve bits. A raw
// transfer must not look slow because of that.
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

// How much memory a stretch of the program took at its peak, beyond what it had before; from Linux, which counts the
// pages that are there. Shared pages count for each process that touches them.
class MemoryPeak {
 public:
  // Begins to watch.
  MemoryPeak();
  // Bytes since then; nothing where the system does not tell.
  std::optional<std::uint64_t> bytes() const;

 private:
  std::optional<std::uint64_t> before_;
};

// This rank's part of an SU(3) gauge field in double precision, twice: what is written, and what was read.
class BenchField {
 public:
  // Collective. Numbers that differ everywhere and survive single precision.
  explicit BenchField(Grid grid);

  const Grid& grid() const noexcept { return grid_; }
  std::uint64_t site_numbers() const noexcept { return site_numbers_; }
  std::span<const double> source() const noexcept { return source_; }
  std::span<double> target() noexcept { return target_; }
  void clear_target();
  // Of the first `bytes` of this rank's part.
  bool target_is_source(std::size_t bytes) const;

 private:
  Grid grid_;
  std::uint64_t site_numbers_;
  PageVector<double> source_, target_;
};

// What a transfer told about itself.
struct Account {
  std::optional<StageSeconds> stages = {};  // of this rank, or of the slowest
  std::string strategy_taken = {};
  bool is_reduced = false;  // stages are of the slowest rank on every rank
};

// A program that writes and reads the field. All calls are collective.
class Mover {
 public:
  virtual ~Mover() = default;
  // Name, strategy, format, verify and precision of what it measures.
  virtual Result label() const = 0;
  // Whether others wrote it: then an error of it is told and the rounds go on without it.
  virtual bool is_peer() const { return false; }
  // Whether it makes files with the stripes asked for itself; others find an empty one that has them.
  virtual bool sets_stripes() const { return false; }
  virtual Account write(const std::string& path, const BenchField& field) = 0;
  virtual Account read(const std::string& path, BenchField& field) = 0;
  // Whether the file is checked as well, without a field, once it was read. Throws if it is not as it should be.
  virtual bool verifies() const { return false; }
  virtual void verify(const std::string& /*path*/, const Communicator& /*ranks*/) {}
  // Local. Of what it made for `path`, all that is not at `path`.
  virtual void remove_others(const std::string& /*path*/) noexcept {}
};

// The label of what moves this field, in numbers of its precision.
Result of_field(Result label, const BenchField& field);
// Collective. What a transfer took and told of itself: the slowest rank in each stage.
void add(const Communicator& ranks, Result& result, const Account& account, double seconds);

// Of programs that move plain numbers without a checksum.
Result plain_label(const std::string& name, const std::string& format, const std::string& precision = "double");

// `bytes_per_number`: of the file, 4 or 8; the raw transfer moves as many bytes. So many `threads` of each rank move a
// part of its share each.
std::unique_ptr<Mover> make_raw_mover(const Grid& grid, std::uint64_t bytes_per_number, bool sync, int threads = 1);
// The same bytes, but each rank in a file of its own.
std::unique_ptr<Mover> make_files_mover(const Grid& grid, bool sync);

struct Rounds {
  std::string directory = ".";
  int runs = 7;  // beyond a first one, which stands apart
  // Written in each measurement, one after the other, before the last and then the first of them is read: of more than
  // memory holds, the first comes from the disk.
  int files = 1;
  // Of new files; 0: as the file system has them.
  std::uint64_t stripe_count = 0, stripe_bytes = 0;
  bool tells_raw = false;  // the raw transfer is among the results
  bool cold = false;
  bool sync = false;
};

// Collective. Two results, write and read, for each of `movers` but the first, which is the raw one, unless that is
// asked for; another where there are several files, of which the first is read as well, and one for who verifies.
// `tell` is given the sentence of a peer that is left out, on all ranks.
std::vector<Result> run_rounds(BenchField& field, const std::vector<std::unique_ptr<Mover>>& movers,
                               const Rounds& rounds, const std::function<void(const std::string& sentence)>& tell);

// turn(number) for each of `count`, in every round; another one begins each time, because it finds the machine in
// another state.
template <class Turn>
void take_turns(std::size_t count, int runs, const Turn& turn) {
  for (int round = 0; round <= runs; ++round) {
    for (std::size_t i = 0; i < count; ++i) turn((i + static_cast<std::size_t>(round)) % count);
  }
}

// Collective. Runs `work` and lets no rank go on alone when it fails on one.
void together(const Communicator& ranks, const std::function<void()>& work);

// Collective. Seconds from when all ranks begin until all have ended, the same on all ranks. An error of any rank
// is thrown on all.
double timed(const Communicator& ranks, const std::function<void()>& work);

// Collective. A name in `directory` that no other benchmark uses, the same on all ranks.
std::string scratch_name(const Communicator& ranks, const std::string& directory);

// Collective. A file of such a name, and its removal.
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

// Collective. Throws unless files can be made in `directory`; with `cold` also where nothing can be dropped from
// memory.
void require_directory(const Communicator& ranks, const std::string& directory, bool cold);

}  // namespace lq::bench
