// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Grid's default plan since 2026, from its description (pmodels/mpich#7935): one all-to-all undoes the split of the
// fastest dimensions among their ranks, until contiguous pieces of the file reach 4 MiB; then
// every rank writes its part of the result by plain writes. The plan is rebuilt for each file, the local volume is
// stored twice, nothing is synced.
#include "bench/over_mpi.hpp"

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <fcntl.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <span>

#include <limequat/error.hpp>

#include "bench/raw.hpp"
#include "bench/result.hpp"

namespace lq::bench {
namespace {

constexpr std::size_t largest_call = std::size_t{1} << 30;

// The ranks among which the split is undone, and their combined part.
class MergedRanks {
 public:
  MergedRanks(const BenchField& field, MPI_Comm comm, std::uint64_t wanted_extent)
      : site_bytes_(field.site_numbers() * sizeof(double)) {
    const Grid& grid = field.grid();
    const Box& mine = grid.local_box();
    extents_ = grid.extents();
    dimensions_ = extents_.size();
    // Dimensions that are whole after undoing the split of the first `undone_` ones, until an extent is long enough.
    std::uint64_t whole = site_bytes_;
    while (undone_ < dimensions_ && whole * length(mine, undone_) < wanted_extent) {
      whole *= static_cast<std::uint64_t>(extents_[undone_++]);
    }
    box_ = mine;
    int colour = 0;
    for (int d = 0; d < dimensions_; ++d) {
      if (d < undone_) {
        box_.lower[d] = 0;
        box_.extents[d] = extents_[d];
      } else {
        colour = colour * static_cast<int>(grid.processes()[d]) + static_cast<int>(mine.lower[d] / mine.extents[d]);
      }
    }
    MPI_Comm_split(comm, colour, grid.rank(), &comm_);
    MPI_Comm_rank(comm_, &rank_);
    int size = 1;
    MPI_Comm_size(comm_, &size);
    std::vector<std::int64_t> lower(static_cast<std::size_t>(dimensions_));
    for (int d = 0; d < dimensions_; ++d) lower[static_cast<std::size_t>(d)] = mine.lower[d];
    std::vector<std::int64_t> every(lower.size() * static_cast<std::size_t>(size));
    MPI_Allgather(lower.data(), dimensions_, MPI_INT64_T, every.data(), dimensions_, MPI_INT64_T, comm_);
    for (int rank = 0; rank < size; ++rank) {
      Box other = mine;
      for (int d = 0; d < dimensions_; ++d) other.lower[d] = every[static_cast<std::size_t>(rank * dimensions_ + d)];
      holders_.push_back(other);
    }
    share_ = mine.volume();
    if (box_.volume() != share_ * holders_.size()) {
      throw Error(Code::unsupported, "ranks must hold equal parts of the lattice for this plan");
    }
  }
  ~MergedRanks() { MPI_Comm_free(&comm_); }
  MergedRanks(const MergedRanks&) = delete;
  MergedRanks& operator=(const MergedRanks&) = delete;

  MPI_Comm comm() const noexcept { return comm_; }
  int size() const noexcept { return static_cast<int>(holders_.size()); }
  std::uint64_t site_bytes() const noexcept { return site_bytes_; }
  std::uint64_t first() const noexcept { return share_ * static_cast<std::uint64_t>(rank_); }  // first site of my share
  std::uint64_t share() const noexcept { return share_; }
  const Box& mine() const { return holders_[static_cast<std::size_t>(rank_)]; }
  const Box& holder(int rank) const { return holders_[static_cast<std::size_t>(rank)]; }

  // Calls work(site within the combined part, site in the part of `holder`, sites) for each row along
  // the fastest dimension, split at the ends of shares.
  template <class Work>
  void for_each_row(const Box& holder, Work work) const {
    const std::uint64_t row = length(holder, 0);
    const std::uint64_t rows = holder.volume() / row;
    for (std::uint64_t i = 0; i < rows; ++i) {
      std::uint64_t rest = i, stride = length(box_, 0);
      std::uint64_t site = static_cast<std::uint64_t>(holder.lower[0] - box_.lower[0]);
      for (int d = 1; d < dimensions_; ++d) {
        site += (rest % length(holder, d) + static_cast<std::uint64_t>(holder.lower[d] - box_.lower[d])) * stride;
        rest /= length(holder, d);
        stride *= length(box_, d);
      }
      for (std::uint64_t done = 0; done < row;) {
        const std::uint64_t count = std::min(row - done, share_ - (site + done) % share_);
        work(site + done, i * row + done, count);
        done += count;
      }
    }
  }

