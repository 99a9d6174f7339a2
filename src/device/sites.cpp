// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "device/sites.hpp"

#include <algorithm>
#include <cstring>

namespace lq::device {

Copies::Copies(const Driver& driver, DeviceContext context, std::size_t bytes) : driver_(driver), context_(context) {
  const ContextScope inside(driver_, context_);
  driver_.wait_for_all();
  for (PooledBuffer& block : blocks_) block = PooledBuffer(driver_, context_, bytes, 0);
}

void Copies::begin(Direction direction, const Rows& rows, std::size_t i, std::size_t offset) {
  const ContextScope inside(driver_, context_);
  PooledBuffer& block = blocks_[i];
  block.begins();
  driver_.copy(direction, rows, block.host() + offset, block.stream());
  block.has_begun();
}

bool Windows::Window::has(std::int64_t site, std::int64_t wanted_stride) const noexcept {
  const std::int64_t distance = site - first;
  return sites > 0 && stride == wanted_stride && distance >= 0 && distance % stride == 0 &&
         static_cast<std::uint64_t>(distance / stride) < sites;
}

// `blocks` if none has it.
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

// Sites to fetch next: the rest of these, and the rest of the field for a sequential reader.
std::uint64_t Windows::ahead_of(const SiteSpan& some, std::int64_t first, std::uint64_t sites) const noexcept {
  const Window& window = windows_[some.block];
  if (is_dense(some.block) && first == expected_) return static_cast<std::uint64_t>((end_ - window.end()) / step_);
  return some.skip + sites - std::min(some.skip + sites, window.sites);
}

namespace {

std::uint64_t most_in_block(std::size_t site_bytes) noexcept {
  return std::max<std::uint64_t>(block_bytes / site_bytes, 1);
}

}  // namespace

SitesOut::SitesOut(const Driver& driver, DeviceContext context, const std::byte* memory, std::uint64_t sites,
                   std::size_t site_bytes)
    : memory_(memory),
      site_bytes_(site_bytes),
      windows_(0, sites, static_cast<std::int64_t>(site_bytes), most_in_block(site_bytes)),
      copies_(driver, context, static_cast<std::size_t>(most_in_block(site_bytes)) * site_bytes) {}

SitesOut::SiteSpan SitesOut::take(const std::byte* first, std::ptrdiff_t stride, std::uint64_t sites) {
  const auto fetch = [&](std::size_t i, std::int64_t at, std::int64_t step, std::uint64_t count) {
    copies_.begin(Direction::to_host,
                  {const_cast<std::byte*>(memory_) + at, site_bytes_, step, static_cast<std::size_t>(count)}, i);
  };
  const Windows::SiteSpan some =
      windows_.take(first - memory_, stride, sites, fetch, [&](std::size_t i) { copies_.wait(i); });
  return {copies_.block(some.block) + some.skip * site_bytes_, some.sites};
}

SitesIn::SitesIn(const Driver& driver, DeviceContext context, std::size_t site_bytes)
    : site_bytes_(site_bytes),
      most_(most_in_block(site_bytes)),
      copies_(driver, context, static_cast<std::size_t>(most_) * site_bytes) {}

SitesIn::Buffer SitesIn::buffer(std::uint64_t sites) {
  copies_.wait(turn_);
  return {copies_.block(turn_), std::min(sites, most_)};
}

void SitesIn::put(std::byte* first, std::ptrdiff_t stride, std::uint64_t sites) {
  copies_.begin(Direction::to_device, {first, site_bytes_, stride, static_cast<std::size_t>(sites)}, turn_);
  turn_ = 1 - turn_;
}

void SitesIn::finish() {
  for (std::size_t i = 0; i < Copies::blocks; ++i) copies_.wait(i);
}

void copy_in(const Driver& driver, DeviceContext context, const std::byte* from, std::byte* to, std::uint64_t sites,
             std::size_t site_bytes) {
  SitesIn sites_in(driver, context, site_bytes);
  while (sites > 0) {
    const SitesIn::Buffer buffer = sites_in.buffer(sites);
    const std::size_t bytes = static_cast<std::size_t>(buffer.sites) * site_bytes;
    std::memcpy(buffer.at, from, bytes);
    sites_in.put(to, static_cast<std::ptrdiff_t>(site_bytes), buffer.sites);
    from += bytes;
    to += bytes;
    sites -= buffer.sites;
  }
  sites_in.finish();
}

}  // namespace lq::device
