// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Writing and reading while the program computes. The work runs on a thread that makes no MPI calls, so that
// MPI_THREAD_FUNNELED suffices; if sites are sent by messages (between nodes, or without shared memory), it advances
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

// A transfer in flight. It borrows the field's memory until wait() returns: do not change a field that is being
// written, and do not touch one that is being read. Destroying it without wait() cancels it.
class LQ_API Pending {
 public:
  ~Pending();
  Pending(Pending&&) noexcept;
  Pending& operator=(Pending&&) noexcept;

  // Local. Returns true if wait() has nothing left to do on this rank; advances the transfer if it uses messages.
  bool test();
  // Collective. Completes the transfer and throws the errors of write() and read(). Builds without NDEBUG
  // report a field that was changed while it was borrowed (wrong_state). wrong_state also after wait() or cancel().
  Report wait();
  // Collective. Abandons the transfer: a write leaves no new file, and an existing file stays.
  void cancel();

 private:
  friend struct PendingAccess;
  struct State;
  explicit Pending(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Collective. Start a write() or read() and return while it runs. Errors known by then are thrown.
LQ_API Pending write_async(const std::string& path, const Grid& grid, const Field& field,
                           const WriteOptions& options = {});
LQ_API Pending read_async(const std::string& path, const Grid& grid, const MutableField& field,
                          const ReadOptions& options = {});

// Collective. The same for an open file, which need not outlive the transfer.
LQ_API Pending read_async(const File& file, const Grid& grid, const MutableField& field,
                          const ReadOptions& options = {});

// Reads a sequence of files, or of fields of one file, in advance: while the program works on one field, the next ones
// are being read. A rank with only one core, and without options.route.threads, reads local files in next(); the system
// is asked to fetch them from the device earlier.
class LQ_API ReadAhead {
 public:
  struct Arrival {
    std::string path;
    std::size_t buffer = 0;   // which of the buffers holds the field
    std::uint64_t index = 0;  // which field of an open file it is
    Report report;
  };

  // Collective. Needs at least two buffers: one to work with, while the others are filled.
  ReadAhead(std::vector<std::string> paths, const Grid& grid, std::vector<MutableField> buffers,
            ReadOptions options = {});
  // Collective. The same for an open file, which need not outlive this object: the fields with these numbers, in this
  // order, counted among those that options.field names.
  ReadAhead(const File& file, std::vector<std::uint64_t> indices, const Grid& grid, std::vector<MutableField> buffers,
            ReadOptions options = {});
  ~ReadAhead();
  ReadAhead(ReadAhead&&) noexcept;
  ReadAhead& operator=(ReadAhead&&) noexcept;

  // Collective. Returns the next field, which stays in its buffer until the next call; nothing after the last one.
  // Throws what read() throws; after an error no further fields are available.
  std::optional<Arrival> next();

 private:
  friend struct ReadAheadAccess;
  struct State;
  explicit ReadAhead(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace lq
