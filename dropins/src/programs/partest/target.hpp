// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The settings of partest, its tasks, and its targets: a multifile, a file of MPI-IO, a file for each
// task.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <mpi.h>

#include "comm/comm.hpp"

namespace lq::partest {

// The settings of partest.

// The last two: a multifile for the threads of each rank.
enum class Kind { multifile, multifile_by_rank, mpi_io, file_per_task, of_threads, of_threads_by_rank };

struct Settings {
  std::string file = "testfile";
  int files = 1;
  std::int64_t chunk_bytes = 20 << 20;
  std::int64_t block_bytes = 2 << 20;  // of the file system; -1: queried
  Kind kind = Kind::multifile;
  std::size_t kind_number = 0;          // as given by the user
  std::int64_t piece_bytes = 10 << 20;  // per call
  std::int64_t total_bytes = 0;         // of all tasks; 0: from task_bytes
  std::int64_t task_bytes = 0;          // 0: the size of a chunk
  double random_factor = 0;             // tasks write up to this share less
  bool reads = true;
  int writes = 1;  // times
  bool verbose = false;
  bool checks = true;
  bool descriptors = false;  // not stdio
  bool collective_write = false;
  bool collective_read = false;
  bool modular = false;
  int shift = 0;                 // tasks read the data of the task this many ranks further
  std::int64_t first_bytes = 0;  // in a separate call before all others
  int at_once = -1;              // tasks doing I/O; -1: all, -2: one after the other
  bool removes = false;
  std::int64_t mpi_io_buffer_kib = -1;
  bool mpi_io_large_blocks = false;
  bool mpi_io_sparse = false;

  // Bytes that a task of `tasks` writes.
  std::int64_t bytes_of(int task) const noexcept;
  // Calls that this takes.
  std::int64_t pieces_of(int task) const noexcept;
  // Bytes of call number `piece`, from 0.
  std::int64_t piece_of(int task, std::int64_t piece) const noexcept;
};

// "64k", "2M", "1GB": kibi, mebi, ... and with a B after it kilo, mega, ... Empty if it is not a size.
std::optional<std::int64_t> parse_size(const std::string& text);

// The calling program.
struct Caller {
  const char* program = "partest";
  int rank = 0, ranks = 1;
  int threads = 0;  // of each rank that are tasks; 0: ranks are
};
// Empty after a message on the standard error of rank 0.
std::optional<Settings> parse_settings(int argc, char** argv, const Caller& caller);

// The participating tasks.
struct Tasks {
  comm::Comm* all = nullptr;      // tasks are numbered rank * threads + thread
  comm::Comm* of_file = nullptr;  // tasks of the same physical file
  MPI_Comm ranks = MPI_COMM_NULL;
  int rank = 0;
  int count = 1;
  int file = 0;
  int threads = 0;  // of each rank that are tasks; 0: ranks are
};

class Target {
 public:
  virtual ~Target() = default;
  // Collective over all tasks, as close() is. `source`: whose data are read; writing, the task itself. False: failed.
  virtual bool open(bool writes, int source) = 0;
  // All tasks make equally many calls if the target is collective; otherwise only those with data.
  virtual bool write(std::span<const std::byte> bytes) = 0;
  virtual bool read(std::span<std::byte> bytes) = 0;
  virtual bool close() = 0;
  // Local. The file that this task must remove, if any.
  virtual std::string own_file() const = 0;
};

std::unique_ptr<Target> make_multifile(const Settings& settings, const Tasks& tasks);
std::unique_ptr<Target> make_mpi_io(const Settings& settings, const Tasks& tasks);
std::unique_ptr<Target> make_file_per_task(const Settings& settings, const Tasks& tasks);

// Common parts of partest and ompi_partest: everything except the kind of tasks.

struct Program {
  const char* name = "partest";
  int threads = 0;  // of each rank that are tasks; 0: ranks are
  // Runs work(thread) on all of them, the caller being thread 0.
  std::function<void(const std::function<void(int thread)>& work)> on_threads = [](const auto& work) { work(0); };
};

// Between MPI_Init and MPI_Finalize, which it calls. Returns the exit status.
int run_benchmark(int argc, char** argv, const Program& program);

}  // namespace lq::partest
