// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A multifile, read together or rank by rank.
#include <mpi.h>

#define SION_OMP
#include <sion.h>

#include <cstdlib>
#include <string>

#include <fmt/format.h>

#include "programs/partest/target.hpp"

namespace lq::partest {
namespace {

class Multifile final : public Target {
 public:
  Multifile(const Settings& settings, const Tasks& tasks) : settings_(settings), tasks_(tasks) {}

  bool open(bool writes, int source) override {
    is_by_rank_ = !writes && (settings_.kind == Kind::multifile_by_rank || settings_.kind == Kind::of_threads_by_rank);
    is_collective_ = !is_by_rank_ && (writes ? settings_.collective_write : settings_.collective_read);
    std::string mode = writes ? "bw" : "br";
    if (settings_.descriptors) mode += ",posix";
    if (is_collective_) mode += ",collective";
    if (is_collective_ && settings_.modular) mode += ",collmsa";
    sion_int64 chunk = settings_.chunk_bytes;
    auto block = static_cast<sion_int32>(settings_.block_bytes);
    int rank = source;
    if (is_by_rank_) {
      std::string name = name_of(source);
      int task = is_of_threads() ? source % tasks_.threads : source;
      sid_ = sion_open_rank(name.data(), mode.c_str(), &chunk, &block, &task, nullptr);
      return sid_ >= 0;
    }
    char* name = nullptr;
    if (is_of_threads()) {
      sid_ = sion_paropen_omp(name_of(source).c_str(), mode.c_str(), &chunk, &block, &rank, nullptr, &name);
    } else {
      sid_ = open_over_ranks(mode, source, chunk, block, rank, name);
    }
    if (writes && name != nullptr) name_ = name;
    std::free(name);
    return sid_ >= 0;
  }

  bool write(std::span<const std::byte> bytes) override {
    const std::size_t done = is_collective_ ? sion_coll_fwrite_mpi(bytes.data(), 1, bytes.size(), sid_)
                                            : sion_fwrite(bytes.data(), 1, bytes.size(), sid_);
    return done == bytes.size();
  }

  bool read(std::span<std::byte> bytes) override {
    const std::size_t done = is_collective_ ? sion_coll_fread_mpi(bytes.data(), 1, bytes.size(), sid_)
                                            : sion_fread(bytes.data(), 1, bytes.size(), sid_);
    return done == bytes.size();
  }

  bool close() override {
    if (is_by_rank_) return sion_close(sid_) == SION_SUCCESS;
    if (tasks_.threads == 0) return sion_parclose_mpi(sid_) == SION_SUCCESS;
    return (is_of_threads() ? sion_parclose_omp(sid_) : sion_parclose_ompi(sid_)) == SION_SUCCESS;
  }

  std::string own_file() const override {
    const bool is_first = is_of_threads() ? tasks_.rank % tasks_.threads == 0 : tasks_.of_file->rank() == 0;
    return is_first ? name_ : "";
  }

 private:
  bool is_of_threads() const noexcept {
    return settings_.kind == Kind::of_threads || settings_.kind == Kind::of_threads_by_rank;
  }

  // Each rank has its own multifile if it is shared by its threads.
  std::string name_of(int task) const {
    const int rank = is_of_threads() ? task / tasks_.threads : 0;
    return rank == 0 ? settings_.file : fmt::format("{}_{:06}", settings_.file, rank);
  }

  // Another task's data are read with a communicator in which this task has its number.
  int open_over_ranks(const std::string& mode, int source, sion_int64& chunk, sion_int32& block, int& rank,
                      char*& name) const {
    int files = settings_.files;
    const char* const path = settings_.file.c_str();
    MPI_Comm comm = MPI_COMM_NULL;
    if (tasks_.threads == 0) {
      MPI_Comm_split(tasks_.ranks, 0, source, &comm);
      const int sid = sion_paropen_mpi(path, mode.c_str(), &files, comm, &comm, &chunk, &block, &rank, nullptr, &name);
      MPI_Comm_free(&comm);
      return sid;
    }
    // Only thread 0 uses the communicator.
    const bool is_first = tasks_.rank % tasks_.threads == 0;
    if (is_first) MPI_Comm_split(tasks_.ranks, 0, source / tasks_.threads, &comm);
    const int sid = sion_paropen_ompi(path, mode.c_str(), &files, comm, &comm, &chunk, &block, &rank, nullptr, &name);
    if (is_first) MPI_Comm_free(&comm);
    return sid;
  }

  const Settings& settings_;
  const Tasks& tasks_;
  bool is_by_rank_ = false;
  bool is_collective_ = false;
  int sid_ = -1;
  std::string name_;
};

}  // namespace

std::unique_ptr<Target> make_multifile(const Settings& settings, const Tasks& tasks) {
  return std::make_unique<Multifile>(settings, tasks);
}

}  // namespace lq::partest
