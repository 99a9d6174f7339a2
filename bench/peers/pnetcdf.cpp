// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// PnetCDF: a variable of doubles in a CDF-5 file, collective transfers; nothing is filled in advance. The format is big
// endian, so bytes are turned here as they are in LIME files.
#include <pnetcdf.h>

#include "peers.hpp"

namespace peers {
namespace {

using lq::bench::Account;
using lq::bench::BenchField;

class Pnetcdf : public lq::bench::Mover {
 public:
  Pnetcdf(const lq::Grid& grid, MPI_Comm comm) : comm_(comm) {
    const std::uint64_t numbers = static_cast<std::uint64_t>(grid.extents().size()) * 18;
    sizes_ = slowest_first<MPI_Offset>(grid.extents(), numbers);
    part_ = slowest_first<MPI_Offset>(grid.local_box().extents, numbers);
    start_ = slowest_first<MPI_Offset>(grid.local_box().lower, 0);
  }

  bool is_peer() const override { return true; }
  lq::bench::Result label() const override { return lq::bench::plain_label("pnetcdf", "cdf-5"); }

  Account write(const std::string& path, const BenchField& field) override {
    int file = 0, variable = 0;
    check(ncmpi_create(comm_, path.c_str(), NC_CLOBBER | NC_64BIT_DATA, MPI_INFO_NULL, &file), path);
    std::vector<int> dimensions(sizes_.size());
    for (std::size_t d = 0; d < sizes_.size(); ++d) {
      std::string name = "d";
      name += std::to_string(d);
      check(ncmpi_def_dim(file, name.c_str(), sizes_[d], &dimensions[d]), path);
    }
    const int count = static_cast<int>(dimensions.size());
    check(ncmpi_def_var(file, "field", NC_DOUBLE, count, dimensions.data(), &variable), path);
    check(ncmpi_enddef(file), path);
    check(ncmpi_put_vara_double_all(file, variable, start_.data(), part_.data(), field.source().data()), path);
    check(ncmpi_close(file), path);
    return {};
  }

  Account read(const std::string& path, BenchField& field) override {
    int file = 0, variable = 0;
    check(ncmpi_open(comm_, path.c_str(), NC_NOWRITE, MPI_INFO_NULL, &file), path);
    check(ncmpi_inq_varid(file, "field", &variable), path);
    check(ncmpi_get_vara_double_all(file, variable, start_.data(), part_.data(), field.target().data()), path);
    check(ncmpi_close(file), path);
    return {};
  }

 private:
  static void check(int status, const std::string& path) {
    require(status != NC_NOERR, path, std::string("PnetCDF: ") + ncmpi_strerror(status));
  }

  MPI_Comm comm_;
  std::vector<MPI_Offset> sizes_, part_, start_;
};

}  // namespace

std::unique_ptr<lq::bench::Mover> make_pnetcdf(const lq::Grid& grid, MPI_Comm comm) {
  return std::make_unique<Pnetcdf>(grid, comm);
}

}  // namespace peers
