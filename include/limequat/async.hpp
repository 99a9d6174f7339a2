// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Writing and reading while the program computes. The work runs on a thread that makes no MPI calls, so that
// MPI_THREAD_FUNNELED suffices; where sites travel by messages (between nodes, or without shared memory), it advances
// inside test() and wait(). Several transfers may be in flight; all ranks start, wait for, cancel and destroy them in
// the same order, from one thread at a time.
#pragma once

#include <limequat/language.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <limequat/field.hpp>
#include <limequat/file.hpp>
#include <limequat/grid.hpp>
#include <limequat/options.hpp>
#include <limequat/report.hpp>

namespace lq {

// A transfer in flight. It borrows the field's memory: that of a write must not change, that of a read must not
// be touched, until wait() returns. Destroying it without wait() cancels it.
class LQ_API Pending {
 public:
  ~Pending();
  Pending(Pending&&) noexcept;
  Pending& operator=(Pending&&) noexcept;

  // Local. Whether wait() would find nothing left to do on this rank; moves things on where messages are needed.
  bool test();
  // Collective. Completes the transfer; errors surface here, as those of write() and read() do. Builds without NDEBUG
  // report a field that was changed while it was borrowed (wrong_state). wrong_state also after wait() or cancel().
  Report wait();
  // Collective. Gives the transfer up: a write leaves no file, and what existed stays.
  void cancel();

 private:
  friend struct PendingAccess;
  struct State;
  explicit Pending(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Collective. As write() and read(); returns when the transfer is under way. Errors known by then are thrown.
LQ_API Pending write_async(const std::string& path, const Grid& grid, const Field& field,
                           const WriteOptions& options = {});
LQ_API Pending read_async(const std::string& path, const Grid& grid, const MutableField& field,
                          const ReadOptions& options = {});

// Collective. The same of a file that is open, which need not outlive the transfer.
LQ_API Pending read_async(const File& file, const Grid& grid, const MutableField& field,
                          const ReadOptions& options = {});

// Reads one file after the other, or one field of a file after the other, always some ahead: while the program works on
// a field, the next are on their way. A rank that has one core to itself, and no options.route.threads, reads local
// files in next(); from the device they are fetched before.
class LQ_API ReadAhead {
 public:
  struct Arrival {
    std::string path;
    std::size_t buffer = 0;   // which of the buffers holds the field
    std::uint64_t index = 0;  // which field of an open file it is
    Report report;
  };

  // Collective. At least two buffers: one to work with, the others are filled meanwhile.
  ReadAhead(std::vector<std::string> paths, const Grid& grid, std::vector<MutableField> buffers,
            ReadOptions options = {});
  // Collective. The same of a file that is open, which need not outlive it: fields of these numbers, in this order,
  // among those that options.field names.
  ReadAhead(const File& file, std::vector<std::uint64_t> indices, const Grid& grid, std::vector<MutableField> buffers,
            ReadOptions options = {});
  ~ReadAhead();
  ReadAhead(ReadAhead&&) noexcept;
  ReadAhead& operator=(ReadAhead&&) noexcept;

  // Collective. The next field, which stays in its buffer until the next call; nothing behind the last one. Errors are
  // those of read(); what follows can no longer be had then.
  std::optional<Arrival> next();

 private:
  friend struct ReadAheadAccess;
  struct State;
  explicit ReadAhead(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace lq
