// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "device/windows.hpp"

namespace lq::device {

bool Windows::Window::has(std::int64_t site, std::int64_t wanted_stride) const noexcept {
  const std::int64_t distance = site - first;
  return sites > 0 && stride == wanted_stride && distance >= 0 && distance % stride == 0 &&
         static_cast<std::uint64_t>(distance / stride) < sites;
}

// blocks: none has it.
std::size_t Windows::holder_of(std::int64_t first, std::int64_t stride) const noexcept {
  std::size_t i = 0;
  while (i < blocks && !windows_[i].has(first, stride)) ++i;
  return i;
}

Windows::SiteSpan Windows::some_of(std::size_t i, std::int64_t first, std::uint64_t sites) const noexcept {
  const Window& window = windows_[i];
  const auto skip = static_cast<std::uint64_t>((first - window.first) / window.stride);
  return {i, skip, std::min(sites, window.sites - skip)};
}

// What comes next: the rest of these, and the rest of the field for who goes through it.
std::uint64_t Windows::ahead_of(const SiteSpan& some, std::int64_t first, std::uint64_t sites) const noexcept {
  const Window& window = windows_[some.block];
  if (is_dense(some.block) && first == expected_) return static_cast<std::uint64_t>((end_ - window.end()) / step_);
  return some.skip + sites - std::min(some.skip + sites, window.sites);
}

}  // namespace lq::device
