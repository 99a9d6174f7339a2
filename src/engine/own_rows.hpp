// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What is done to stretches of a rank's own rows, which are moved at once, on their way between memory and file. Of one
// thread: several have one each, with a stats of its own.
#pragma once

#include <cstdint>
#include <span>

#include "base/byte_source.hpp"
#include "base/clock.hpp"
#include "engine/local_sites.hpp"
#include "engine/movement.hpp"
#include "engine/stretches.hpp"
#include "engine/transfer_stats.hpp"
#include "storage/transport.hpp"

namespace lq::engine {

// Reading the clock takes a twentieth of the time of a short row: where there are many of them some are timed, for all.
class SampledClock {
 public:
  // Before a move of so many bytes.
  void next(std::uint64_t bytes) noexcept {
    constexpr std::uint64_t all_of_first = 16, one_in = 4, long_enough = 65536;
    if (bytes >= long_enough || moves_ < all_of_first) {
      weight_ = 1;
    } else {
      weight_ = moves_ % one_in == 0 ? one_in : 0;
    }
    ++moves_;
  }
  // Does it, and adds the seconds that it takes or stands for.
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
  // All of them outlive the object.
  RowsOut(const Field& field, const Payload& payload, const lattice::RowPlan& rows, File& file, TransferStats& stats)
      : payload_(payload), source_(field, payload, rows, stats), file_(file), stats_(stats) {}

  lattice::Rows& rows() noexcept { return source_.rows(); }
  // The sites of stretches in file form.
  void pack(std::span<const Stretch> stretches, base::MutableBytes bytes);
  // These to their places.
  void write(std::span<const Stretch> stretches, base::Bytes bytes);
  void move(std::span<const Stretch> stretches, Block& block);
  void finish() {}  // what was moved is in its place

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

  // Where the bytes of stretches are read to.
  struct Target {
    base::MutableBytes bytes;
    bool is_in_place = false;  // in the user's memory
  };

  lattice::Rows& rows() noexcept { return sink_.rows(); }
  // What lies in memory as in the file, except for byte order, is read to its place and not copied there.
  Target target_of(std::span<const Stretch> stretches, Block& block);
  // So many sites of the file from this one on will be read soon.
  void fetch_ahead(std::uint64_t file_site, std::uint64_t sites) noexcept;
  // truncated: the file ends before.
  void read(std::span<const Stretch> stretches, base::MutableBytes bytes);
  // Sites that were read, to memory form in their places.
  void take(std::span<const Stretch> stretches, const Target& target);
  void move(std::span<const Stretch> stretches, Block& block);
  // Sites that lie in memory as in the file, except for the order of bytes: turned where they are, and then given to
  // their places, which may be behind a function.
  void turn(const Stretch& stretch, base::MutableBytes bytes);
  void give(const Stretch& stretch, base::Bytes bytes);
  // Behind the last stretch.
  void finish();

 private:
  const Payload& payload_;
  LocalSink sink_;
  File& file_;
  TransferStats& stats_;
  SampledClock clock_;
};

}  // namespace lq::engine