  // Calls work(site of the lattice, site in my share, sites) for each piece of the file in my share.
  template <class Work>
  void for_each_extent(Work work) const {
    std::uint64_t extent = length(box_, std::min(undone_, dimensions_ - 1));
    for (int d = 0; d < std::min(undone_, dimensions_ - 1); ++d) extent *= length(box_, d);
    for (std::uint64_t done = 0; done < share_;) {
      const std::uint64_t site = first() + done;
      const std::uint64_t count = std::min(share_ - done, extent - site % extent);
      std::uint64_t rest = site, at = 0, stride = 1;
      for (int d = 0; d < dimensions_; ++d) {
        at += (rest % length(box_, d) + static_cast<std::uint64_t>(box_.lower[d])) * stride;
        rest /= length(box_, d);
        stride *= static_cast<std::uint64_t>(extents_[d]);
      }
      work(at, done, count);
      done += count;
    }
  }

 private:
  static std::uint64_t length(const Box& box, int d) { return static_cast<std::uint64_t>(box.extents[d]); }

  std::uint64_t site_bytes_, share_ = 0;
  Extents extents_;
  int dimensions_ = 0, undone_ = 0, rank_ = 0;
  Box box_;  // the combined part
  std::vector<Box> holders_;
  MPI_Comm comm_ = MPI_COMM_NULL;
};

// One all-to-all: on one side this rank's part of every share, on the other its own share. Messages are counted in
// sites, so the limit of two gigabytes does not apply.
class Exchange {
 public:
  explicit Exchange(const MergedRanks& ranks)
      : ranks_(ranks), held_(ranks.share() * ranks.site_bytes()), share_(held_.size()) {
    const auto size = static_cast<std::size_t>(ranks.size());
    to_.resize(size), from_.resize(size), to_begin_.resize(size), from_begin_.resize(size);
    ranks_.for_each_row(ranks_.mine(), [&](std::uint64_t site, std::uint64_t, std::uint64_t count) {
      to_[static_cast<std::size_t>(site / ranks_.share())] += static_cast<int>(count);
    });
    for (int rank = 0; rank < ranks_.size(); ++rank) {
      ranks_.for_each_row(ranks_.holder(rank), [&](std::uint64_t site, std::uint64_t, std::uint64_t count) {
        if (is_mine(site)) from_[static_cast<std::size_t>(rank)] += static_cast<int>(count);
      });
    }
    std::exclusive_scan(to_.begin(), to_.end(), to_begin_.begin(), 0);
    std::exclusive_scan(from_.begin(), from_.end(), from_begin_.begin(), 0);
    MPI_Type_contiguous(static_cast<int>(ranks.site_bytes()), MPI_BYTE, &site_);
    MPI_Type_commit(&site_);
  }
  ~Exchange() { MPI_Type_free(&site_); }
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  // These sites of the share.
  std::span<std::byte> share(std::uint64_t first, std::uint64_t sites) noexcept {
    return std::span(share_).subspan(first * ranks_.site_bytes(), sites * ranks_.site_bytes());
  }

  // From this rank's memory into its share, and back.
  void gather(const std::byte* field, StageWatch& watch) {
    std::vector<int> at = to_begin_;
    ranks_.for_each_row(ranks_.mine(), [&](std::uint64_t site, std::uint64_t local, std::uint64_t count) {
      int& next = at[static_cast<std::size_t>(site / ranks_.share())];
      copy(held_.data(), static_cast<std::uint64_t>(next), field, local, count);
      next += static_cast<int>(count);
    });
    watch.end_of(Stage::pack);
    std::vector<std::byte> arrived(share_.size());
    MPI_Alltoallv(held_.data(), to_.data(), to_begin_.data(), site_, arrived.data(), from_.data(), from_begin_.data(),
                  site_, ranks_.comm());
    watch.end_of(Stage::exchange);
    std::uint64_t next = 0;
    for (int rank = 0; rank < ranks_.size(); ++rank) {
      ranks_.for_each_row(ranks_.holder(rank), [&](std::uint64_t site, std::uint64_t, std::uint64_t count) {
        if (!is_mine(site)) return;
        copy(share_.data(), site - ranks_.first(), arrived.data(), next, count);
        next += count;
      });
    }
    watch.end_of(Stage::pack);
  }
  void scatter(std::byte* field, StageWatch& watch) {
    std::vector<std::byte> leaving(share_.size());
    std::uint64_t next = 0;
    for (int rank = 0; rank < ranks_.size(); ++rank) {
      ranks_.for_each_row(ranks_.holder(rank), [&](std::uint64_t site, std::uint64_t, std::uint64_t count) {
        if (!is_mine(site)) return;
        copy(leaving.data(), next, share_.data(), site - ranks_.first(), count);
        next += count;
      });
    }
    watch.end_of(Stage::pack);
    MPI_Alltoallv(leaving.data(), from_.data(), from_begin_.data(), site_, held_.data(), to_.data(), to_begin_.data(),
                  site_, ranks_.comm());
    watch.end_of(Stage::exchange);
    std::vector<int> at = to_begin_;
    ranks_.for_each_row(ranks_.mine(), [&](std::uint64_t site, std::uint64_t local, std::uint64_t count) {
      int& from = at[static_cast<std::size_t>(site / ranks_.share())];
      copy(field, local, held_.data(), static_cast<std::uint64_t>(from), count);
      from += static_cast<int>(count);
    });
    watch.end_of(Stage::pack);
  }

