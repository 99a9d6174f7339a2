// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "device/sites.hpp"

#include <algorithm>
#include <cstring>

namespace lq::device {
namespace {

std::uint64_t most_in_block(std::size_t site_bytes) noexcept {
  return std::max<std::uint64_t>(block_bytes / site_bytes, 1);
}

}  // namespace

SitesOut::SitesOut(const Driver& driver, Home home, const std::byte* memory, std::uint64_t sites,
                   std::size_t site_bytes)
    : end_(memory + sites * site_bytes),
      site_bytes_(site_bytes),
      most_(most_in_block(site_bytes)),
      copies_(driver, home, static_cast<std::size_t>(most_) * site_bytes) {}

SitesOut::Some SitesOut::take(const std::byte* first, std::ptrdiff_t stride, std::uint64_t sites) {
  if (sites == 1) stride = static_cast<std::ptrdiff_t>(site_bytes_);
  const bool is_dense = stride == static_cast<std::ptrdiff_t>(site_bytes_);
  const bool in_turn = is_dense && first == expected_;
  std::size_t i = 0;
  while (i < Copies::blocks && !windows_[i].has(first, stride)) ++i;
  if (i == Copies::blocks) {
    i = 1 - last_;
    fetch(i, first, stride, sites);
  }
  const Window& window = windows_[i];
  const auto before = static_cast<std::uint64_t>((first - window.first) / stride);
  const std::uint64_t given = std::min(sites, window.sites - before);
  // What comes next: the rest of these, and the rest of the field for who goes through it.
  const std::uint64_t known = before + sites - std::min(before + sites, window.sites);
  fetch_ahead(i, in_turn ? static_cast<std::uint64_t>(end_ - window.end()) / site_bytes_ : known);
  copies_.wait(i);
  last_ = i;
  expected_ = is_dense ? first + static_cast<std::ptrdiff_t>(given) * stride : nullptr;
  return {copies_.block(i) + before * site_bytes_, given};
}

void SitesOut::fetch_ahead(std::size_t i, std::uint64_t sites) {
  const Window& window = windows_[i];
  if (sites == 0 || windows_[1 - i].has(window.end(), window.stride)) return;
  fetch(1 - i, window.end(), window.stride, sites);
}

void SitesOut::fetch(std::size_t i, const std::byte* first, std::ptrdiff_t stride, std::uint64_t sites) {
  copies_.wait(i);
  windows_[i].sites = 0;  // should this fail
  const std::uint64_t count = std::min(sites, most_);
  copies_.begin(Direction::to_host,
                {const_cast<std::byte*>(first), site_bytes_, stride, static_cast<std::size_t>(count)}, i);
  windows_[i] = {first, stride, count};
}

SitesIn::SitesIn(const Driver& driver, Home home, std::size_t site_bytes)
    : site_bytes_(site_bytes),
      most_(most_in_block(site_bytes)),
      copies_(driver, home, static_cast<std::size_t>(most_) * site_bytes) {}

SitesIn::Room SitesIn::room(std::uint64_t sites) {
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

void copy_in(const Driver& driver, Home home, const std::byte* from, std::byte* to, std::uint64_t sites,
             std::size_t site_bytes) {
  SitesIn sites_in(driver, home, site_bytes);
  while (sites > 0) {
    const SitesIn::Room room = sites_in.room(sites);
    const std::size_t bytes = static_cast<std::size_t>(room.sites) * site_bytes;
    std::memcpy(room.at, from, bytes);
    sites_in.put(to, static_cast<std::ptrdiff_t>(site_bytes), room.sites);
    from += bytes;
    to += bytes;
    sites -= room.sites;
  }
  sites_in.finish();
}

}  // namespace lq::device
