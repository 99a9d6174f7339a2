// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What partest writes to and reads from: a multifile, a file of MPI-IO, a file for each task.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "programs/partest/group.hpp"
#include "programs/partest/settings.hpp"

namespace lq::partest {

// Who takes part.
struct Tasks {
  Group* all = nullptr;
  Group* of_file = nullptr;  // tasks of the same physical file
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
  // All tasks call equally often if the target is collective; the others only for what they have.
  virtual bool write(std::span<const std::byte> bytes) = 0;
  virtual bool read(std::span<std::byte> bytes) = 0;
  virtual bool close() = 0;
  // Local. The file that this task is to remove, if any.
  virtual std::string own_file() const = 0;
};

std::unique_ptr<Target> make_multifile(const Settings& settings, const Tasks& tasks);
std::unique_ptr<Target> make_mpi_io(const Settings& settings, const Tasks& tasks);
std::unique_ptr<Target> make_file_per_task(const Settings& settings, const Tasks& tasks);

}  // namespace lq::partest