 private:
  bool is_mine(std::uint64_t site) const { return site / ranks_.share() == ranks_.first() / ranks_.share(); }
  void copy(std::byte* to, std::uint64_t to_site, const std::byte* from, std::uint64_t from_site,
            std::uint64_t sites) const {
    const std::uint64_t bytes = ranks_.site_bytes();
    std::memcpy(to + to_site * bytes, from + from_site * bytes, sites * bytes);
  }

  const MergedRanks& ranks_;
  std::vector<std::byte> held_, share_;
  std::vector<int> to_, from_, to_begin_, from_begin_;  // sites
  MPI_Datatype site_ = MPI_DATATYPE_NULL;
};

class UndoSplit : public Mover {
 public:
  UndoSplit(MPI_Comm comm, std::uint64_t extent_bytes) : comm_(comm), extent_bytes_(extent_bytes) {}

  bool is_peer() const override { return true; }
  Result label() const override { return plain_label("undo split", "raw"); }

  Account write(const std::string& path, const BenchField& field) override {
    StageWatch watch;
    together(field.grid().communicator(), [&] {
      // An existing file is overwritten; only data beyond the new end are removed.
      if (field.grid().is_root()) RawFile(path, O_WRONLY | O_CREAT).close();
      watch.end_of(Stage::create);
    });
    watch.end_of(Stage::barrier);
    const MergedRanks ranks(field, comm_, extent_bytes_);
    Exchange exchange(ranks);
    exchange.gather(reinterpret_cast<const std::byte*>(field.source().data()), watch);
    RawFile file(path, O_WRONLY);
    watch.end_of(Stage::open);
    ranks.for_each_extent([&](std::uint64_t site, std::uint64_t mine, std::uint64_t count) {
      file.write(site * ranks.site_bytes(), exchange.share(mine, count), largest_call);
    });
    watch.end_of(Stage::storage);
    if (field.grid().is_root()) file.cut(field.grid().volume() * ranks.site_bytes());
    watch.end_of(Stage::truncate);
    file.close();
    watch.end_of(Stage::close);
    return {watch.stages()};
  }

  Account read(const std::string& path, BenchField& field) override {
    StageWatch watch;
    const MergedRanks ranks(field, comm_, extent_bytes_);
    Exchange exchange(ranks);
    watch.end_of(Stage::pack);
    together(field.grid().communicator(), [&] {
      RawFile file(path, O_RDONLY);
      watch.end_of(Stage::open);
      ranks.for_each_extent([&](std::uint64_t site, std::uint64_t mine, std::uint64_t count) {
        file.read(site * ranks.site_bytes(), exchange.share(mine, count), largest_call);
      });
      watch.end_of(Stage::storage);
      file.close();
      watch.end_of(Stage::close);
    });
    watch.end_of(Stage::barrier);
    exchange.scatter(reinterpret_cast<std::byte*>(field.target().data()), watch);
    return {watch.stages()};
  }

 private:
  MPI_Comm comm_;
  std::uint64_t extent_bytes_;
};

}  // namespace

std::unique_ptr<Mover> make_undo_split(const void* ranks, std::uint64_t extent_bytes) {
  return std::make_unique<UndoSplit>(*static_cast<const MPI_Comm*>(ranks), extent_bytes);
}

std::vector<std::unique_ptr<Mover>> make_grid_paths(const Grid& grid, std::uint64_t extent_bytes) {
  const MPI_Comm all = MPI_COMM_WORLD;
  std::vector<std::unique_ptr<Mover>> movers;
  movers.push_back(make_mpi_io(grid, &all, true));
  movers.push_back(make_undo_split(&all, extent_bytes == 0 ? usual_extent_bytes : extent_bytes));
  return movers;
}

}  // namespace lq::bench
