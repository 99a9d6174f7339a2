// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/stepwise_transfer.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/backoff.hpp"
#include "base/error.hpp"
#include "base/interruption.hpp"

namespace lq::engine {

Progress StepwiseTransfer::step() {
  if (!ended_by_ && base::is_interrupted()) end_by(base::interruption());
  const Progress progress = take_step();
  if (report_ && progress == Progress::moved) report_progress(passed());
  if (report_ && progress == Progress::finished && !is_cancelled()) report_progress({1, 1});
  if (progress == Progress::finished && ended_by_) std::rethrow_exception(ended_by_);
  return progress;
}

void StepwiseTransfer::report_progress_in_bytes(lq::Progress progress, std::uint64_t bytes) {
  report_ = std::move(progress);
  bytes_ = bytes;
}

void StepwiseTransfer::report_progress(const Passed& now) noexcept {
  if (now.of == 0) return;
  const double part = static_cast<double>(now.done) / static_cast<double>(now.of);
  const std::uint64_t done =
      now.done < now.of ? static_cast<std::uint64_t>(part * static_cast<double>(bytes_)) : bytes_;
  if (done <= reported_) return;
  reported_ = done;
  try {
    report_(done, bytes_);
  } catch (...) {
    end_by(std::current_exception());
  }
}

// Other ranks may depend on this one, so it continues without moving anything.
void StepwiseTransfer::end_by(std::exception_ptr reason) noexcept {
  ended_by_ = std::move(reason);
  report_ = nullptr;
  cancel();
}

void run(StepwiseTransfer& steps) {
  base::Backoff backoff(base::Backoff::Who::rank);
  for (;;) {
    switch (steps.step()) {
      case Progress::finished:
        return;
      case Progress::moved:
        backoff.reset();
        break;
      case Progress::waiting:
        backoff.wait();
        break;
    }
  }
}

std::exception_ptr outcome_of(StepwiseTransfer& steps) noexcept {
  try {
    run(steps);
    return nullptr;
  } catch (...) {
    return std::current_exception();
  }
}

Block::Block(std::uint64_t block_bytes, std::uint64_t site_bytes)
    : site_bytes_(site_bytes),
      max_sites_(std::max<std::uint64_t>(block_bytes / site_bytes, 1)),
      bytes_(std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(max_sites_ * site_bytes))) {}

void read_whole(base::ByteSource& file, std::uint64_t offset, base::MutableBytes bytes) {
  const std::size_t got = file.read_at(offset, bytes);
  if (got == bytes.size()) return;
  base::fail(Code::truncated,
             {.path = file.path(),
              .offset = offset + got,
              .expected = fmt::format("{} bytes", bytes.size()),
              .found = fmt::format("{} bytes", got)},
             "the file ends at byte {}, {} bytes short of what its records announce; copy it again from its source",
             offset + got, bytes.size() - got);
}

void watch(const Payload& payload, base::Bytes sites, std::uint64_t file_site, TransferStats& stats) {
  if (stats.numbers) stats.numbers->look(payload, sites, file_site);
  if (payload.spec.kind != FieldKind::gauge) return;
  const std::uint64_t site_bytes = payload.site_bytes();
  const kernels::ZeroSites found = kernels::find_zero_sites(sites, site_bytes);
  const std::uint64_t first = payload.origin() + (file_site + found.first) * site_bytes;
  const std::uint64_t last = payload.origin() + (file_site + found.last + 1) * site_bytes;
  add(stats.zeros, {found.count, first, last});
}

void watch_written(const Payload& payload, const std::byte* sites, const Piece& piece, std::uint64_t counted_from,
                   TransferStats& stats) {
  if (!stats.numbers) return;
  const std::uint64_t first = std::max(piece.file_site(), counted_from), end = piece.file_site() + piece.sites;
  if (first >= end) return;
  const std::uint64_t site_bytes = payload.site_bytes();
  stats.numbers->look(
      payload, {sites + (first - piece.file_site()) * site_bytes, static_cast<std::size_t>((end - first) * site_bytes)},
      first);
}

}  // namespace lq::engine
