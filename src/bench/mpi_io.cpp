// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// MPI-IO as its textbook has it: the lattice as an array, each rank's part of it as a view.
#include "peers.hpp"

namespace peers {
namespace {

using lq::bench::Account;
using lq::bench::BenchField;

class MpiIo : public lq::bench::Mover {
 public:
  MpiIo(const lq::Grid& grid, MPI_Comm comm, bool collective) : comm_(comm), collective_(collective) {
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
  lq::bench::Result label() const override {
    return lq::bench::plain_label(collective_ ? "mpi-io collective" : "mpi-io independent", "raw");
  }

  Account write(const std::string& path, const BenchField& field) override {
    lq::bench::StageWatch watch;
    MPI_File file = open(path, MPI_MODE_CREATE | MPI_MODE_WRONLY);
    watch.end_of(lq::bench::Stage::open);
    const auto call = collective_ ? &MPI_File_write_all : &MPI_File_write;
    const int count = static_cast<int>(field.source().size());
    const int status = call(file, field.source().data(), count, MPI_DOUBLE, MPI_STATUS_IGNORE);
    watch.end_of(lq::bench::Stage::storage);
    MPI_File_close(&file);
    watch.end_of(lq::bench::Stage::close);
    check(status, path, "write");
    return {watch.stages()};
  }

  Account read(const std::string& path, BenchField& field) override {
    lq::bench::StageWatch watch;
    MPI_File file = open(path, MPI_MODE_RDONLY);
    watch.end_of(lq::bench::Stage::open);
    const auto call = collective_ ? &MPI_File_read_all : &MPI_File_read;
    const int count = static_cast<int>(field.target().size());
    const int status = call(file, field.target().data(), count, MPI_DOUBLE, MPI_STATUS_IGNORE);
    watch.end_of(lq::bench::Stage::storage);
    MPI_File_close(&file);
    watch.end_of(lq::bench::Stage::close);
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
    require(status != MPI_SUCCESS, path, std::string("MPI-IO cannot ") + doing + " the file");
  }

  MPI_Comm comm_;
  bool collective_;
  MPI_Datatype view_ = MPI_DATATYPE_NULL;
};

}  // namespace

std::unique_ptr<lq::bench::Mover> make_mpi_io(const lq::Grid& grid, MPI_Comm comm, bool collective) {
  return std::make_unique<MpiIo>(grid, comm, collective);
}

}  // namespace peers
