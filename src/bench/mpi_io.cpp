// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// MPI-IO in the textbook way: the lattice as an array, each rank's part of it as a view.
#include "bench/over_mpi.hpp"

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <vector>

#include <limequat/error.hpp>

namespace lq::bench {
namespace {

class MpiIo : public Mover {
 public:
  MpiIo(const Grid& grid, MPI_Comm comm, bool collective) : comm_(comm), collective_(collective) {
    const int dimensions = grid.extents().size() + 1;
    const std::uint64_t numbers = static_cast<std::uint64_t>(grid.extents().size()) * 18;
    const std::vector<int> sizes = slowest_first<int>(grid.extents(), numbers);
    const std::vector<int> part = slowest_first<int>(grid.local_box().extents, numbers);
    const std::vector<int> start = slowest_first<int>(grid.local_box().lower, 0);
    MPI_Type_create_subarray(dimensions, sizes.data(), part.data(), start.data(), MPI_ORDER_C, MPI_DOUBLE, &view_);
    MPI_Type_commit(&view_);
  }
  ~MpiIo() override { MPI_Type_free(&view_); }
  MpiIo(const MpiIo&) = delete;
  MpiIo& operator=(const MpiIo&) = delete;

  bool is_peer() const override { return true; }
  Result label() const override { return plain_label(collective_ ? "mpi-io collective" : "mpi-io independent", "raw"); }

  Account write(const std::string& path, const BenchField& field) override {
    StageWatch watch;
    MPI_File file = open(path, MPI_MODE_CREATE | MPI_MODE_WRONLY);
    watch.end_of(Stage::open);
    const auto call = collective_ ? &MPI_File_write_all : &MPI_File_write;
    const int count = static_cast<int>(field.source().size());
    const int status = call(file, field.source().data(), count, MPI_DOUBLE, MPI_STATUS_IGNORE);
    watch.end_of(Stage::storage);
    MPI_File_close(&file);
    watch.end_of(Stage::close);
    check(status, path, "write");
    return {watch.stages()};
  }

  Account read(const std::string& path, BenchField& field) override {
    StageWatch watch;
    MPI_File file = open(path, MPI_MODE_RDONLY);
    watch.end_of(Stage::open);
    const auto call = collective_ ? &MPI_File_read_all : &MPI_File_read;
    const int count = static_cast<int>(field.target().size());
    const int status = call(file, field.target().data(), count, MPI_DOUBLE, MPI_STATUS_IGNORE);
    watch.end_of(Stage::storage);
    MPI_File_close(&file);
    watch.end_of(Stage::close);
    check(status, path, "read");
    return {watch.stages()};
  }

 private:
  MPI_File open(const std::string& path, int mode) const {
    MPI_File file = MPI_FILE_NULL;
    check(MPI_File_open(comm_, path.c_str(), mode, MPI_INFO_NULL, &file), path, "open");
    check(MPI_File_set_view(file, 0, MPI_DOUBLE, view_, "native", MPI_INFO_NULL), path, "set a view of");
    return file;
  }
  static void check(int status, const std::string& path, const char* doing) {
    bench::require(status != MPI_SUCCESS, path, std::string("MPI-IO cannot ") + doing + " the file");
  }

  MPI_Comm comm_;
  bool collective_;
  MPI_Datatype view_ = MPI_DATATYPE_NULL;
};

}  // namespace

void require(bool failed, const std::string& path, const std::string& words) {
  if (failed) throw Error(Code::io, path + ": " + words, {.path = path});
}

std::unique_ptr<Mover> make_mpi_io(const Grid& grid, const void* ranks, bool collective) {
  return std::make_unique<MpiIo>(grid, *static_cast<const MPI_Comm*>(ranks), collective);
}

}  // namespace lq::bench
