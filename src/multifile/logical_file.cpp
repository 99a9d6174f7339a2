// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sums over the chunks of a task.
#include "multifile/logical_file.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/checked.hpp"

namespace lq::multifile {

std::uint64_t LogicalFile::size() const noexcept {
  return static_cast<std::uint64_t>(std::accumulate(used_.begin(), used_.end(), std::int64_t{0}));
}

std::uint64_t LogicalFile::logical_position() const noexcept {
  const auto before = used_.begin() + static_cast<std::ptrdiff_t>(chunk_);
  return static_cast<std::uint64_t>(std::accumulate(used_.begin(), before, std::int64_t{0})) + position_;
}

void LogicalFile::move_to(std::uint64_t chunk, std::uint64_t position) noexcept {
  chunk_ = chunk;
  position_ = position;
}

void LogicalFile::mark_filled() noexcept {
  used_[chunk_] = std::max(used_[chunk_], static_cast<std::int64_t>(position_));
}

void LogicalFile::append_chunk() {
  const std::uint64_t end =
      base::add_or_throw(base::multiply_or_throw(used_.size() + 2, place_.skip, "the end of a multifile"), place_.start,
                         "the end of a multifile");
  base::add_or_throw(end, std::numeric_limits<std::uint64_t>::max() / 2 + 1, "the end of a multifile");
  if (is_last_chunk()) used_.push_back(0);
  step();
}

std::optional<LogicalFile::Spot> LogicalFile::find(std::uint64_t logical_position) const {
  if (ends_.size() != used_.size()) {
    ends_.resize(used_.size());
    std::partial_sum(used_.begin(), used_.end(), ends_.begin(),
                     [](std::uint64_t sum, std::int64_t filled) { return sum + static_cast<std::uint64_t>(filled); });
  }
  const auto found = std::ranges::lower_bound(ends_, logical_position);
  if (found == ends_.end()) return std::nullopt;
  const auto chunk = static_cast<std::uint64_t>(found - ends_.begin());
  return Spot{chunk, logical_position - (chunk == 0 ? 0 : ends_[chunk - 1])};
}

}  // namespace lq::multifile
