// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// pread and pwrite alone: every rank moves each contiguous row of its own sites with one call, without byte order or
// checksum. The bound of whatever moves rows between a file and the memory of the rank that owns them.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "peers.hpp"

namespace peers {
namespace {

using lq::bench::Account;
using lq::bench::BenchField;

constexpr std::uint64_t site_bytes = 72 * sizeof(double);
constexpr std::uint64_t most_at_once = 1024 * 1024;

class Rows : public lq::bench::Mover {
 public:
  Rows(const lq::Grid& grid, MPI_Comm comm) : lattice_(grid.extents()), box_(grid.local_box()), comm_(comm) {}

  bool is_peer() const override { return true; }
  lq::bench::Result label() const override { return lq::bench::plain_label("plain rows", "plain"); }

  Account write(const std::string& path, const BenchField& field) override {
    int rank = 0;
    MPI_Comm_rank(comm_, &rank);
    if (rank == 0) close(opened(path, O_WRONLY | O_CREAT | O_TRUNC));
    MPI_Barrier(comm_);
    move(path, opened(path, O_WRONLY), [&](int file, std::uint64_t at, std::uint64_t bytes, std::uint64_t offset) {
      return pwrite(file, reinterpret_cast<const std::byte*>(field.source().data()) + at, bytes,
                    static_cast<off_t>(offset));
    });
    MPI_Barrier(comm_);  // the file is complete
    return {};
  }

  Account read(const std::string& path, BenchField& field) override {
    move(path, opened(path, O_RDONLY), [&](int file, std::uint64_t at, std::uint64_t bytes, std::uint64_t offset) {
      return pread(file, reinterpret_cast<std::byte*>(field.target().data()) + at, bytes, static_cast<off_t>(offset));
    });
    return {};
  }

 private:
  static int opened(const std::string& path, int flags) {
    const int file = open(path.c_str(), flags, 0666);
    require(file < 0, path, "it cannot be opened");
    return file;
  }

  // Memory has the order of the file, so that rows follow each other in it. Dimensions that a rank holds whole are part
  // of its rows.
  template <class Call>
  void move(const std::string& path, int file, const Call& call) const {
    std::uint64_t row = site_bytes;
    int dimension = 0;
    do {
      row *= static_cast<std::uint64_t>(box_.extents[dimension]);
    } while (box_.extents[dimension] == lattice_[dimension] && ++dimension < lattice_.size());
    const std::uint64_t all = box_.volume() * site_bytes;
    for (std::uint64_t at = 0; at < all; at += row) {
      const std::uint64_t offset = offset_of(at / site_bytes);
      for (std::uint64_t done = 0; done < row; done += most_at_once) {
        const std::uint64_t bytes = std::min(most_at_once, row - done);
        require(call(file, at + done, bytes, offset + done) != static_cast<ssize_t>(bytes), path,
                "a row was not moved");
      }
    }
    close(file);
  }

  // In the file, of the site with this number in the rank's own box.
  std::uint64_t offset_of(std::uint64_t number) const {
    std::uint64_t site = 0, stride = 1;
    for (int d = 0; d < lattice_.size(); ++d) {
      const auto extent = static_cast<std::uint64_t>(box_.extents[d]);
      site += stride * (static_cast<std::uint64_t>(box_.lower[d]) + number % extent);
      number /= extent;
      stride *= static_cast<std::uint64_t>(lattice_[d]);
    }
    return site * site_bytes;
  }

  lq::Extents lattice_;
  lq::Box box_;
  MPI_Comm comm_;
};

}  // namespace

std::unique_ptr<lq::bench::Mover> make_rows(const lq::Grid& grid, MPI_Comm comm) {
  return std::make_unique<Rows>(grid, comm);
}

}  // namespace peers
