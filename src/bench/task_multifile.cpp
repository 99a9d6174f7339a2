// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Streams of tasks through sion.h, as programs for SIONlib call it.
#include "bench/over_mpi.hpp"

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>
#include <sion.h>

#include <cstdlib>

#include <limequat/error.hpp>

#include "bench/raw.hpp"

namespace lq::bench {
namespace {

[[noreturn]] void fail(const std::string& path, const char* doing) {
  throw Error(Code::io, path + ": sion.h cannot " + doing + "; its own message gives the reason", {.path = path});
}

class MultifileSide final : public TaskSide {
 public:
  MultifileSide(MPI_Comm writers, MPI_Comm readers) : writers_(writers), readers_(readers) {}
  std::string name() const override { return "multifile"; }

  void write(const TaskFiles& to, std::span<const std::byte> bytes) override {
    std::string physical;
    const int sid = open(to, "bw", writers_, &physical);
    const bool is_written = bytes.empty() || sion_fwrite(bytes.data(), 1, bytes.size(), sid) == bytes.size();
    const bool is_closed = sion_parclose_mpi(sid) == SION_SUCCESS;
    if (!is_written || !is_closed) fail(to.path, is_written ? "close the multifile" : "write");
    if (to.sync) sync_file(physical);
  }
  void read(const TaskFiles& from, std::span<std::byte> bytes) override {
    const int sid = open(from, "br", readers_, nullptr);
    const bool is_read = sion_fread(bytes.data(), 1, bytes.size(), sid) == bytes.size();
    const bool is_closed = sion_parclose_mpi(sid) == SION_SUCCESS;
    if (!is_read || !is_closed) fail(from.path, is_read ? "close the multifile" : "read");
  }

 private:
  static int open(const TaskFiles& files, const char* mode, MPI_Comm comm, std::string* physical) {
    int count = files.files, rank = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm local = MPI_COMM_NULL;
    auto chunk = static_cast<sion_int64>(files.bytes);
    sion_int32 block = files.block == 0 ? -1 : static_cast<sion_int32>(files.block);
    char* name = nullptr;
    const int sid =
        sion_paropen_mpi(files.path.c_str(), mode, &count, comm, &local, &chunk, &block, &rank, nullptr, &name);
    if (name != nullptr && physical != nullptr) *physical = name;
    std::free(name);
    if (sid < 0) fail(files.path, "open the multifile");
    return sid;
  }

  MPI_Comm writers_, readers_;
};

}  // namespace

std::unique_ptr<TaskSide> make_multifile_side(const void* writers, const void* readers) {
  return std::make_unique<MultifileSide>(*static_cast<const MPI_Comm*>(writers),
                                         *static_cast<const MPI_Comm*>(readers));
}

}  // namespace lq::bench
