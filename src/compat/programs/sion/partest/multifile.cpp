// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// See target.hpp: a multifile, read together or rank by rank.
#include <mpi.h>
#include <sion.h>

#include <cstdlib>
#include <string>

#include "compat/programs/sion/partest/target.hpp"

namespace lq::partest {
namespace {

class Multifile final : public Target {
 public:
  Multifile(const Settings& settings, const Tasks& tasks) : settings_(settings), tasks_(tasks) {}

  bool open(bool writes, int source) override {
    is_by_rank_ = !writes && settings_.kind == Kind::multifile_by_rank;
    is_collective_ = !is_by_rank_ && (writes ? settings_.collective_write : settings_.collective_read);
    std::string mode = writes ? "bw" : "br";
    if (settings_.descriptors) mode += ",posix";
    if (is_collective_) mode += ",collective";
    if (is_collective_ && settings_.modular) mode += ",collmsa";
    sion_int64 chunk = settings_.chunk_bytes;
    auto block = static_cast<sion_int32>(settings_.block_bytes);
    if (is_by_rank_) {
      sid_ = sion_open_rank(const_cast<char*>(settings_.file.c_str()), mode.c_str(), &chunk, &block, &source, nullptr);
      return sid_ >= 0;
    }
    // Another task's data are those of a communicator in which this task has its number.
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_split(tasks_.all, 0, source, &comm);
    int files = settings_.files;
    int rank = source;
    char* name = nullptr;
    sid_ = sion_paropen_mpi(settings_.file.c_str(), mode.c_str(), &files, comm, &comm, &chunk, &block, &rank, nullptr,
                            &name);
    if (writes && name != nullptr) name_ = name;
    std::free(name);
    MPI_Comm_free(&comm);
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

  bool close() override { return (is_by_rank_ ? sion_close(sid_) : sion_parclose_mpi(sid_)) == SION_SUCCESS; }

  std::string own_file() const override {
    int rank = 0;
    MPI_Comm_rank(tasks_.of_file, &rank);
    return rank == 0 ? name_ : "";
  }

 private:
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
