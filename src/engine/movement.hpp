// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What all transfers share: small steps, the form of a site, the buffer, and the watch for what passes.
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
#include "engine/stretches.hpp"
#include "engine/transfer_stats.hpp"
#include "kernels/digest.hpp"
#include "kernels/pack.hpp"

namespace lq::engine {

enum class Progress {
  moved,     // a block or chunk went on
  waiting,   // nothing to do until another rank has done something
  finished,  // this rank's part is complete, or has failed on the way
};

// This rank's part of a transfer. Steps are local; those of different ranks may come in any order.
class Movement {
 public:
  virtual ~Movement() = default;
  // Failures of this rank are kept back while others still need it, and thrown by the step that finishes. After
  // cancel() the rank goes on taking part but moves nothing any more.
  // An exception of the one who is told of what has passed counts as a failure of this rank, as does an interruption.
  Progress step();
  // Whether steps exchange messages: they must then come from a thread that may do so.
  virtual bool needs_messages() const noexcept { return false; }
  // Tells the storage what will be read, before the first step.
  virtual void fetch_ahead() noexcept {}
  // From another thread than the one that takes the steps, while it does: takes on a part of what is left to be done,
  // where that can be shared, until all of it has been begun.
  virtual void help() noexcept {}
  // Bytes held beyond the field.
  virtual std::uint64_t memory_bytes() const noexcept = 0;

  // Before the first step. `progress` is called between steps, with bytes out of `bytes` in the proportion in which
  // this rank's part is done.
  void report_progress_in_bytes(lq::Progress progress, std::uint64_t bytes);

  // From any thread.
  void cancel() noexcept { cancelled_.store(true, std::memory_order_relaxed); }

 protected:
  // How much of this rank's part is done, in a unit of its own.
  struct Passed {
    std::uint64_t done = 0, of = 0;
  };

  bool is_cancelled() const noexcept { return cancelled_.load(std::memory_order_relaxed); }

 private:
  virtual Progress take_step() = 0;
  virtual Passed passed() noexcept { return {}; }  // asked only where somebody is told
  void tell(const Passed& now) noexcept;
  void end_by(std::exception_ptr reason) noexcept;

  lq::Progress tell_;
  std::uint64_t bytes_ = 0, told_ = 0;
  std::exception_ptr ended_by_;
  std::atomic<bool> cancelled_{false};
};

// All steps, one after the other.
void run(Movement& movement);
// The same; what went wrong, or nullptr.
LQ_INNER std::exception_ptr outcome_of(Movement& movement) noexcept;

// What all transfers share: the form of a site, the buffer, reading whole or failing, and the watch for zeros and odd
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

// All of `bytes` from `offset`, or Error(truncated).
void read_whole(base::ByteSource& file, std::uint64_t offset, base::MutableBytes bytes);

// Notes sites of a gauge field that hold only zeros, and odd numbers where these are asked for.
void watch(const Payload& payload, base::Bytes sites, std::uint64_t file_site, TransferStats& stats);
// Odd numbers in a piece that is written, where these are asked for; its sites before `counted_from` are not counted.
void watch_written(const Payload& payload, const std::byte* sites, const Piece& piece, std::uint64_t counted_from,
                   TransferStats& stats);

}  // namespace lq::engine
