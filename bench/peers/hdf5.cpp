// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Parallel HDF5: one contiguous dataset of doubles, hyperslabs, collective transfers; nothing is filled in advance.
#include <hdf5.h>

#include "peers.hpp"

namespace peers {
namespace {

using lq::bench::Account;
using lq::bench::BenchField;

// An identifier of the library and the call that gives it back.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t), const std::string& path) : id_(id), close_(close) {
    require(id < 0, path, "HDF5 refuses the file");
  }
  ~Handle() { close_(id_); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  operator hid_t() const { return id_; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

class Hdf5 : public lq::bench::Mover {
 public:
  Hdf5(const lq::Grid& grid, MPI_Comm comm) : comm_(comm) {
    const std::uint64_t numbers = static_cast<std::uint64_t>(grid.extents().size()) * 18;
    sizes_ = slowest_first<hsize_t>(grid.extents(), numbers);
    part_ = slowest_first<hsize_t>(grid.local_box().extents, numbers);
    start_ = slowest_first<hsize_t>(grid.local_box().lower, 0);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }

  bool is_peer() const override { return true; }
  lq::bench::Result label() const override { return lq::bench::plain_label("hdf5", "hdf5"); }

  Account write(const std::string& path, const BenchField& field) override {
    const Handle access = make_access(path);
    const Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access), H5Fclose, path);
    const Handle space(H5Screate_simple(rank(), sizes_.data(), nullptr), H5Sclose, path);
    const Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, path);
    H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER);
    const Handle data(H5Dcreate2(file, "field", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, creation, H5P_DEFAULT), H5Dclose,
                      path);
    const Handle memory = select(space, path);
    const Handle transfer = make_transfer(path);
    require(H5Dwrite(data, H5T_NATIVE_DOUBLE, memory, space, transfer, field.source().data()) < 0, path,
            "HDF5 cannot write");
    return {};
  }

  Account read(const std::string& path, BenchField& field) override {
    const Handle access = make_access(path);
    const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access), H5Fclose, path);
    const Handle data(H5Dopen2(file, "field", H5P_DEFAULT), H5Dclose, path);
    const Handle space(H5Dget_space(data), H5Sclose, path);
    const Handle memory = select(space, path);
    const Handle transfer = make_transfer(path);
    require(H5Dread(data, H5T_NATIVE_DOUBLE, memory, space, transfer, field.target().data()) < 0, path,
            "HDF5 cannot read");
    return {};
  }

 private:
  int rank() const { return static_cast<int>(sizes_.size()); }
  Handle make_access(const std::string& path) const {
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_mpio(access, comm_, MPI_INFO_NULL);
    return {access, H5Pclose, path};
  }
  static Handle make_transfer(const std::string& path) {
    const hid_t transfer = H5Pcreate(H5P_DATASET_XFER);
    H5Pset_dxpl_mpio(transfer, H5FD_MPIO_COLLECTIVE);
    return {transfer, H5Pclose, path};
  }
  // This rank's part of `space`; the same as an array in memory.
  Handle select(hid_t space, const std::string& path) const {
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start_.data(), nullptr, part_.data(), nullptr);
    return {H5Screate_simple(rank(), part_.data(), nullptr), H5Sclose, path};
  }

  MPI_Comm comm_;
  std::vector<hsize_t> sizes_, part_, start_;
};

}  // namespace

std::unique_ptr<lq::bench::Mover> make_hdf5(const lq::Grid& grid, MPI_Comm comm) {
  return std::make_unique<Hdf5>(grid, comm);
}

}  // namespace peers
