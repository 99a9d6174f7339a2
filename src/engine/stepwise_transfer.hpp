// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Common parts of all transfers: small steps, the form of a site, the buffer, and the inspection of passing sites.
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <vector>

#include <limequat/error.hpp>
#include <limequat/options.hpp>

#include "base/byte_source.hpp"
#include "base/inner.hpp"
#include "engine/site_batches.hpp"
#include "engine/transfer_stats.hpp"
#include "kernels/digest.hpp"
#include "kernels/pack.hpp"

namespace lq::engine {

enum class Progress {
  moved,     // progress was made on a block or chunk
  waiting,   // nothing to do until another rank proceeds
  finished,  // this rank's part is complete, or has failed
};

// This rank's part of a transfer. Steps are local; those of different ranks may come in any order.
class StepwiseTransfer {
 public:
  virtual ~StepwiseTransfer() = default;
  // Failures of this rank are stored while others still need it, and thrown by the step that finishes. After cancel()
  // the rank continues to take part but no longer moves data. An exception of the progress callback, or an
  // interruption, counts as a failure of this rank.
  Progress step();
  // True if steps exchange messages: they must then run on a thread that may do so.
  virtual bool needs_messages() const noexcept { return false; }
  // Announces to the storage what will be read, before the first step.
  virtual void fetch_ahead() noexcept {}
  // Called by another thread than the one that takes the steps: takes over a part of the remaining work, if it can be
  // shared, until all of it has been started.
  virtual void help() noexcept {}
  // Memory held beyond the field.
  virtual std::uint64_t memory_bytes() const noexcept = 0;

  // Call before the first step. `progress` is called between steps, with a number of bytes out of `bytes` in proportion
  // to the completed part of this rank.
  void report_progress_in_bytes(lq::Progress progress, std::uint64_t bytes);

  // From any thread.
  void cancel() noexcept { cancelled_.store(true, std::memory_order_relaxed); }

 protected:
  // The completed part of this rank, in a unit chosen by the transfer.
  struct Passed {
    std::uint64_t done = 0, of = 0;
  };

  bool is_cancelled() const noexcept { return cancelled_.load(std::memory_order_relaxed); }

 private:
  virtual Progress take_step() = 0;
  virtual Passed passed() noexcept { return {}; }  // called only if there is a progress callback
  void report_progress(const Passed& now) noexcept;
  void end_by(std::exception_ptr reason) noexcept;

  lq::Progress report_;
  std::uint64_t bytes_ = 0, reported_ = 0;
  std::exception_ptr ended_by_;
  std::atomic<bool> cancelled_{false};
};

// Takes all steps in sequence.
void run(StepwiseTransfer& steps);
// The same; returns the failure, or nullptr.
LQ_INNER std::exception_ptr outcome_of(StepwiseTransfer& steps) noexcept;

// Common parts of all transfers: the form of a site, the buffer, complete reads, and the inspection for zeros and odd
// numbers.

inline kernels::SiteForm form_of(const Payload& payload, Precision memory) {
  const bool host_is_little = std::endian::native == std::endian::little;
  return {payload.site_bytes() / payload.spec.number_bytes(), memory, payload.spec.precision,
          (payload.byte_order == ByteOrder::big) == host_is_little};
}

// A block of whole sites.
class Block {
 public:
  Block(std::uint64_t block_bytes, std::uint64_t site_bytes);
  std::uint64_t max_sites() const noexcept { return max_sites_; }
  std::uint64_t bytes() const noexcept { return max_sites_ * site_bytes_; }
  base::MutableBytes first_sites(std::uint64_t sites) noexcept {
    return {bytes_.get(), static_cast<std::size_t>(sites * site_bytes_)};
  }

 private:
  std::uint64_t site_bytes_;
  std::uint64_t max_sites_;
  std::unique_ptr<std::byte[]> bytes_;
};

// Reads all of `bytes` from `offset`, or throws Error(truncated).
void read_whole(base::ByteSource& file, std::uint64_t offset, base::MutableBytes bytes);

// Records sites of a gauge field that hold only zeros, and odd numbers if requested.
void watch(const Payload& payload, base::Bytes sites, std::uint64_t file_site, TransferStats& stats);
// Records odd numbers in a piece that is written, if requested; sites before `counted_from` are not counted.
void watch_written(const Payload& payload, const std::byte* sites, const Piece& piece, std::uint64_t counted_from,
                   TransferStats& stats);

}  // namespace lq::engine
