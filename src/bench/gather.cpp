// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Gathering on one rank: messages into slices, slices into the file.
#include "bench/over_mpi.hpp"

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <cstring>
#include <span>
#include <vector>

#include "bench/raw.hpp"

namespace lq::bench {
namespace {

class Gather : public Mover {
 public:
  Gather(const Grid& grid, MPI_Comm comm) : comm_(comm), dimensions_(grid.extents().size()) {
    const Box& box = grid.local_box();
    std::vector<std::int64_t> mine;
    for (int d = 0; d < dimensions_; ++d) mine.push_back(box.lower[d]), mine.push_back(box.extents[d]);
    const int count = 2 * dimensions_;
    std::vector<std::int64_t> every(static_cast<std::size_t>(count * grid.size()));
    MPI_Allgather(mine.data(), count, MPI_INT64_T, every.data(), count, MPI_INT64_T, comm_);
    for (int rank = 0; rank < grid.size(); ++rank) {
      Box other{Coord::filled(dimensions_, 0), Coord::filled(dimensions_, 0)};
      for (int d = 0; d < dimensions_; ++d) {
        other.lower[d] = every[static_cast<std::size_t>(rank * count + 2 * d)];
        other.extents[d] = every[static_cast<std::size_t>(rank * count + 2 * d + 1)];
      }
      boxes_.push_back(other);
    }
  }

  Result label() const override { return plain_label("gather", "raw"); }

  Account write(const std::string& path, const BenchField& field) override {
    const Slices slices(*this, field);
    for (std::int64_t t = 0; t < slices.count; ++t) {
      if (slices.has(field.grid().rank(), t)) {
        const std::span<const double> part = field.source().subspan(slices.begin(t), slices.local_numbers);
        if (!field.grid().is_root()) send(part);
        if (field.grid().is_root()) place(slices, 0, part.data());
      }
      if (!field.grid().is_root()) continue;
      for (int rank = 1; rank < field.grid().size(); ++rank) {
        if (!slices.has(rank, t)) continue;
        part_.resize(slices.numbers_of(rank));
        MPI_Recv(part_.data(), static_cast<int>(part_.size()), MPI_DOUBLE, rank, 0, comm_, MPI_STATUS_IGNORE);
        place(slices, rank, part_.data());
      }
      raw_write(path, static_cast<std::uint64_t>(t) * slices.bytes(), std::as_bytes(std::span(slice_)), false);
    }
    return {};
  }

  Account read(const std::string& path, BenchField& field) override {
    const Slices slices(*this, field);
    for (std::int64_t t = 0; t < slices.count; ++t) {
      if (field.grid().is_root()) {
        const std::span<std::byte> bytes = std::as_writable_bytes(std::span(slice_));
        raw_read(path, static_cast<std::uint64_t>(t) * slices.bytes(), bytes);
        for (int rank = 1; rank < field.grid().size(); ++rank) {
          if (!slices.has(rank, t)) continue;
          part_.resize(slices.numbers_of(rank));
          take(slices, rank, part_.data());
          MPI_Send(part_.data(), static_cast<int>(part_.size()), MPI_DOUBLE, rank, 0, comm_);
        }
      }
      if (!slices.has(field.grid().rank(), t)) continue;
      double* part = field.target().data() + slices.begin(t);
      if (field.grid().is_root()) {
        take(slices, 0, part);
      } else {
        MPI_Recv(part, static_cast<int>(slices.local_numbers), MPI_DOUBLE, 0, 0, comm_, MPI_STATUS_IGNORE);
      }
    }
    return {};
  }

 private:
  // The slowest dimension, one value at a time; a rank's part of one slice is contiguous in its memory.
  struct Slices {
    Slices(Gather& peer, const BenchField& field)
        : boxes(peer.boxes_), extents(field.grid().extents()), numbers(field.site_numbers()) {
      count = extents[extents.size() - 1];
      local_lower = boxes[static_cast<std::size_t>(field.grid().rank())].lower[extents.size() - 1];
      local_numbers = numbers_of(field.grid().rank());
      if (field.grid().is_root())
        peer.slice_.resize(field.grid().volume() / static_cast<std::uint64_t>(count) * numbers);
    }
    const Box& box(int rank) const { return boxes[static_cast<std::size_t>(rank)]; }
    bool has(int rank, std::int64_t t) const {
      const int d = extents.size() - 1;
      return t >= box(rank).lower[d] && t < box(rank).lower[d] + box(rank).extents[d];
    }
    std::size_t numbers_of(int rank) const {
      return box(rank).volume() / static_cast<std::uint64_t>(box(rank).extents[extents.size() - 1]) * numbers;
    }
    std::size_t begin(std::int64_t t) const { return static_cast<std::size_t>(t - local_lower) * local_numbers; }
    std::uint64_t bytes() const { return volume(extents) / static_cast<std::uint64_t>(count) * numbers * 8; }

    const std::vector<Box>& boxes;
    Extents extents;
    std::uint64_t numbers;
    std::int64_t count = 0, local_lower = 0;
    std::size_t local_numbers = 0;
  };

  void send(std::span<const double> part) {
    MPI_Send(part.data(), static_cast<int>(part.size()), MPI_DOUBLE, 0, 0, comm_);
  }

  // Calls work(place in the slice, place in the part, numbers) for each row along x of a rank's part of a slice.
  template <class Work>
  void for_each_row(const Slices& slices, int rank, Work work) {
    const Box& box = slices.box(rank);
    const auto row = static_cast<std::size_t>(box.extents[0]) * slices.numbers;
    const std::size_t rows = slices.numbers_of(rank) / row;
    for (std::size_t i = 0; i < rows; ++i) {
      std::size_t rest = i;
      std::uint64_t site = static_cast<std::uint64_t>(box.lower[0]);
      std::uint64_t stride = static_cast<std::uint64_t>(slices.extents[0]);
      for (int d = 1; d + 1 < slices.extents.size(); ++d) {
        const auto extent = static_cast<std::size_t>(box.extents[d]);
        site += (static_cast<std::uint64_t>(box.lower[d]) + rest % extent) * stride;
        rest /= extent;
        stride *= static_cast<std::uint64_t>(slices.extents[d]);
      }
      work(slice_.data() + site * slices.numbers, i * row, row);
    }
  }
  void place(const Slices& slices, int rank, const double* part) {
    for_each_row(slices, rank, [&](double* to, std::size_t from, std::size_t count) {
      std::memcpy(to, part + from, count * sizeof(double));
    });
  }
  void take(const Slices& slices, int rank, double* part) {
    for_each_row(slices, rank, [&](const double* from, std::size_t to, std::size_t count) {
      std::memcpy(part + to, from, count * sizeof(double));
    });
  }

  MPI_Comm comm_;
  int dimensions_;
  std::vector<Box> boxes_;
  std::vector<double> slice_, part_;
};

}  // namespace

std::unique_ptr<Mover> make_gather(const Grid& grid) { return std::make_unique<Gather>(grid, MPI_COMM_WORLD); }

}  // namespace lq::bench
