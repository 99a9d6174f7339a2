// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Processing of batches of a rank's own rows that are moved together between memory and file. For one thread; several
// threads each have their own object and stats.
#pragma once

#include <cstdint>
#include <span>

#include "base/byte_source.hpp"
#include "base/clock.hpp"
#include "engine/local_sites.hpp"
#include "engine/site_batches.hpp"
#include "engine/stepwise_transfer.hpp"
#include "engine/transfer_stats.hpp"
#include "storage/transport.hpp"

namespace lq::engine {

// Reading the clock takes a twentieth of the time of a short row, so with many rows only a sample is timed.
class SampledClock {
 public:
  // Call before a move of the given number of bytes.
  void next(std::uint64_t bytes) noexcept {
    constexpr std::uint64_t all_of_first = 16, one_in = 4, long_enough = 65536;
    if (bytes >= long_enough || moves_ < all_of_first) {
      weight_ = 1;
    } else {
      weight_ = moves_ % one_in == 0 ? one_in : 0;
    }
    ++moves_;
  }
  // Runs `work`, and adds the seconds that it takes or represents.
  template <class Work>
  void add(double& seconds, const Work& work) const {
    if (weight_ == 0) return work();
    const base::Stopwatch watch;
    work();
    seconds += weight_ * watch.seconds();
  }

 private:
  std::uint64_t moves_ = 0;
  double weight_ = 1;
};

class RowsOut {
 public:
  using Memory = Field;
  using File = storage::File;
  // All arguments outlive the object.
  RowsOut(const Field& field, const Payload& payload, const lattice::RowPlan& rows, File& file, TransferStats& stats)
      : payload_(payload), source_(field, payload, rows, stats), file_(file), stats_(stats) {}

  lattice::Rows& rows() noexcept { return source_.rows(); }
  // Packs the sites of batches into file form.
  void pack(std::span<const SiteBatch> batches, base::MutableBytes bytes);
  // Writes them to their places.
  void write(std::span<const SiteBatch> batches, base::Bytes bytes);
  void move(std::span<const SiteBatch> batches, Block& block);
  void finish() {}  // everything moved is already in place

 private:
  const Payload& payload_;
  LocalSource source_;
  File& file_;
  TransferStats& stats_;
  SampledClock clock_;
};

class RowsIn {
 public:
  using Memory = MutableField;
  using File = base::ByteSource;
  RowsIn(const MutableField& field, const Payload& payload, const lattice::RowPlan& rows, File& file,
         TransferStats& stats)
      : payload_(payload), sink_(field, payload, rows, stats), file_(file), stats_(stats) {}

  // The buffer into which the bytes of batches are read.
  struct Target {
    base::MutableBytes bytes;
    bool is_in_place = false;  // in the user's memory
  };

  lattice::Rows& rows() noexcept { return sink_.rows(); }
  // Sites that differ from the file only in byte order are read directly to their places.
  Target target_of(std::span<const SiteBatch> batches, Block& block);
  // Hint: this number of sites of the file will be read soon, starting with this one.
  void fetch_ahead(std::uint64_t file_site, std::uint64_t sites) noexcept;
  // truncated: the file ends before.
  void read(std::span<const SiteBatch> batches, base::MutableBytes bytes);
  // Converts sites that were read to memory form, in their places.
  void take(std::span<const SiteBatch> batches, const Target& target);
  void move(std::span<const SiteBatch> batches, Block& block);
  // For sites that differ from the file only in byte order: swaps them in place, then passes them to their places,
  // which may be behind a function.
  void turn(const SiteBatch& batch, base::MutableBytes bytes);
  void give(const SiteBatch& batch, base::Bytes bytes);
  // Call after the last batch.
  void finish();

 private:
  const Payload& payload_;
  LocalSink sink_;
  File& file_;
  TransferStats& stats_;
  SampledClock clock_;
};

}  // namespace lq::engine
