// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "format/read_ahead.hpp"

#include <algorithm>

namespace lq::format {

base::Bytes ReadAhead::view(std::uint64_t offset, std::size_t length) {
  if (offset >= size_) return {};
  length = static_cast<std::size_t>(std::min<std::uint64_t>(length, size_ - offset));
  const bool held = offset >= start_ && offset + length <= start_ + held_;
  if (!held) {
    // The window grows while the reader moves on in small steps, and is small again after a jump.
    const bool nearby = offset >= start_ && offset - start_ <= held_ + largest_window;
    next_window_ = nearby ? std::min(next_window_ * 2, largest_window) : std::size_t{4096};
    window_.resize(std::max(length, next_window_));
    start_ = offset;
    held_ = file_.read_at(offset, window_);
  }
  const auto from = static_cast<std::size_t>(offset - start_);
  if (from >= held_) return {};  // the file became shorter
  return base::Bytes(window_).subspan(from, std::min(length, held_ - from));
}

}  // namespace lq::format
